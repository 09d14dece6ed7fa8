"""What runs in the user's interpreter and not in ours: each file is read as text and stands alone.

It may import torch, which no other part may, and nothing of ours; it has to run under Python 3.8.
"""
