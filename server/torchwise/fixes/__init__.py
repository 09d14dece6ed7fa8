"""The few ways to change code, and applying them."""
