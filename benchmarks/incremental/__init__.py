"""`rounds.py`: what incremental runs rewrite, and what point lookups read after them."""
