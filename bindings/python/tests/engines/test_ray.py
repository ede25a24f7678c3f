"""Ray reads the same rows as one process, also when a worker is killed."""

import os
import signal

import pytest

ray = pytest.importorskip("ray")

import enginewire
import pyarrow as pa
import pyarrow.parquet as pq
from enginewire.ray import EnginewireDatasource
from files import PARTITION_BYTES, row_hash, run_blocks
from ray.data import ReadTask


@pytest.fixture(scope="module", autouse=True)
def cluster():
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), os.path.dirname(__file__)])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield
    ray.shutdown()


def rows(dataset):
    return row_hash(dataset.iter_batches(batch_size=None, batch_format="pyarrow"))


def test_the_rows_are_those_of_one_process(folder, expected):
    assert rows(ray.data.read_datasource(EnginewireDatasource(folder, partition_bytes=PARTITION_BYTES), override_num_blocks=40)) == expected


def test_columns_are_those_that_are_asked_for(folder):
    source = EnginewireDatasource([folder / "01", f"{folder}/02/*.rbx*"], columns=["file", "key", "error_code"])
    dataset = ray.data.read_datasource(source)
    scan = enginewire.scan([folder / "01", folder / "02"], columns=["file", "key", "error_code"])
    assert rows(dataset) == row_hash([pa.table(scan)])
    assert rows(dataset.select_columns(["key"])) == row_hash([pa.table(scan).select(["key"])])
    with pytest.raises(ValueError, match="unknown column"):
        EnginewireDatasource(folder, columns=["keys"])


def test_rows_are_counted(folder, expected, store):
    assert ray.data.read_datasource(EnginewireDatasource(folder)).count() == expected.count
    small = EnginewireDatasource(folder / "01")
    count = pa.table(enginewire.scan(folder / "01")).num_rows
    assert ray.data.read_datasource(small).select_columns(["key"]).count() == count
    assert ray.data.read_datasource(EnginewireDatasource(folder / "01", columns=[])).count() == count
    assert ray.data.read_datasource(EnginewireDatasource(store.urls())).count() == 8


def test_names_that_look_like_patterns_are_read_and_an_outage_fails(store):
    source = EnginewireDatasource(store.urls(), columns=["file", "error_code"])
    found = ray.data.read_datasource(source).take_all()
    assert {row["file"] for row in found} == set(store.urls())
    assert sorted(str(row["error_code"]) for row in found) == ["None"] * 6 + ["truncated"] * 2
    store.failing.add("a1.rbxmx")
    with pytest.raises(Exception, match="cannot read 1 of [15] files: http://127.0.0.1:[0-9]+/a1.rbxmx"):
        ray.data.read_datasource(source).take_all()


def test_the_blocks_of_the_page_run_and_a_task_is_tried_again(tmp_path, store):
    source = EnginewireDatasource(store.urls(), partition_bytes=1 << 20)
    store.outages = 3
    again = {"max_retries": 9, "retry_exceptions": True}
    assert ray.data.read_datasource(source, ray_remote_args=again).count() == 8
    assert store.outages == 0
    assert run_blocks("ray.data", tmp_path) == 1
    assert pq.read_table(tmp_path / "ray-attributes").num_rows > 20


def test_a_store_that_dies_half_way_fails_the_job(store):
    source = EnginewireDatasource(store.urls(), partition_bytes=1)
    for answers in [0, 3]:
        store.answers = answers
        with pytest.raises(Exception, match="cannot read 1 of 1 files: http://127.0.0.1"):
            ray.data.read_datasource(source).count()
    store.answers = 0
    source = EnginewireDatasource(store.urls(), ["error_code"], partition_bytes=1, fail_on_error=False)
    assert [row["error_code"] for row in ray.data.read_datasource(source).take_all()] == ["not-read"] * 5
    with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
        EnginewireDatasource("memory://nothing/*.rbxm")


def test_the_large_place_is_a_task_by_itself_and_comes_first(folder):
    tasks = EnginewireDatasource(folder, partition_bytes=300_000).get_read_tasks(2)
    assert tasks[0].metadata.input_files == (str(folder / "00" / "large.rbxlx"),)
    assert len(tasks) > 2
    assert row_hash(tasks[1]()) == row_hash(tasks[1]())


def test_a_worker_that_is_killed_half_way_is_replaced(folder, expected, tmp_path):
    """One task kills its own process the first time that it runs, after its first rows."""
    mark = tmp_path / "killed"

    class Killed(EnginewireDatasource):
        def get_read_tasks(self, *arguments, **named):
            tasks = super().get_read_tasks(*arguments, **named)
            half = len(tasks) // 2
            task = tasks[half]

            def killed():
                for number, table in enumerate(task()):
                    yield table
                    if number == 0 and not mark.exists():
                        mark.touch()
                        os.kill(os.getpid(), signal.SIGKILL)

            tasks[half] = ReadTask(killed, task.metadata, schema=task.schema)
            return tasks

    assert rows(ray.data.read_datasource(Killed(folder, partition_bytes=PARTITION_BYTES), override_num_blocks=40)) == expected
    assert mark.exists()
