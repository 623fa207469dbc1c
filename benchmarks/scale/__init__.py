# SPDX-License-Identifier: Apache-2.0

"""The parts of `scale.py`: tables of 100,000 files and more."""
