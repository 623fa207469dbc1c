# SPDX-License-Identifier: Apache-2.0

"""Names, paths and strings as SQL has them, in quotes."""

from __future__ import annotations

from spark_zorder.errors import ZOrderValueError, wrong_type


def split_identifier(text: str) -> tuple[str, ...]:
    """Splits a name as a user writes it into its parts, by the rules of PySpark's `col`.

    Args:
        text: parts with dots between them; a part in back-quotes may hold anything, a back-quote in it doubled.

    Returns:
        The parts without their quotes.

    Raises:
        ZOrderValueError: the text is no such name (`ZORDER_INVALID_IDENTIFIER`).
        ZOrderTypeError: it is not a string.

    Example:
        >>> split_identifier("db.`my.table`")
        ('db', 'my.table')
    """
    if not isinstance(text, str):
        raise wrong_type("An identifier", "a string", text)
    parts = []
    position = 0
    while True:
        part, position = _quoted_part(text, position) if text[position : position + 1] == "`" else _part(text, position)
        if not part.strip():
            raise _invalid(text, "a part is empty")
        parts.append(part)
        if position == len(text):
            return tuple(parts)
        position += 1


def _part(text: str, start: int) -> tuple[str, int]:
    dot = text.find(".", start)
    end = len(text) if dot < 0 else dot
    if "`" in text[start:end]:
        raise _invalid(text, "a back-quote stands inside a part that is not quoted")
    return text[start:end], end


def _quoted_part(text: str, start: int) -> tuple[str, int]:
    end = start + 1
    while (end := text.find("`", end)) >= 0 and text[end + 1 : end + 2] == "`":
        end += 2
    if end < 0:
        raise _invalid(text, "a back-quote is not closed")
    if text[end + 1 : end + 2] not in ("", "."):
        raise _invalid(text, "something other than a dot follows a closing back-quote")
    return text[start + 1 : end].replace("``", "`"), end + 1


def _invalid(text: str, reason: str) -> ZOrderValueError:
    return ZOrderValueError("ZORDER_INVALID_IDENTIFIER", text=repr(text), reason=reason)


def quote_part(part: str) -> str:
    """Returns one part of a name in back-quotes."""
    return "`" + part.replace("`", "``") + "`"


def quote_identifier(text: str) -> str:
    """Returns a name as a user writes it with every part in back-quotes.

    Example:
        >>> quote_identifier("db.`my.table`")
        '`db`.`my.table`'
    """
    return ".".join(quote_part(part) for part in split_identifier(text))


def quote_path(path: str, table_format: str | None) -> str:
    """Returns the name of a table that is given by its path.

    Args:
        path: the table's folder.
        table_format: `delta` or `parquet`; None where the folder itself tells.

    Example:
        >>> quote_path("/data/flights", "delta"), quote_path("/data/flights", None)
        ('delta.`/data/flights`', "'/data/flights'")
    """
    return quote_string(path) if table_format is None else f"{table_format}.{quote_part(path)}"


def quote_string(text: str) -> str:
    """Returns a string literal; holds while `spark.sql.parser.escapedStringLiterals` is false, its default."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
