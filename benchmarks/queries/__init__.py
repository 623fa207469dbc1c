# SPDX-License-Identifier: Apache-2.0

"""The parts of `skipping.py`: lookups on tables of many files, and what it takes to plan them."""
