# SPDX-License-Identifier: Apache-2.0

"""`bench.py`: OPTIMIZE beside other systems on the same data."""
