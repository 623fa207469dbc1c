# SPDX-License-Identifier: Apache-2.0

"""`rounds.py`: what incremental runs rewrite, and what point lookups read after them."""
