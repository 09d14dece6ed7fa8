"""The site: lessons with what they print and draw, pages of rules, API notes and docs; it needs no network.

python -m website        # writes .site/html; fails on a broken link
"""
