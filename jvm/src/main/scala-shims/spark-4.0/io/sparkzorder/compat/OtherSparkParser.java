// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat;

import org.apache.spark.sql.catalyst.parser.ParserInterface;

/** Spark 4.0 has parsers that can do no more than those of every Spark 4; what later ones can, {@link WiderParser} adds. */
class OtherSparkParser extends EverySparkParser {

  OtherSparkParser(ParserInterface delegate, Refusal refusal) {
    super(delegate, refusal);
  }
}
