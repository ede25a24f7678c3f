#!/usr/bin/env bash
# pyarrow 26.0.1, duckdb 2.0.1 and polars 2.1.0 (PyPI, tables), given numpy 2.4.6 arrays of ids, names, positions and numbers.
#
# Guess: an array of bytes with a length, such as ids of 16 bytes, is a column of these bytes. n points, an array of shape (n, 3), are n
# rows with three columns. NaN stays NaN, as in Arrow and SQL. What one of the three reads, the others do.
#
# Seen: pyarrow ends bytes and texts at their first zero: an id that begins with one is empty, and two ids can become equal; with
# type=pa.binary(16) they are whole. For duckdb each row of a two-dimensional array is a column: two points are three rows of two. NaN in a
# numpy array is NULL there, and is not counted; NaN in polars stays. polars reads all of these as guessed, bytes without the zeros at
# their end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check numpy==2.4.6 pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
cat >seen.py <<'PYTHON'
import duckdb
import numpy
import polars
import pyarrow

ids = [bytes.fromhex(text) for text in ("00112233445566778899aabbccddeeff", "ff001111111111111111111111111111", "ff002222222222222222222222222222")]
array = numpy.array(ids)
assert array.dtype == "S16" and array.tolist() == ids
assert pyarrow.array(array).to_pylist() == [b"", b"\xff", b"\xff"]
assert pyarrow.array(array, type=pyarrow.binary(16)).to_pylist() == ids
assert pyarrow.array(ids).to_pylist() == ids and polars.Series(array).to_list() == ids
print("pyarrow: three ids of 16 bytes are", pyarrow.array(array).to_pylist())

texts = numpy.array(["a\0b", "c"])
assert pyarrow.array(texts).to_pylist() == ["a", "c"] and polars.Series(texts).to_list() == ["a\0b", "c"]
print("pyarrow: a text with a zero ends there")

points = numpy.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
rows = duckdb.sql("FROM points").fetchall()
assert rows == [(0.0, 3.0), (1.0, 4.0), (2.0, 5.0)]
assert polars.Series(points).shape == (2,)
print("duckdb: two points are", rows)

numbers = {"x": numpy.array([1.0, numpy.nan])}
assert duckdb.sql("SELECT count(x), count(*) FROM numbers").fetchall() == [(1, 2)]
frame = polars.DataFrame(numbers)
assert duckdb.sql("SELECT count(x), count(*) FROM frame").fetchall() == [(2, 2)]
print("duckdb: NaN of numpy is NULL, that of polars is NaN")
PYTHON
venv/bin/python seen.py
