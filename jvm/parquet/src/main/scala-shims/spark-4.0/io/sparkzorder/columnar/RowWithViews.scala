// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

/** A row of Spark 4.0, which is asked for no views of bytes. */
private[columnar] abstract class RowWithViews extends RowOfBytes
