{{ config(
    materialized = 'table',
    file_format = 'delta',
    post_hook = "OPTIMIZE {{ this }} ZORDER BY (dest_lat, dest_lon, dep_delay)"
) }}

SELECT * FROM {{ ref('arrivals') }}
