"""The parts of `skipping.py`: look-ups on tables of many files, and what it takes to plan them."""
