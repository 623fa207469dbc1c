// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.parquet.footer.FieldIds

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Finds the fields of a table in a file, by names or by field ids.
 *
 * @param byId
 *   whether fields with ids are the same by these, whatever their names
 * @param isStrict
 *   whether names and ids must say the same, as they do where columns were neither renamed nor recreated
 */
private[parquet] class MatchingFields(table: String, same: Resolver, byId: Boolean, isStrict: Boolean) {
  import MatchingFields.Match

  /**
   * @param left
   *   fields of the table as far as they are known
   * @param right
   *   the fields of a file
   * @return
   *   the fields of the file that the table has, or is to have
   * @throws ZOrderAnalysisException
   *   where names and ids contradict each other
   */
  def of(left: StructType, right: StructType, above: Seq[String], file: String): Seq[Match] =
    right.fields.toSeq.flatMap { field =>
      def contradicts(other: StructField): Unit =
        if (isStrict) {
          def path(f: StructField) = ColumnPath(above :+ f.name).toString
          throw ZOrderErrors.contradictingIds(table, file, path(field), idText(field), path(other), idText(other))
        }
      twin(field, right).foreach(contradicts)
      if (byId) matchedById(left, field, contradicts) else Some(matchedByName(left, field, contradicts))
    }

  /** A field of the same struct with the same id, which readers by ids take for this one. */
  private def twin(field: StructField, struct: StructType): Option[StructField] =
    FieldIds.of(field).flatMap(id => struct.fields.find(f => f.name != field.name && FieldIds.of(f).contains(id)))

  private def matchedById(left: StructType, field: StructField, contradicts: StructField => Unit): Option[Match] =
    (ofId(left, field), ofName(left, field)) match {
      case (Some(known), _) => Some(Match(Some(known), field, known))
      case (None, None) => Some(Match(None, field, field))
      case (None, Some(named)) if FieldIds.of(named).isEmpty =>
        // A table whose columns have no ids is read by names. What is only found out here may be had by ids.
        val merged = if (isStrict) named else FieldIds.of(field).fold(named)(FieldIds.in(named, _))
        Some(Match(Some(named), field, merged))
      case (None, Some(named)) =>
        contradicts(named)
        None
    }

  private def matchedByName(left: StructType, field: StructField, contradicts: StructField => Unit): Match = {
    val elsewhere = ofId(left, field).filterNot(f => same(f.name, field.name))
    elsewhere.foreach(contradicts)
    val own = if (elsewhere.isDefined) FieldIds.without(field) else field
    ofName(left, field) match {
      case None => Match(None, field, own)
      case Some(named) =>
        (FieldIds.of(named), FieldIds.of(own)) match {
          case (None, Some(id)) => Match(Some(named), field, FieldIds.in(named, id))
          case (Some(known), Some(id)) =>
            if (known != id) contradicts(named)
            Match(Some(named), field, named)
          case _ => Match(Some(named), field, named)
        }
    }
  }

  private def ofId(struct: StructType, field: StructField): Option[StructField] =
    FieldIds.of(field).flatMap(id => struct.fields.find(FieldIds.of(_).contains(id)))

  private def ofName(struct: StructType, field: StructField): Option[StructField] =
    struct.fields.find(f => same(f.name, field.name))

  private def idText(field: StructField): String = FieldIds.of(field).fold("none")(_.toString)
}

private[parquet] object MatchingFields {

  /**
   * A field of a file.
   *
   * @param left
   *   the field of the table so far; None if the field is new
   * @param merged
   *   the field of the table from now on, but for its type
   */
  final case class Match(left: Option[StructField], right: StructField, merged: StructField)
}
