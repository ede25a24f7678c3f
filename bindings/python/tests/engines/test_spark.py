"""Spark reads the same rows as one process, also when an executor is killed."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("pyspark")

import enginewire
import enginewire.spark
import pyarrow as pa
import pyarrow.parquet as pq
from files import PARTITION_BYTES, row_hash, run_blocks
from pyspark.sql import SparkSession


# the workers are of the same Python as this process
os.environ["PYSPARK_PYTHON"] = sys.executable


def session(master, **settings):
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1")
    # snappy of Java takes the library for musl wherever Debian's package musl is installed, and cannot load it
    builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
    # columnar batches of a large place take more than the default of the JVM
    builder = builder.config("spark.driver.memory", "2g")
    for name, setting in settings.items():
        builder = builder.config(name.replace("_", "."), setting)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    enginewire.spark.register(found)
    return found


@pytest.fixture(scope="module")
def spark():
    found = session("local[2]")
    yield found
    found.stop()


def written(frame, path):
    """The hash of the rows that Spark writes."""
    frame.write.mode("overwrite").parquet(str(path))
    return row_hash(pq.ParquetFile(file).read() for file in sorted(path.glob("*.parquet")))


def test_the_schema_is_that_of_the_scan(spark):
    schema = enginewire.spark.schema()
    assert schema.names == list(enginewire.COLUMNS)
    kinds = {field.name: field.dataType.simpleString() for field in schema}
    assert (kinds["file"], kinds["file_size"], kinds["value_numbers"]) == ("string", "bigint", "array<double>")


def test_the_rows_are_those_of_one_process(spark, folder, expected, tmp_path):
    frame = spark.read.format("enginewire").option("partitionBytes", PARTITION_BYTES).load(str(folder))
    assert frame.rdd.getNumPartitions() > 2
    assert written(frame, tmp_path / "rows") == expected
    errors = frame.where("error_code = 'not-read'").select("file").collect()
    assert [row.file for row in errors] == [str(folder / "unreadable.rbxl")]


def test_columns_and_patterns(spark, folder):
    reader = spark.read.format("enginewire").option("columns", "key, value_number")
    frame = reader.load(f"file://{folder}/0*/*.rbxmx")
    assert frame.columns == ["key", "value_number"]
    scan = enginewire.scan(f"{folder}/0*/*.rbxmx", columns=["key", "value_number"])
    assert row_hash([frame.toArrow()]) == row_hash([pa.table(scan)])
    chosen = spark.read.format("enginewire").schema("file string, key string").load(str(folder / "01"))
    assert chosen.count() == pa.table(enginewire.scan(folder / "01")).num_rows
    two = spark.read.format("enginewire").load([str(folder / "01"), str(folder / "02")])
    assert two.count() == pa.table(enginewire.scan([folder / "01", folder / "02"])).num_rows
    with pytest.raises(Exception, match="unknown columns keys"):
        spark.read.format("enginewire").schema("keys string").load(str(folder)).count()
    with pytest.raises(Exception, match="expected true or false"):
        spark.read.format("enginewire").option("hidden", "yes").load(str(folder)).count()


def test_names_that_look_like_patterns_are_read_and_an_outage_fails(spark, store):
    frame = spark.read.format("enginewire").option("columns", "file, error_code").load(store.urls())
    found = frame.collect()
    assert {row.file for row in found} == set(store.urls())
    assert sorted(str(row.error_code) for row in found) == ["None"] * 6 + ["truncated"] * 2
    assert frame.count() == 8
    store.failing.add("a1.rbxmx")
    with pytest.raises(Exception, match="cannot read 1 of 5 files: http://127.0.0.1:[0-9]+/a1.rbxmx"):
        frame.collect()


def test_a_store_that_dies_half_way_fails_the_job(spark, store):
    reader = spark.read.format("enginewire").option("columns", "file, error_code").option("partitionBytes", 1)
    # five answers are for the list of files
    for answers, message in [(0, "Server disconnected"), (7, "cannot read 1 of 1 files: http://127.0.0.1")]:
        store.answers = answers
        with pytest.raises(Exception, match=message):
            reader.load(store.urls()).collect()
    store.answers = 0
    found = reader.option("failOnError", "false").load(store.urls()).collect()
    assert [row.error_code for row in found] == ["not-read"] * 5
    rows = enginewire.spark.map_in_arrow(["file", "error_code"], fail_on_error=False)
    paths = spark.createDataFrame([(path,) for path in [*store.urls(), None]], "path string")
    found = paths.mapInArrow(rows, enginewire.spark.schema(["file", "error_code"])).collect()
    assert [row.error_code for row in found] == ["not-read"] * 6
    with pytest.raises(Exception, match="no file matches the pattern"):
        spark.read.format("enginewire").load("memory://nothing/*.rbxm").count()


def test_a_null_path_is_a_row_with_an_error(spark, folder):
    names = [*sorted(map(str, (folder / "01").iterdir())), None]
    paths = spark.createDataFrame([(path,) for path in names], "path string").coalesce(1)
    found = paths.mapInArrow(enginewire.spark.map_in_arrow(), enginewire.spark.schema()).collect()
    assert (found[-1].file, found[-1].error) == ("", "cannot read : the path is null")
    assert len(found) == pa.table(enginewire.scan(folder / "01")).num_rows + 1


def test_filters_are_pushed_down(spark, folder):
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    frame = spark.read.format("enginewire").option("pushFilters", "true").load(str(folder / "01"))
    table = pa.table(enginewire.scan(folder / "01"))
    for condition, wanted in [
        ("key = 'Number'", lambda row: row["key"] == "Number"),
        ("key in ('At', 'Text') and class = 'Part'", lambda row: row["key"] in ("At", "Text") and row["class"] == "Part"),
        ("error_code is not null", lambda row: row["error_code"] is not None),
        ("key = 'Number' and value_number > 0.5", lambda row: row["key"] == "Number" and row["value_number"] > 0.5),
    ]:
        assert frame.where(condition).count() == sum(map(wanted, table.to_pylist())) > 0
    source = enginewire.spark.EnginewireDataSource({"path": str(folder / "01"), "pushFilters": "true"})
    reader = source.reader(source.schema())
    from pyspark.sql.datasource import EqualTo, In

    asked = [EqualTo(("key",), "Number"), In(("class",), ("Part", "Model")), EqualTo(("value_number",), 1.0)]
    assert list(reader.pushFilters(asked)) == asked
    assert reader.reading.filter == {"key": ("Number",), "class": ("Part", "Model")}


def test_the_blocks_of_the_page_run(tmp_path):
    assert run_blocks("spark", tmp_path) == 3
    for name in ["attributes", "hadoop-attributes"]:
        assert pq.read_table(tmp_path / name).num_rows > 20
    files = pq.read_table(tmp_path / "inventory-attributes")["file"].to_pylist()
    assert set(files) == {f"fixtures/roblox-model/{name}.rbxm" for name in ["made", "tags", "attributes"]}
    assert files.count("fixtures/roblox-model/made.rbxm") == 5


def test_a_partition_that_is_read_again_has_the_same_rows(folder):
    source = enginewire.spark.EnginewireDataSource({"path": str(folder), "partitionBytes": "300000"})
    reader = source.reader(source.schema())
    parts, again = reader.partitions(), reader.partitions()
    assert [part.files for part in parts] == [part.files for part in again]
    assert [file.name for file in parts[0].files] == [str(folder / "00" / "large.rbxlx")]
    for part in parts[:3]:
        assert row_hash(reader.read(part)) == row_hash(reader.read(part))


def test_map_in_arrow_reads_by_hadoop_and_by_path(spark, folder, tmp_path):
    rows, schema = enginewire.spark.map_in_arrow(), enginewire.spark.schema()
    small = folder / "01"
    names = pa.table(enginewire.scan(small))["file"].to_pylist()
    by_name = enginewire.scan_items((f"file:{path}", path) for path in sorted(small.iterdir()))
    expected = row_hash(pa.RecordBatchReader.from_stream(by_name))
    hadoop = spark.read.format("binaryFile").load(str(small))
    assert written(hadoop.mapInArrow(rows, schema), tmp_path / "hadoop") == expected
    listed = enginewire.spark.partitions(hadoop.select("path", "length"), PARTITION_BYTES // 10)
    assert listed.rdd.getNumPartitions() > 1
    assert written(listed.mapInArrow(rows, schema), tmp_path / "paths") == expected
    assert expected.count == len(names)
    bare = spark.createDataFrame([(str(small / "gone.rbxm"),)], "path string")
    [row] = bare.mapInArrow(rows, schema).collect()
    assert (row.file, row.error_code) == (str(small / "gone.rbxm"), "not-read")


def processes(word):
    """The processes that this one started, directly or not, with a word in their command."""
    listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines()]
    ours, grown = {os.getpid()}, True
    while grown:
        more = {int(pid) for pid, parent, *_ in found if int(parent) in ours} - ours
        ours |= more
        grown = bool(more)
    return [int(pid) for pid, _, *command in found if int(pid) in ours and word in " ".join(command)]


def killed_half_way(spark, frame, path, word):
    """Writes the rows, and kills a process when half of the tasks are done."""
    parts, killed = frame.rdd.getNumPartitions(), []
    tracker, done = spark.sparkContext.statusTracker(), threading.Event()

    def kill():
        while not done.is_set() and not killed:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage and stage.numTasks == parts and stage.numCompletedTasks * 2 >= parts for stage in stages):
                # the last may be a process that only starts others
                for pid in processes(word)[-1:]:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        found = written(frame, path)
    finally:
        done.set()
        thread.join()
    assert killed, "no process was killed"
    return found


def test_a_worker_that_is_killed_half_way_is_replaced(folder, expected, tmp_path):
    SparkSession.getActiveSession() and SparkSession.getActiveSession().stop()
    spark = session("local[2,4]")
    frame = spark.read.format("enginewire").option("partitionBytes", PARTITION_BYTES).load(str(folder))
    assert killed_half_way(spark, frame, tmp_path / "rows", "pyspark.daemon") == expected
    spark.stop()


def test_an_executor_that_is_killed_half_way_is_replaced(folder, expected, tmp_path):
    SparkSession.getActiveSession() and SparkSession.getActiveSession().stop()
    spark = session("local-cluster[2,1,1024]", spark_speculation="true", spark_executorEnv_PYTHONPATH=":".join(sys.path))
    frame = spark.read.format("enginewire").option("partitionBytes", PARTITION_BYTES).load(str(folder))
    assert killed_half_way(spark, frame, tmp_path / "rows", "CoarseGrainedExecutorBackend") == expected
    spark.stop()
