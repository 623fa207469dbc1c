{{ config(
    materialized = 'table',
    file_format = 'delta',
    tblproperties = {'sort.columns': 'user,place', 'sort.order': 'ZORDER'},
    post_hook = "OPTIMIZE {{ this }} ZORDER"
) }}

SELECT * FROM {{ ref('arrivals') }}
