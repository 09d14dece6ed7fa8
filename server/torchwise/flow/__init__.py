"""The abstract interpreter: a Scope and what it is given -> Facts and a Summary. Knows no rule and no
torch name.
"""
