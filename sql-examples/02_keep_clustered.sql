-- A table that grows: each load is clustered with `mode = 'incremental'`, which leaves alone what is clustered already. Run
-- it as 01_quickstart.sql.

DROP TABLE IF EXISTS zorder_growing;

-- 100,000 events, clustered once.
CREATE TABLE zorder_growing USING delta AS
SELECT
  id AS event,
  CAST(pmod(xxhash64(id), 1000) AS INT) AS user,
  CAST(pmod(xxhash64(id, 'place'), 100) AS INT) AS place
FROM range(100000);

-- Which columns are worth it for these queries? The first row has the statement to run.
ADVISE LAYOUT zorder_growing
  FOR (SELECT * FROM zorder_growing WHERE user = 7), (SELECT event FROM zorder_growing WHERE place BETWEEN 20 AND 25)
  OPTIONS (target_file_size = '60k');

OPTIMIZE zorder_growing ZORDER BY (user, place) OPTIONS (target_file_size = '60k');

-- No file is new since then: nothing is read or committed, and the metrics are zero.
OPTIMIZE zorder_growing ZORDER BY (user, place) OPTIONS (mode = 'incremental', target_file_size = '60k');

-- A load of 5,000 events. A point lookup has to read its file as well.
INSERT INTO zorder_growing
SELECT
  100000 + id,
  CAST(pmod(xxhash64(id, 'later'), 1000) AS INT),
  CAST(pmod(xxhash64(id, 'later place'), 100) AS INT)
FROM range(5000);

-- What the run would do; this writes nothing.
OPTIMIZE zorder_growing ZORDER BY (user, place)
  OPTIONS (mode = 'incremental', target_file_size = '60k') DRY RUN;

-- `metrics.totalFilesSkipped` is the number of files that stayed as they were.
OPTIMIZE zorder_growing ZORDER BY (user, place) OPTIONS (mode = 'incremental', target_file_size = '60k');

DESCRIBE LAYOUT zorder_growing ON (user, place);

-- Only the files that may hold some users, whatever their partition: a predicate on a column that is no partition column.
OPTIMIZE zorder_growing WHERE user BETWEEN 100 AND 120 ZORDER BY (user, place)
  OPTIONS (where_files = 'overlapping', target_file_size = '60k');
