"""The attributes of model and place files in Spark 4.

    import enginewire.spark

    enginewire.spark.register(spark)
    spark.read.format("enginewire").load("s3://bucket/places/*.rbxl").write.parquet("s3://bucket/attributes")

The driver lists the files, and each task reads a part of them through fsspec. `partitions` and `map_in_arrow` are for files that are
too many for the driver to list, or that are read through Hadoop."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from ._files import OPEN_COST, PARTITION_BYTES, File, Reading, pack
from ._scan import COLUMNS, MAX_MEMORY, Source, scan_items

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import Filter

__all__ = ["EnginewireDataSource", "map_in_arrow", "partitions", "register", "schema"]


def schema(columns: Sequence[str] | None = None) -> StructType:
    """The schema of these columns, or of all, as `enginewire.COLUMNS` describes them."""
    import pyarrow
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pyarrow.schema(scan_items([], columns)))


def register(spark: SparkSession) -> None:
    """Makes `spark.read.format("enginewire")` known."""
    spark.dataSource.register(EnginewireDataSource)


def map_in_arrow(
    columns: Sequence[str] | None = None,
    *,
    max_memory: int = MAX_MEMORY,
    storage_options: Mapping[str, Any] | None = None,
    fail_on_error: bool = True,
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """A function for `DataFrame.mapInArrow`, with `schema(columns)`. The data frame has a column `path`, and may have `length` and
    `content`, as `spark.read.format("binaryFile")` does. A file without content is read by its path through fsspec.

        files = spark.read.format("binaryFile").load("hdfs:///places")        # read by Hadoop
        files.mapInArrow(enginewire.spark.map_in_arrow(), enginewire.spark.schema())
    """
    names = None if columns is None else tuple(columns)
    reading = Reading(names, max_memory, dict(storage_options or {}), fail_on_error=fail_on_error)

    def rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return reading.batches(_items(batches, reading))

    return rows


def partitions(files: DataFrame, partition_bytes: int = PARTITION_BYTES) -> DataFrame:
    """A data frame of `path` and `length` in partitions of about `partition_bytes`, before `mapInArrow`. Of the files, only these
    two columns are shuffled. A file that is larger is alone, unless another falls to it by chance."""
    from pyspark.sql import functions as f

    cost = f.col("length") + OPEN_COST
    total, count = files.agg(f.sum(cost), f.count("*")).first()
    number = max(1, min(count, -(-(total or 0) // partition_bytes)))
    # by a hash of the path, so that a task that runs again has the same files
    return files.repartition(number, "path")


def _items(batches: Iterable[pyarrow.RecordBatch], reading: Reading) -> Iterator[tuple[str, Source]]:
    for batch in batches:
        names = batch.schema.names
        paths = batch.column("path").to_pylist()
        lengths = batch.column("length").to_pylist() if "length" in names else [0] * len(paths)
        contents = batch.column("content") if "content" in names else [None] * len(paths)
        waiting: list[File] = []
        for path, length, content in zip(paths, lengths, contents, strict=True):
            if path is not None and (content is None or not content.is_valid):
                waiting.append(File(path, length or 0))
                continue
            yield from reading.items(waiting)
            waiting = []
            if path is None:
                yield "", ValueError("the path is null")
            else:
                yield path, memoryview(content.as_buffer())
        yield from reading.items(waiting)


class EnginewireDataSource(DataSource):
    """The data source `enginewire`. Options: `columns`, names with commas between; `partitionBytes`; `maxMemory`; `storageOptions`, a
    JSON object for fsspec; `hidden` and `noIgnore`, true or false; `failOnError`, on by default: if off, each file that cannot be
    read is a row with an error; `pushFilters`, which needs `spark.sql.python.filterPushdown.enabled`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self.options = options

    @classmethod
    def name(cls) -> str:
        return "enginewire"

    def schema(self) -> StructType:
        columns = self.options.get("columns")
        return schema([name.strip() for name in columns.split(",")] if columns else None)

    def reader(self, schema: StructType) -> DataSourceReader:
        unknown = [name for name in schema.names if name not in COLUMNS]
        if unknown:
            raise ValueError(f"unknown columns {', '.join(unknown)}; expected some of {', '.join(COLUMNS)}")
        paths = json.loads(self.options.get("paths", "[]"))
        paths += [self.options["path"]] if "path" in self.options else []
        if not paths:
            raise ValueError('no files to read: name them, as in load("places/*.rbxl")')
        reading = Reading(
            tuple(schema.names),
            int(self.options.get("maxMemory", MAX_MEMORY)),
            json.loads(self.options.get("storageOptions", "{}")),
            _flag(self.options, "hidden"),
            _flag(self.options, "noIgnore"),
            _flag(self.options, "failOnError", "true"),
        )
        # Spark refuses a reader that takes filters where they are not enabled
        kind = _Filtering if _flag(self.options, "pushFilters") else _Reader
        return kind(paths, reading, int(self.options.get("partitionBytes", PARTITION_BYTES)))


def _flag(options: Mapping[str, str], name: str, default: str = "false") -> bool:
    value = options.get(name, default).lower()
    if value not in ("true", "false"):
        raise ValueError(f"the option {name} is {value}; expected true or false")
    return value == "true"


class _Partition(InputPartition):
    def __init__(self, files: tuple[File, ...]) -> None:
        self.files = files


class _Reader(DataSourceReader):
    def __init__(self, paths: list[str], reading: Reading, partition_bytes: int) -> None:
        self.paths, self.reading, self.partition_bytes = paths, reading, partition_bytes

    def partitions(self) -> Sequence[InputPartition]:
        # without any partition, Spark would read one whose value is missing
        parts = pack(self.reading.find(self.paths), self.partition_bytes) or [()]
        return [_Partition(files) for files in parts]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        assert isinstance(partition, _Partition)
        return self.reading.batches(self.reading.items(partition.files))


class _Filtering(_Reader):
    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        from pyspark.sql.datasource import EqualTo, In  # since 4.1

        chosen: dict[str, tuple[str, ...]] = {}
        for filter in filters:
            if isinstance(filter, (EqualTo, In)) and len(filter.attribute) == 1:
                values = filter.value if isinstance(filter, In) else (filter.value,)
                if filter.attribute[0] not in chosen and all(isinstance(value, str) for value in values):
                    chosen[filter.attribute[0]] = tuple(values)
        self.reading = replace(self.reading, filter=chosen)
        # Spark applies all of them again, since errors are never left out
        return filters
