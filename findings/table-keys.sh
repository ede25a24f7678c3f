#!/usr/bin/env bash
# pyarrow 26.0.1, duckdb 2.0.1 and polars 2.1.0 (PyPI, tables), floats as keys: 0.0 and -0.0, NaN, and numbers of 32 bits.
#
# Guess: pyarrow has two groups for 0.0 and -0.0, as it has, and duckdb and polars have one. Beside that, values that == finds equal meet in
# a join and are found by is_in.
#
# Seen: that holds for duckdb. In pyarrow 0.0 == -0.0, but group_by and unique have two, is_in does not find one for the other, and a join
# has no partner for it; NaNs are one group, though not equal, and two with different signs are two for unique. In polars
# 0.1 in a column of 32 bits == 0.1, and is_in([0.1]) does not find it. For pyarrow and duckdb (as DOUBLE) these two are not equal; duckdb
# writes the number as 0.1 in a text, and as 0.10000000149011612 in JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
cat >seen.py <<'PYTHON'
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

nan = float("nan")
numbers, other = [0.0, -0.0, nan, nan], [-0.0, nan]


def show(name, found, expected):
    assert found == expected, (name, found)
    print(f"{name}: {found}")


table = pa.table({"key": numbers})
show("pyarrow, equal", pc.equal(0.0, -0.0).as_py(), True)
show("pyarrow, groups", table.group_by("key").aggregate([]).num_rows, 3)
show("pyarrow, unique with NaNs of both signs", len(pc.unique(pa.array([0.0, -0.0, nan, -nan]))), 4)
show("pyarrow, is_in", pc.is_in(pa.array([0.0, nan]), pa.array(other)).to_pylist(), [False, True])
joined = pa.table({"key": [0.0, nan]}).join(pa.table({"key": other, "found": [1, 2]}), "key")
show("pyarrow, join", sorted(joined["found"].to_pylist(), key=str), [2, None])
small = pa.array([0.1], pa.float32())
show("pyarrow, 32 bits", pc.equal(small, 0.1).to_pylist(), [False])

frame = pl.DataFrame({"key": numbers})
show("polars, groups", frame.group_by("key").len().height, 2)
show("polars, join", pl.DataFrame({"key": [0.0, nan]}).join(pl.DataFrame({"key": other}), on="key").height, 2)
small = pl.Series([0.1], dtype=pl.Float32)
show("polars, 32 bits", ((small == 0.1).to_list(), small.is_in([0.1]).to_list()), ([True], [False]))


def sql(query):
    return duckdb.sql(query).fetchall()


values = "(values (0.0::DOUBLE), ('nan'::DOUBLE))"
show("duckdb, groups", len(sql("from (values (0.0::DOUBLE), (-0.0::DOUBLE), ('nan'), ('nan')) t(key) select key group by key")), 2)
show("duckdb, join", len(sql(f"from {values} a(key) join (values (-0.0::DOUBLE), ('nan'::DOUBLE)) b(key) using (key)")), 2)
show("duckdb, 32 bits", sql("select 0.1::FLOAT = 0.1::DOUBLE, 0.1::FLOAT::VARCHAR, to_json(0.1::FLOAT)"),
     [(False, "0.1", "0.10000000149011612")])
PYTHON
venv/bin/python seen.py
