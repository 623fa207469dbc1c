# SPDX-License-Identifier: Apache-2.0

"""One module per kind of system; its function `runner(spec)` starts it."""
