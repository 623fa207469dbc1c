# SPDX-License-Identifier: Apache-2.0

"""What figures are drawn from: snapshots of layouts, their measures, and where values stand on an axis."""
