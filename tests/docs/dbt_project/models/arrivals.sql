-- A stand-in for what a source brings: more rows in a later run, by the variable `rows`.
{{ config(materialized = 'view') }}

SELECT
  id AS event,
  CAST(pmod(xxhash64(id), 1000) AS INT) AS user,
  CAST(pmod(xxhash64(id, 1), 100) AS INT) AS place,
  25 + pmod(xxhash64(id, 2), 240) / 10 AS dest_lat,
  -120 + pmod(xxhash64(id, 3), 500) / 10 AS dest_lon,
  CAST(pmod(xxhash64(id, 4), 300) - 30 AS INT) AS dep_delay
FROM range({{ var('rows', 20000) }})
