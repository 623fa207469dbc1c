# SPDX-License-Identifier: Apache-2.0

"""The parts of `tpcds.py`: queries of TPC-DS, star joins, MERGE and first rows on three layouts of its facts."""
