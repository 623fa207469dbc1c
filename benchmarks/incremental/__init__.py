"""`rounds.py`: what incremental runs rewrite, and what look-ups read after them."""
