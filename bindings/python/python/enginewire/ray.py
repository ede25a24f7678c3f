"""The attributes of model and place files in Ray Data.

    import ray
    from enginewire.ray import EnginewireDatasource

    ray.data.read_datasource(EnginewireDatasource("s3://bucket/places/*.rbxl")).write_parquet("s3://bucket/attributes")

The driver lists the files, and each task reads a part of them through fsspec."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow
from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata

from ._files import PARTITION_BYTES, File, Reading, pack
from ._scan import MAX_MEMORY, scan_items

if TYPE_CHECKING:
    from ray.data.context import DataContext

__all__ = ["EnginewireDatasource"]

#: What Ray names the column of a table that has no other. Without one it takes a table for empty.
_STUB = "__bsp_stub"


class EnginewireDatasource(Datasource):
    """The rows of `enginewire.scan`, for `ray.data.read_datasource`. Columns that are selected afterwards are the only ones that are
    read. If the store fails, the task fails. With `fail_on_error=False`, each file that cannot be read is a row with an error instead."""

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        columns: Sequence[str] | None = None,
        *,
        partition_bytes: int = PARTITION_BYTES,
        max_memory: int = MAX_MEMORY,
        storage_options: Mapping[str, Any] | None = None,
        hidden: bool = False,
        no_ignore: bool = False,
        fail_on_error: bool = True,
    ) -> None:
        super().__init__()
        # Ray leaves it to the sources that read selected columns only
        self._projection_map: dict[str, str] | None = None
        names = None if columns is None else tuple(columns)
        self._reading = Reading(names, max_memory, dict(storage_options or {}), hidden, no_ignore, fail_on_error)
        self.partition_bytes = partition_bytes
        self._arrow_schema = pyarrow.schema(scan_items([], columns))
        self._files = self._reading.find([paths] if isinstance(paths, (str, os.PathLike)) else paths)

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def supports_projection_pushdown(self) -> bool:
        return True

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: DataContext | None = None,
    ) -> list[ReadTask]:
        reading, schema = self._reading, self._arrow_schema
        selected = self.get_projection_map()
        if selected is not None:
            schema = pyarrow.schema([schema.field(name) for name in selected])
            reading = replace(reading, columns=tuple(selected))
        if not schema.names:
            schema = pyarrow.schema([(_STUB, pyarrow.null())])
        total = sum(file.cost for file in self._files)
        size = max(1, min(self.partition_bytes, -(-total // max(1, parallelism))))
        return [
            ReadTask(
                partial(_tables, reading, part),
                BlockMetadata(
                    num_rows=None,
                    size_bytes=None,
                    exec_stats=None,
                    task_exec_stats=None,
                    input_files=tuple(file.name for file in part),
                ),
                schema=schema,
                per_task_row_limit=per_task_row_limit,
            )
            for part in pack(self._files, size)
        ]


def _tables(reading: Reading, files: tuple[File, ...]) -> Iterable[pyarrow.Table]:
    for batch in reading.batches(reading.items(files)):
        table = pyarrow.Table.from_batches([batch])
        yield table if table.num_columns else pyarrow.table({_STUB: pyarrow.nulls(batch.num_rows)})
