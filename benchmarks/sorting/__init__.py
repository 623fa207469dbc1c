# SPDX-License-Identifier: Apache-2.0

"""Writes in the order of the table: what they cost, and what lookups then read."""
