"""The attributes of model and place files as a lazy frame of polars. It needs polars and pyarrow.

    import polars
    from enginewire.polars import scan

    scan("places").filter(polars.col("key") == "Fuel").select("file", "value_number").collect()
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import polars
import pyarrow
from polars.io.plugins import register_io_source

from . import _scan

__all__ = ["scan"]


def scan(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any) -> polars.LazyFrame:
    """The rows of `enginewire.scan`, which takes the same options. Only the columns that a query needs are made, and it ends once it
    has enough rows."""
    paths = paths if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)

    def frames(
        columns: list[str] | None, predicate: polars.Expr | None, rows: int | None, _size: int | None
    ) -> Iterator[polars.DataFrame]:
        for batch in pyarrow.RecordBatchReader.from_stream(_scan.scan(paths, columns, **options)):
            frame = polars.DataFrame(batch) if rows is None else polars.DataFrame(batch).head(rows)
            # the rows are counted before they are filtered
            yield frame if predicate is None else frame.filter(predicate)
            if rows is not None:
                rows -= frame.height
                if rows <= 0:
                    return

    return register_io_source(frames, schema=polars.DataFrame(_scan.scan([])).schema)
