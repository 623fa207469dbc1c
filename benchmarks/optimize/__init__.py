"""`bench.py`: OPTIMIZE beside other systems on the same data."""
