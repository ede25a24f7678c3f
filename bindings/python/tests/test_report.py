"""Counts and plots of a scan."""

import pytest

import enginewire
from models import model, value

pa = pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

from enginewire.report import report, summary  # noqa: E402


def files():
    attributes = {"a": value(3, b"\1"), "b": value(6, 1.0), "c": value(6, 2.0)}
    good = model([("Part", "A", attributes, ["x", "y"]), ("Folder", "B", {"a": value(3, b"\0")}, [])])
    return [("a", good), ("b", good), ("c", b"none"), ("d", OSError("gone")), ("e", model([("Part", "A", {"a": b"\x1d"}, [])]))], good


def test_what_is_counted():
    items, good = files()
    found = summary(enginewire.scan_items(items))
    assert found.types == {"Bool": 4, "Double": 4}
    assert found.classes == {"Part": 6, "Folder": 2}
    assert found.errors == {"not-a-model": 1, "not-read": 1, "unknown-id": 1}
    assert (found.files, found.attributes, found.tags) == (5, 8, 4)
    assert found.bytes == 2 * len(good) + 4 + len(items[4][1])
    assert found.sizes.total() == 4 and found.sizes[3] == 1
    # a table of it gives the same
    table = pa.table(enginewire.scan_items(items))
    assert summary(table) == found
    # and so do the types of text that data frames have
    views = [pa.string_view() if kind == pa.string() else kind for kind in table.schema.types]
    assert summary(table.cast(pa.schema(zip(table.schema.names, views, strict=True)))) == found
    with pytest.raises(ValueError, match="the rows have no column file_size, class"):
        summary(enginewire.scan_items(items, columns=["file"]))


def test_a_figure_is_drawn(tmp_path):
    items, _ = files()
    figure = report(enginewire.scan_items(items))
    assert figure.get_suptitle().startswith("5 files of 1 KiB: 8 attributes, 4 tags, 3 errors")
    titles = {axes.get_title(): axes for axes in figure.axes}
    widths = [bar.get_width() for bar in titles["Attributes by class"].patches]
    assert widths == [6, 2]
    figure.savefig(tmp_path / "report.svg")
    assert (tmp_path / "report.svg").read_text().count("<!-- unknown-id -->") == 1
    assert report(enginewire.scan_items([])).get_suptitle().startswith("0 files")
