package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.optimize.input.KeyedRows
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.key.{KeyScale, KeyType}
import io.sparkzorder.layout.incremental.{FileBox, IncrementalPlan, IncrementalPlanner, RegionTree, Sections}

/**
 * A partition of clustered files to which others have come.
 *
 * @param clustered
 *   one or more
 * @param others
 *   one or more, laid out by nobody
 */
private[command] class PartitionWithNewFiles(
    columns: Seq[ZOrderColumn],
    clustered: IndexedSeq[DataFile],
    others: IndexedSeq[DataFile]) {
  import PartitionWithNewFiles._

  private val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  // Without bounds a file has no place among the others: it stays as it is.
  private val placed: IndexedSeq[(DataFile, FileBounds)] =
    clustered.flatMap(f => FileBounds.of(f, columns).map(f -> _))
  private val (overlaid, own) = placed.partition(_._1.clustering.exists(_.overlay))

  private val firstScales = scales(IndexedSeq.fill(keyTypes.size)(Array.empty[Any]))

  /** Overlays that lie over no other file are as good as any. */
  private val (apart, lying) = {
    val (owns, overlays) = (own.map(box(_, firstScales)), overlaid.map(box(_, firstScales)))
    def isApart(i: Int) = owns.map(overlays(i).shareWithin).sum < Apart &&
      overlays.indices.forall(j => j == i || overlays(i).shareWithin(overlays(j)) < Apart)
    val (in, out) = overlaid.indices.partition(isApart)
    (in.map(overlaid), out.map(overlaid))
  }
  private val base = own ++ apart
  private val baseBoxes = base.map(box(_, firstScales))
  private val tree = if (base.isEmpty) None else Some(RegionTree.of(baseBoxes))

  /** Overlays that lie in one region, with its number; the others count as arrived. */
  private val (above, across) = {
    val regions = lying.map(f => tree.flatMap(regionOf(_, box(f, firstScales))))
    val (in, over) = lying.zip(regions).partition(_._2.isDefined)
    (in.map { case (f, region) => f -> region.get }, over.map(_._1._1))
  }

  /** The files to lay out anew in any case. */
  val arrived: IndexedSeq[DataFile] = others ++ across

  /**
   * @param sample
   *   per column, keys of rows of `arrived`
   */
  def work(sample: IndexedSeq[Array[Any]], curve: Curve, targetFileBytes: Long): RewriteGroup = tree match {
    case None => RewriteGroup(arrived, clustered.filterNot(arrived.toSet), Sections.overlay, None)
    case Some(tree) =>
      val scale = scales(sample)
      val boxes = base.map(box(_, scale))
      val coordinates = sample.zip(scale).map { case (keys, s) => keys.map(s.place) }
      val rows = KeyedRows.recorded(arrived).getOrElse(sample.head.length.toLong)
      val bytes = arrived.map(_.liveBytes).sum
      val overlays = above.map { case (f, region) => box(f, scale) -> region }
      val layers = (own.size until base.size).toSet
      val choice =
        new IncrementalPlanner(tree, boxes, layers, overlays, coordinates, rows, bytes, curve, targetFileBytes).choose
      chosen(tree, choice)
  }

  private def chosen(tree: RegionTree, choice: IncrementalPlan): RewriteGroup = {
    val merged = tree.regions.indices.filter(choice.isRewritten).flatMap(tree.regions(_)).map(base(_)._1)
    val raised = above.indices.filter(choice.overlays).map(above(_)._1._1)
    val rewritten = arrived ++ merged ++ raised
    val kept = clustered.filterNot(rewritten.toSet)
    RewriteGroup(rewritten, kept, division(tree, choice), None)
  }

  /** Groups of merged regions first, then the parts above regions, then the layer over all that stays. */
  private def division(tree: RegionTree, choice: IncrementalPlan): Sections = {
    val groups = choice.groups.max + 1
    val rest = groups + choice.parts.max + 1
    val sectionOf = tree.regions.indices.map { r =>
      if (choice.isMerged(r)) choice.groups(r) else if (choice.apart(r)) groups + choice.parts(r) else rest
    }
    val sections = sectionOf.max + 1
    val overlays = IndexedSeq.tabulate(sections)(_ >= groups)
    if (sections == 1) Sections(overlays, None)
    else {
      val highs = keyTypes.indices.map(axis => base.map(_._2.high(axis)))
      Sections(overlays, Some(Sections.route(tree, keyTypes, highs, sectionOf.toArray)))
    }
  }

  private def scales(more: IndexedSeq[Array[Any]]): IndexedSeq[KeyScale] = keyTypes.indices.map { axis =>
    val bounds = placed.iterator.flatMap { case (_, b) => Iterator(b.low(axis), b.high(axis)) }
    KeyScale.of(keyTypes(axis), (bounds ++ more(axis)).filter(_ != null).toIndexedSeq)
  }

  private def box(file: (DataFile, FileBounds), scales: IndexedSeq[KeyScale]): FileBox = {
    val (f, bounds) = file
    FileBox(
      scales.indices.map(axis => scales(axis).place(bounds.low(axis))),
      scales.indices.map(axis => scales(axis).place(bounds.high(axis))),
      f.rows.getOrElse(1L),
      f.liveBytes
    )
  }

  /** The region that holds all of a box. */
  private def regionOf(tree: RegionTree, box: FileBox): Option[Int] = {
    def at(corner: IndexedSeq[Double]) = tree.regionOf((axis, b) => corner(axis) <= baseBoxes(b).high(axis))
    Some(at(box.low)).filter(_ == at(box.high))
  }
}

private[command] object PartitionWithNewFiles {

  // An overlay of which less than this share lies over other files counts as one of them.
  private val Apart = 0.25
}
