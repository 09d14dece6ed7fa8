"""The small language that scopes are lowered to, the lowering, and its printer."""
