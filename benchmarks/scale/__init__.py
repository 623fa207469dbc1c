# SPDX-License-Identifier: Apache-2.0

"""Statements and queries on tables of 100,000 files and more."""
