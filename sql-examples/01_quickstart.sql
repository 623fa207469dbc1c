-- Quickstart: z-order a Delta table and see what it gains. Install spark-zorder as README.md says:
--   make wheel
--   python3 -m venv ~/zorder && source ~/zorder/bin/activate
--   pip install "$(ls python/dist/*.whl)[pyspark,plot]"
-- and in that environment run
--   spark-sql $(spark-zorder conf --delta) -f sql-examples/01_quickstart.sql

DROP TABLE IF EXISTS zorder_quickstart;

-- 100,000 events of 1,000 users at 100 places, in 16 files. Each file has all users and all places.
CREATE TABLE zorder_quickstart USING delta AS
SELECT /*+ REPARTITION(16, event) */
  id AS event,
  CAST(pmod(xxhash64(id), 1000) AS INT) AS user,
  CAST(pmod(xxhash64(id, 'place'), 100) AS INT) AS place
FROM range(100000);

-- A point lookup of a user or a place has to read every file: the verdict is poor, point_read_share is 1.0.
DESCRIBE LAYOUT zorder_quickstart ON (user, place);

-- What would run; this reads and writes nothing.
EXPLAIN OPTIMIZE zorder_quickstart ZORDER BY (user, place);

-- By default this small table would fit in one file, so ask for small files. `summary` in the result has the gain.
OPTIMIZE zorder_quickstart ZORDER BY (user, place) OPTIONS (target_file_size = '60k');

-- Now a point lookup of a user reads about a quarter of the files, and so does one of a place.
DESCRIBE LAYOUT zorder_quickstart ON (user, place);

-- The range of users in each file.
DESCRIBE LAYOUT EXTENDED zorder_quickstart ON (user);

-- The same in exact figures as a table of a query: to filter, to join, to keep in a view.
SELECT column, files, average_depth, point_read_share
FROM describe_layout(table => 'zorder_quickstart', columns => array('user', 'place'))
WHERE point_read_share < 0.5;

-- The table's history says what was done.
DESCRIBE HISTORY zorder_quickstart;

-- Inside, rows are ordered by a curve. interleave_bits gives a position on the z-order curve for any INT columns.
SELECT place, user, hex(interleave_bits(place, user)) AS position
FROM zorder_quickstart
ORDER BY interleave_bits(place, user)
LIMIT 5;

-- range_partition_id cuts any column into even ranges, so that columns of any type can be interleaved.
SELECT range_partition_id(user, 4) AS quarter, min(user), max(user), count(*)
FROM zorder_quickstart
GROUP BY range_partition_id(user, 4)
ORDER BY quarter;

DROP TABLE zorder_quickstart;
