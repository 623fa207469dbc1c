// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Rows shaped as those of tables that people have, by formulas: every run gives the same. */
private[advise] final class AdvisedTables(spark: SparkSession) {

  /** 0 up to 1, one number for each value of a column. */
  private def uniform(column: String, seed: Int): String =
    s"(shiftrightunsigned(xxhash64($column, $seed), 11) * ${math.pow(2, -53)}D)"

  /** A whole number from `low` on, of so many, the first ones more often the higher `skew` is. */
  private def whole(low: Int, count: Int, column: String, seed: Int, skew: Double = 1): String =
    s"($low + cast($count * pow(${uniform(column, seed)}, $skew) AS int))"

  private def orNull(value: String, seed: Int, share: Double = 0.03): String =
    s"if(${uniform("id", seed)} < $share, NULL, $value)"

  /** Events as of `benchmarks/common/events.py`: skewed users and countries, places around their country's centre. */
  def users(rows: Int): DataFrame = {
    def own(seed: Int) = uniform("id", seed)
    spark.range(0, rows, 1, 2)
      .selectExpr("id", s"${whole(0, 200, "id", 4, 3)} AS nation")
      .selectExpr(
        s"1 + cast(1000000 * pow(${own(1)}, 3) AS bigint) AS user_id",
        s"timestamp_micros(1767225600000000 + cast(31536000000000 * ${own(3)} AS bigint)) AS event_time",
        "concat(char(65 + nation * 73 % 200 div 26), char(65 + nation * 73 % 200 % 26)) AS country",
        s"round(pow(10, 4 * ${own(5)}), 2) AS price",
        s"pmod(xxhash64(nation, 11), 120) - 60 + 8 * (${own(6)} + ${own(7)} - 1) AS latitude",
        s"pmod(xxhash64(nation, 12), 340) - 170 + 8 * (${own(8)} + ${own(9)} - 1) AS longitude",
        s"1 + cast(8 * pow(${own(15)}, 2) AS int) AS quantity",
        s"if(id % 13 = 0, NULL, cast(60000 * ${own(16)} AS int)) AS milliseconds"
      )
  }

  /** Sales as in TPC-DS's store_sales: a ticket is of one customer on one day, and days go along with its number. */
  def sales(rows: Int): DataFrame = {
    val tickets = rows / 8
    spark.range(0, rows, 1, 2)
      .selectExpr("id", "id div 8 AS ticket")
      .selectExpr(
        s"${whole(1, 1800, "id", 1)} AS ss_item_sk",
        s"${orNull(whole(1, 5000, "ticket", 2), 3)} AS ss_customer_sk",
        s"${orNull(s"2450816 + cast(1823 * ticket / $tickets AS int)", 4)} AS ss_sold_date_sk",
        "ticket AS ss_ticket_number",
        s"${orNull(whole(1, 12, "ticket", 5), 6)} AS ss_store_sk",
        s"${orNull(whole(1, 100, "id", 7), 8)} AS ss_quantity",
        s"${orNull(s"cast(200 * pow(${uniform("id", 9)}, 2) AS decimal(7,2))", 10)} AS ss_sales_price"
      )
  }

  /** Flights out of one city: few destinations, each at its place, delays of which few are long, some never known. */
  def flights(rows: Int): DataFrame = spark.range(0, rows, 1, 2)
    .selectExpr(
      "id",
      s"${whole(0, 60, "id", 1, 1.7)} AS airport",
      s"${orNull(s"${whole(-12, 25, "id", 2)} + cast(900 * pow(${uniform("id", 3)}, 9) AS int)", 4)} AS dep_delay"
    )
    .selectExpr(
      "concat('D', lpad(cast(airport AS string), 2, '0')) AS dest",
      s"round(20 + 30 * ${uniform("airport", 5)}, 4) AS dest_lat",
      s"round(-160 + 90 * ${uniform("airport", 6)}, 4) AS dest_lon",
      s"${whole(80, 4900, "airport", 7)} AS distance",
      s"element_at(split('UA,B6,EV,DL,AA,MQ,US,9E,WN,VX', ','), ${whole(1, 10, "id", 8, 2)}) AS carrier",
      "dep_delay",
      s"dep_delay + ${whole(-25, 40, "id", 9)} AS arr_delay",
      s"timestamp_seconds(1357016400 + 3600 * ${whole(0, 8760, "id", 10)}) AS time_hour"
    )
}
