-- Plain Parquet tables: no table format, and yet a safe rewrite and queries that skip files. Run it as 01_quickstart.sql.

DROP TABLE IF EXISTS zorder_parquet;

-- 100,000 events, in the order in which they came.
CREATE TABLE zorder_parquet USING parquet AS
SELECT
  id AS event,
  CAST(pmod(xxhash64(id), 1000) AS INT) AS user,
  CAST(pmod(xxhash64(id, 'place'), 100) AS INT) AS place
FROM range(100000);

-- A statistics index of the files as they are: bounds and NULL counts of every column, out of the footers.
ANALYZE TABLE zorder_parquet COMPUTE FILE STATISTICS;

-- What a point lookup has to read of them: all, because every file holds nearly every user.
EXPLAIN SKIPPING SELECT * FROM zorder_parquet WHERE user = 17;

-- New files are staged, a log entry and a verdict swap them for the old ones, and the statistics index is refreshed.
OPTIMIZE zorder_parquet ZORDER BY (user, place) OPTIONS (target_file_size = '60k');

-- A few files.
EXPLAIN SKIPPING SELECT * FROM zorder_parquet WHERE user = 17;
SELECT count(*) FROM zorder_parquet WHERE user = 17 AND place < 50;

DESCRIBE LAYOUT zorder_parquet ON (user, place);

-- A load; afterwards only the new files are clustered.
INSERT INTO zorder_parquet SELECT 100000 + id, CAST(id % 1000 AS INT), CAST(id % 100 AS INT) FROM range(2000);
OPTIMIZE zorder_parquet ZORDER BY (user, place) OPTIONS (mode = 'incremental', target_file_size = '60k');

-- Two small loads: their files are put together, without an order. Clustered files stay as they are.
INSERT INTO zorder_parquet SELECT 102000 + id, CAST(id % 1000 AS INT), CAST(id % 100 AS INT) FROM range(100);
INSERT INTO zorder_parquet SELECT 102100 + id, CAST(id % 1000 AS INT), CAST(id % 100 AS INT) FROM range(100);
OPTIMIZE zorder_parquet;

DROP TABLE zorder_parquet;
