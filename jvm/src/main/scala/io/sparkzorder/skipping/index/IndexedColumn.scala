package io.sparkzorder.skipping.index

/**
 * The statistics of one column in every file of an index, by the file's number.
 *
 * Bounds are values in Spark's internal form and hold in Spark's order of the type: no value lies below `min` or above
 * `max`. Where a file of floating-point numbers may hold NaN, which Spark orders last, its maximum is NaN.
 *
 * @param min
 *   null where it is not known, or where there is no value
 * @param max
 *   likewise; bounds are known both or not at all
 * @param nullCounts
 *   rows without a value, or -1 where that is not known
 */
final class IndexedColumn(val min: Array[Any], val max: Array[Any], val nullCounts: Array[Long])
