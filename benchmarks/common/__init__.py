# SPDX-License-Identifier: Apache-2.0

"""What several of the programs use; imports none of them."""
