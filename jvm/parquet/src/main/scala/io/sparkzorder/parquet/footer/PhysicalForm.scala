// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.nio.charset.StandardCharsets
import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{MessageType, PrimitiveType, Type}

/** What a Parquet schema says of names, order and types of columns; not of field ids, nor of which may be NULL. */
private[sparkzorder] object PhysicalForm {

  /** Of equal forms where the schemas differ in nothing else. */
  def apply(schema: MessageType): String = digest(schema.getFields.asScala.map(write).mkString(";"))

  /** What stands for a long text where it is only compared. */
  def digest(text: String): String = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString

  /** The type of a column for a message. */
  def text(column: Type): String = column match {
    case p: PrimitiveType => primitive(p)
    case group => s"group${annotation(group)}"
  }

  private def write(t: Type): String = {
    val repeated = if (t.isRepetition(Type.Repetition.REPEATED)) "*" else ""
    val inside = t match {
      case p: PrimitiveType => primitive(p)
      case group => annotation(group) + group.asGroupType.getFields.asScala.map(write).mkString("{", ";", "}")
    }
    s"$repeated`${t.getName}` $inside"
  }

  private def primitive(p: PrimitiveType): String = {
    val length = if (p.getTypeLength > 0) s"(${p.getTypeLength})" else ""
    s"${p.getPrimitiveTypeName}$length${annotation(p)}"
  }

  private def annotation(t: Type): String = Option(t.getLogicalTypeAnnotation).fold("")(a => s" ($a)")
}
