-- A table with an order: every write puts its rows along a z-order curve, so that queries skip pages and row groups of files
-- that nobody has rewritten. Run it as 01_quickstart.sql.

DROP TABLE IF EXISTS zorder_ordered;

-- Pages of 1,000 rows, so that this small table has some to skip; 20,000 are usual.
CREATE TABLE zorder_ordered (event BIGINT, user INT, place INT)
USING parquet
OPTIONS ('parquet.page.row.count.limit' = '1000')
SORT BY ZORDER (user, place);

-- What a write will do; this writes nothing. `OrderedRows` has the order.
EXPLAIN INSERT INTO zorder_ordered SELECT id, 1, 1 FROM range(10);

-- 100,000 events of 1,000 users at 100 places, in the order in which they come.
INSERT INTO zorder_ordered
SELECT id, CAST(pmod(xxhash64(id), 1000) AS INT), CAST(pmod(xxhash64(id, 'place'), 100) AS INT)
FROM range(100000);

-- A point lookup of a user reads about a sixth of the pages, and one of a place about a quarter.
EXPLAIN SKIPPING SELECT * FROM zorder_ordered WHERE user = 17;
EXPLAIN SKIPPING SELECT * FROM zorder_ordered WHERE place = 42;

-- The order is kept in table properties; what SHOW CREATE TABLE prints makes the same table.
SHOW TBLPROPERTIES zorder_ordered;
SHOW CREATE TABLE zorder_ordered;

-- From now on rows move between tasks, so that each file gets a range of the curve of its own. Files of 16 MB or more are
-- usual; this load is small.
ALTER TABLE zorder_ordered SET TBLPROPERTIES ('sort.scope' = 'global');
SET spark.sql.zorder.targetFileSize = 60k;
INSERT INTO zorder_ordered
SELECT 100000 + id, CAST(pmod(xxhash64(id, 1), 1000) AS INT), CAST(pmod(xxhash64(id, 2), 100) AS INT)
FROM range(100000);
RESET spark.sql.zorder.targetFileSize;

-- Of the new files a lookup skips most, once the statistics index of this Parquet table knows them; the old ones hold every
-- user.
ANALYZE TABLE zorder_ordered COMPUTE FILE STATISTICS;
EXPLAIN SKIPPING SELECT * FROM zorder_ordered WHERE user = 17;

-- OPTIMIZE takes the columns of the table's order, and orders the files that there are.
OPTIMIZE zorder_ordered ZORDER OPTIONS (target_file_size = '60k');

-- Column by column, or in no order at all.
ALTER TABLE zorder_ordered SORT BY (user, event);
ALTER TABLE zorder_ordered SORT BY ();

DROP TABLE zorder_ordered;
