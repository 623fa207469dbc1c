// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.{ColumnPath, KeyType}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, Clustering, DataFile, Rewrite, StatisticsRemedy}
import io.sparkzorder.format.iceberg.listing.{
  ClusteringInName,
  ColumnMetrics,
  DeletedRows,
  FieldPath,
  FileFilter,
  IcebergFile,
  IcebergRuns,
  PlannedFile,
  TableBranch,
  TableForm
}
import io.sparkzorder.format.iceberg.rewrite.{DroppedDeletes, FilesToRead, IcebergRewrite, OpenWrites, RowsToRewrite}

import org.apache.iceberg.{DataFile => TableFile, FileScanTask, Snapshot, Table, TableProperties}
import org.apache.iceberg.encryption.PlaintextEncryptionManager
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.TypeUtil
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A branch of an Iceberg table at the version at which this is made, with the columns and the partitions that the
 * table has now.
 *
 * @param writes
 *   of the statement that rewrites the table; None where it is only looked at
 */
private[iceberg] final class IcebergSnapshot(
    name: String,
    session: SparkSession,
    table: Table,
    branch: TableBranch,
    writes: Option[OpenWrites])
    extends ClusterableSnapshot {

  private val snapshot: Option[Snapshot] = branch.latest
  private val form = TableForm.of(table)
  import form.{partitions, spec}
  private val tableSchema = form.schema
  private val metrics = new ColumnMetrics(table, tableSchema)

  override def path: String = table.location

  override def id: String = table.uuid.toString

  override val schema: StructType = SparkSchemaUtil.convert(tableSchema)

  override def partitionSchema: StructType = partitions.columns

  // Only what somebody has set: Iceberg's own default of 512 MB is no wish of the user's.
  override def targetFileBytes: Option[Long] =
    Option(table.properties.get(TableProperties.WRITE_TARGET_FILE_SIZE_BYTES)).flatMap(_.toLongOption).filter(_ > 0)

  override def batchBytes: Option[Long] = None

  /** The versions before are there until they expire. */
  override def keepsReplacedFiles: Boolean = true

  private val inName = ClusteringInName.of(table)

  override def recordsClustering: Boolean = inName.isDefined

  private lazy val runs = new IcebergRuns(table, snapshot)

  override def openRun(statement: String): Option[BatchedRun] = runs.open(statement)

  private def clusteringOf(file: TableFile): Option[Clustering] = inName.flatMap(_.of(file, runs.idOf))

  /** Their ids, which outlive a renaming. */
  override def storedNames(column: ColumnPath): Seq[String] =
    FieldPath.to(tableSchema, column).fold(column.parts)(_.map(_.fieldId.toString))

  override def columnsWithStatistics: Seq[ColumnPath] =
    ColumnPath
      .leaves(schema)
      .filterNot(p => p.parts.size == 1 && partitions.identities.contains(p.parts.head))
      .filter(p => KeyType.of(p.dataType(schema)).isDefined && metrics.hasBounds(p) && metrics.areSure(p))

  /** Of strings and binary values as many characters or bytes as the table's default metrics mode keeps. */
  override def recordedBounds(min: Any, max: Any, dataType: DataType): (Any, Any) = metrics.recordedBounds(min, max)

  override def statisticsRemedy(column: ColumnPath): StatisticsRemedy = {
    val rewrite = s"OPTIMIZE $name ZORDER BY ($column) writes them"
    if (!metrics.canHaveBounds(column))
      StatisticsRemedy(
        "none for this type in Iceberg",
        s"Iceberg keeps no bounds of type ${column.dataType(schema).sql}")
    else if (!metrics.areSure(column))
      StatisticsRemedy(
        "none for UUID in Iceberg",
        "releases of Iceberg order UUIDs differently, so that their bounds are not looked at here")
    else if (metrics.hasBounds(column))
      StatisticsRemedy("OPTIMIZE writes them", s"the files were written without them; $rewrite")
    else
      StatisticsRemedy(
        "set its metrics mode",
        s"the table keeps none of the column: ALTER TABLE ${branch.tableName} SET TBLPROPERTIES (${metrics.property(column)}), and $rewrite"
      )
  }

  override def requireOptimizable(by: Seq[ColumnPath]): Unit = {
    def refuse(reason: String) = throw ZOrderErrors.icebergNotRewritable(name, reason)
    if (!table.encryption.isInstanceOf[PlaintextEncryptionManager])
      refuse("it is encrypted, and what is sampled and moved of it would not be")
    spec.fields.asScala.find(_.transform.toString.startsWith("unknown")).foreach { field =>
      refuse(s"this release of Iceberg does not know the partition transform of ${field.name}")
    }
    if (!partitions.areDerivable)
      refuse("it is partitioned by a column that it has no more. ALTER TABLE ... DROP PARTITION FIELD mends it")
    // Values of partitions are of the types that the last version of a branch had, and those of later deletes of others.
    tasks.distinctBy(_.file.specId).find(t => t.spec.partitionType != typesOf(t.file.specId)).foreach { _ =>
      refuse(
        "a column of its partitions has got another type since the last version of the branch. Write a row to it first")
    }
    if (!session.sessionState.conf.caseSensitiveAnalysis) alike.foreach { names =>
      refuse(s"its columns ${names.mkString(" and ")} differ in letters' case alone. Rename all of them but one")
    }
    val without = by.filterNot(metrics.hasBounds)
    if (without.nonEmpty)
      throw ZOrderErrors.icebergWithoutBounds(branch.tableName, without.map(_.toString), without.map(metrics.property))
  }

  private def typesOf(specId: Int) = table.specs.get(specId).partitionType

  /** Iceberg's writer looks for columns as the session does. */
  private def alike: Option[Seq[String]] = {
    val names = TypeUtil.indexByName(tableSchema.asStruct).keySet.asScala.toSeq.sorted
    names.groupBy(_.toLowerCase(java.util.Locale.ROOT)).values.filter(_.size > 1).toSeq.sortBy(_.head).headOption
  }

  /** A file of an older spec is in no partition. */
  override def files(predicate: Option[Expression]): IndexedSeq[DataFile] =
    listed(predicate, (older, deletes) => older.map(whole(_, deletes)))

  override def filesOfPartitions(predicate: Option[Expression]): IndexedSeq[DataFile] =
    listed(predicate, (older, deletes) => new PartsOfFiles(session, table, tableSchema, partitions, deletes).of(older))

  private def listed(
      predicate: Option[Expression],
      ofOlder: (IndexedSeq[PlannedFile], DeletedRows) => IndexedSeq[IcebergFile]): IndexedSeq[IcebergFile] = {
    val deletes = new DeletedRows(tasks, clusteringOf(_).isDefined)
    val (current, older) = planned.partition(_.file.specId == spec.specId)
    val all = current.map(own(_, deletes)) ++ ofOlder(older, deletes)
    predicate.fold(all)(p => chosen(all, filterBy(p)))
  }

  private def filterBy(predicate: Expression) = new FileFilter(name, tableSchema, spec, partitions, predicate)

  /** A file is rewritten as a whole: all its parts are chosen where one is. */
  private def chosen(all: IndexedSeq[IcebergFile], filter: FileFilter): IndexedSeq[IcebergFile] = {
    val matching = all.filter(filter(_)).map(_.path).toSet
    all.filter(f => matching(f.path))
  }

  private lazy val planned: IndexedSeq[PlannedFile] =
    snapshot.fold(IndexedSeq.empty[PlannedFile])(version => PlannedFile.of(table, version.snapshotId))

  private def tasks: IndexedSeq[FileScanTask] = planned.map(_.task)

  /** The paths of files that the version has more than once, each time with all their rows. */
  private lazy val repeated: Set[String] = {
    val paths = planned.map(_.file.location)
    paths.diff(paths.distinct).toSet
  }

  private def own(planned: PlannedFile, deletes: DeletedRows): IcebergFile = {
    import planned.{file, task}
    val clustering = clusteringOf(file)
    val scanned = new IcebergFile.Scanned(planned, deletes.estimate(task, isOurs = clustering.isDefined))
    val partition = partitions.of(file)
    new IcebergFile(file, Some(scanned), partition, partitions.nameOf(partition), tableSchema, None, clustering)
  }

  private def whole(planned: PlannedFile, deletes: DeletedRows): IcebergFile = {
    import planned.task
    val nowhere = InternalRow.fromSeq(partitions.columns.map(_ => null))
    val scanned = new IcebergFile.Scanned(planned, deletes.estimate(task, isOurs = false))
    new IcebergFile(task.file, Some(scanned), nowhere, task.spec.partitionToPath(task.file.partition), tableSchema)
  }

  override def read(files: IndexedSeq[DataFile]): DataFrame =
    rowsOf(tasksOf(files.map(_.asInstanceOf[IcebergFile]))).rows

  private def rowsOf(tasks: IndexedSeq[FileScanTask]): RowsToRewrite =
    new RowsToRewrite(session, new FilesToRead(table, tasks), partitions)

  private def tasksOf(files: IndexedSeq[IcebergFile]): IndexedSeq[FileScanTask] =
    files.distinctBy(_.path).flatMap(_.task)

  override def rewrite(
      files: IndexedSeq[DataFile],
      predicate: Option[Expression],
      by: Seq[ColumnPath]): Rewrite = {
    val own = files.map(_.asInstanceOf[IcebergFile])
    own.find(_.file.keyMetadata != null).foreach(f => throw ZOrderErrors.encryptedFile(name, f.path))
    requireWhole(own)
    requireOnce(own)
    val rewritten = tasksOf(own)
    val dropped = DroppedDeletes.of(tasks, rewritten)
    val rows = rowsOf(rewritten)
    val leftOut = predicate.fold(Set.empty[InternalRow])(partitionsLeftBy(_, own))
    new IcebergRewrite(name, session, table, form, branch, snapshot.get, rows, own, leftOut, dropped, writes.get)
  }

  /**
   * The partitions that a predicate does not choose, but which get rows of files of older specs, and have other files: beside
   * those the new ones are not clustered.
   */
  private def partitionsLeftBy(predicate: Expression, rewritten: IndexedSeq[IcebergFile]): Set[InternalRow] = {
    val byParts =
      rewritten.groupBy(_.partition).collect { case (p, files) if files.forall(_.part.isDefined) => p }.toSet
    if (byParts.isEmpty) Set.empty
    else {
      val (filter, deletes) = (filterBy(predicate), new DeletedRows(Nil, _ => false))
      val others = planned.iterator.filter(_.file.specId == spec.specId).map(own(_, deletes))
      others.filter(f => byParts(f.partition) && !filter(f)).map(_.partition).toSet
    }
  }

  /** Of files with rows of several partitions these have to be rewritten together. */
  private def requireWhole(files: IndexedSeq[IcebergFile]): Unit =
    files.filter(_.part.isDefined).groupBy(_.path).values.foreach { parts =>
      if (parts.flatMap(_.part).map(_.rows).sum != parts.head.part.get.all)
        throw ZOrderErrors.icebergNotRewritable(
          name,
          "files of an older partition spec have rows of partitions that it does not rewrite together. Run it once in " +
            "full and without batch_size, and they are rewritten into the current spec"
        )
    }

  /** A commit takes a file out by its path, as often as it is there. */
  private def requireOnce(files: IndexedSeq[IcebergFile]): Unit =
    files.find(f => repeated(f.path)).foreach { file =>
      throw ZOrderErrors.icebergNotRewritable(
        name,
        s"it has the file ${file.path} more than once, as after two calls of add_files, and queries read its rows as often. " +
          "Where that is meant, INSERT OVERWRITE by SELECT * FROM the table writes them into files of their own"
      )
    }
}
