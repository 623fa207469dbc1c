{{ config(
    materialized = 'incremental',
    incremental_strategy = 'append',
    file_format = 'delta',
    post_hook = "OPTIMIZE {{ this }} ZORDER BY (user, place) OPTIONS (mode = 'incremental')"
) }}

SELECT * FROM {{ ref('arrivals') }}
{% if is_incremental() %}
WHERE event > (SELECT max(event) FROM {{ this }})
{% endif %}
