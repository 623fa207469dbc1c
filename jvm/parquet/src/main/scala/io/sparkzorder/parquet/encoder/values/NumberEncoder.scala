// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.bytes.BytesInput

/**
 * Numbers of one width. The loops over values stand in the classes of their primitive type.
 *
 * @param valueBytes
 *   bytes of a plain value
 */
private[encoder] abstract class NumberEncoder(valueBytes: Int, isDictionaryEnabled: Boolean, maxDictionaryBytes: Int)
    extends DictionaryEncoder(isDictionaryEnabled, maxDictionaryBytes) {

  protected def dictionary: NumberDictionary

  /** Whether a NaN was seen in the file so far. */
  protected var hasNaN: Boolean = false

  /** Makes one NaN of all in the dictionary: nothing is looked up in it any more. */
  protected def unifyDictionary(): Unit

  override final def plainBytes: Long = valueBytes.toLong * count
  override protected final def dictionaryValues: Int = dictionary.size
  override protected final def dictionaryBytes: Long = valueBytes.toLong * dictionary.size
  override protected final def dictionaryPlain(bytes: Int): BytesInput = {
    if (hasNaN) unifyDictionary()
    BytesInput.from(dictionary.plain(bytes))
  }
  override protected final def dropDictionary(): Unit = dictionary.clear()
  override final def heldBytes: Long = super.heldBytes + dictionary.heldBytes
}
