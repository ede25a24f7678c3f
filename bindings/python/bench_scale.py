#!/usr/bin/env python3
"""Measures how long one process, Spark and Ray take for the same files on this machine, for docs/scale.md.

    target/engines/bin/python bench_scale.py --files 4000

Makes that many files of about 100 KB each, and reads them into Parquet: once with each engine, each in a process of its own.
Prints the seconds of start-up, of reading a tenth of the files, and of reading all; the processor time of all processes; the rows
and the size of the Parquet files; and the time and memory for the list of files. `gate-engines` makes the environment."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "tests"))

CORES = len(os.sched_getaffinity(0))
PARTITION_BYTES = 16 << 20


def make(folder, count):
    """Models in XML with 40 instances. 10 of these have 5 attributes each; the rest is text, like scripts."""
    from models import model, value

    chance = random.Random(11)
    for number in range(count):
        instances = []
        for index in range(40):
            values = {
                "Number": value(6, chance.random()),
                "Text": value(2, chance.randbytes(8).hex().encode()),
                "At": value(0x11, *(float(chance.randrange(100)) for _ in range(3))),
                "On": value(3, b"\1"),
                "Color": value(0x0F, 1.0, 0.5, 0.0),
            }
            instances.append(("Part", f"Part{index}", values if index < 10 else {}, []))
        data = model(instances)
        script = b'<Item class="Script" referent="S"><Properties><string name="Source">%b</string></Properties></Item></roblox>'
        text = script % (b"local x = workspace:GetAttribute(name)\n" * (chance.randrange(60_000, 140_000) // 39))
        path = folder / f"{number % 10}" / f"{number:06}.rbxmx"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data.removesuffix(b"</roblox>") + text)


def processor_time():
    """The processor time of this process and of all that it started, in seconds."""
    stats = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        stats[int(entry.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    ours, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, (parent, _) in stats.items() if parent in ours} - ours
        ours |= more
        grown = bool(more)
    return sum(stats[pid][1] for pid in ours) / os.sysconf("SC_CLK_TCK")


class OneProcess:
    def __init__(self):
        import enginewire
        import pyarrow
        import pyarrow.parquet

        self.scan, self.pa, self.pq = enginewire.scan, pyarrow, pyarrow.parquet

    def read(self, folder, out):
        out.mkdir()
        reader = self.pa.RecordBatchReader.from_stream(self.scan(folder))
        with self.pq.ParquetWriter(out / "all.parquet", reader.schema) as file:
            for batch in reader:
                file.write_batch(batch)


class Spark:
    def __init__(self):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        from pyspark.sql import SparkSession

        import enginewire.spark

        builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
        self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        enginewire.spark.register(self.spark)
        # the first query starts what all others use
        self.spark.range(1).mapInArrow(lambda batches: batches, "id long").count()

    def read(self, folder, out):
        frame = self.spark.read.format("enginewire").option("partitionBytes", PARTITION_BYTES).load(str(folder))
        frame.write.parquet(str(out))


class Ray:
    def __init__(self):
        import ray.data

        from enginewire.ray import EnginewireDatasource

        self.ray, self.source = ray, EnginewireDatasource
        ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
        ray.data.range(1).count()

    def read(self, folder, out):
        self.ray.data.read_datasource(self.source(folder, partition_bytes=PARTITION_BYTES)).write_parquet(str(out))


ENGINES = {"one process": OneProcess, "Spark": Spark, "Ray": Ray}


def measure(name, folder):
    """Measures one engine, in this process."""
    import pyarrow.parquet as pq

    def timed(run):
        clock, processor = time.monotonic(), processor_time()
        found = run()
        return found, time.monotonic() - clock, processor_time() - processor

    engine, start, _ = timed(ENGINES[name])
    with tempfile.TemporaryDirectory() as out:
        _, tenth, _ = timed(lambda: engine.read(folder / "0", pathlib.Path(out, "tenth")))
        _, seconds, processor = timed(lambda: engine.read(folder, pathlib.Path(out, "all")))
        files = sorted(pathlib.Path(out, "all").glob("*.parquet"))
        rows = sum(pq.read_metadata(file).num_rows for file in files)
        written = sum(file.stat().st_size for file in files)
    return {"start": start, "tenth": tenth, "all": seconds, "processor": processor, "rows": rows, "written": written}


def listed(folder):
    """The seconds and the bytes of memory that the list of files takes on the driver, for each file."""
    from enginewire._files import Reading, pack

    reading = Reading()
    clock = time.monotonic()
    pack(reading.find([folder]), PARTITION_BYTES)
    seconds = time.monotonic() - clock
    tracemalloc.start()
    files = reading.find([folder])
    parts = pack(files, PARTITION_BYTES)
    memory, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\nThe list of files: {seconds / len(files) * 1e6:.0f} µs and {memory / len(files):,.0f} bytes each, {len(parts)} parts")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, default=4000)
    arguments.add_argument("--engine", help=argparse.SUPPRESS)
    arguments.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.engine:
        print(json.dumps(measure(given.engine, given.folder)))
        return
    with tempfile.TemporaryDirectory() as folder:
        make(pathlib.Path(folder), given.files)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).glob("*/*"))
        print(f"{given.files:,} files, {size / 1e6:,.0f} MB, {CORES} cores, load before: {os.getloadavg()[0]:.1f}\n")
        print("| engine | start-up | a tenth | all | files/s | processor time per file | rows | Parquet |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for name in ENGINES:
            command = [sys.executable, __file__, "--engine", name, "--folder", folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            times = " | ".join(f"{found[part]:.1f} s" for part in ["start", "tenth", "all"])
            each = found["processor"] / given.files * 1e3
            rest = f"{given.files / found['all']:,.0f} | {each:.2f} ms | {found['rows']:,} | {found['written'] / 1e6:.1f} MB"
            print(f"| {name} | {times} | {rest} |", flush=True)
        listed(pathlib.Path(folder))


if __name__ == "__main__":
    main()
