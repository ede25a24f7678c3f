"""Plots of a scan: what there is in many files, and what is wrong with them. They need matplotlib and pyarrow.

    from enginewire.report import report

    report(enginewire.scan("places")).savefig("places.svg")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._scan import scan_items

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Summary", "report", "summary"]

#: The columns that are needed.
COLUMNS = ("file", "file_size", "class", "type", "key", "value_tags", "error_code")

#: The bars of a plot, at most.
BARS = 15


@dataclass
class Summary:
    """The counts of a scan."""

    #: Attributes by type, and by the class of their instance.
    types: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    #: Errors by code.
    errors: Counter[str] = field(default_factory=Counter)
    #: Files by the power of two that is the first beyond their size: 17 is from 64 KiB to less than 128 KiB.
    sizes: Counter[int] = field(default_factory=Counter)
    files: int = 0
    attributes: int = 0
    #: The tags of all instances.
    tags: int = 0
    #: The bytes of all files.
    bytes: int = 0


def summary(rows: Any) -> Summary:
    """Counts the rows of a scan, or of a table, a record batch or a data frame with the same columns, batch by batch. The rows of a
    file follow one another, as they do in a scan."""
    import pyarrow
    import pyarrow.compute as pc

    reader = pyarrow.RecordBatchReader.from_stream(rows if hasattr(rows, "__arrow_c_stream__") else pyarrow.table(rows))
    missing = [name for name in COLUMNS if name not in reader.schema.names]
    if missing:
        raise ValueError(f"the rows have no column {', '.join(missing)}")
    found = Summary()
    last = None
    # data frames have their own types of text and lists
    schema = pyarrow.schema(scan_items([], COLUMNS))
    for batch in reader:
        batch = batch.select(COLUMNS).cast(schema)
        kinds = batch.column("type")
        for counts, column in [
            (found.types, kinds),
            (found.classes, batch.column("class").filter(pc.is_valid(kinds))),
            (found.errors, batch.column("error_code")),
        ]:
            for item in pc.value_counts(column.drop_null()).to_pylist():
                counts[item["values"]] += item["counts"]
        found.attributes += len(kinds) - kinds.null_count
        found.tags += pc.sum(pc.list_value_length(batch.column("value_tags"))).as_py() or 0
        names, sizes = batch.column("file").to_pylist(), batch.column("file_size").to_pylist()
        for name, size in zip(names, sizes, strict=True):
            if name != last:
                last = name
                found.files += 1
                if size is not None:
                    found.sizes[size.bit_length()] += 1
                    found.bytes += size
    return found


def report(rows: Any) -> Figure:
    """A figure with the attributes by type and by class, the sizes of the files, and the errors by code. `rows` is a scan, or what
    `summary` takes besides."""
    from matplotlib.figure import Figure

    found = summary(rows)
    figure = Figure(figsize=(12, 8), layout="constrained")
    figure.suptitle(
        f"{found.files:,} files of {_size(found.bytes)}: {found.attributes:,} attributes, {found.tags:,} tags, "
        f"{found.errors.total():,} errors"
    )
    (types, classes), (sizes, errors) = figure.subplots(2, 2)
    _bars(types, "Attributes by type", found.types.most_common())
    _bars(classes, "Attributes by class", found.classes.most_common())
    _bars(errors, "Errors by code", found.errors.most_common())
    powers = range(min(found.sizes, default=0), max(found.sizes, default=-1) + 1)
    sizes.bar([_size(2**power) for power in powers], [found.sizes[power] for power in powers])
    sizes.set_title("Files by size: less than …")
    sizes.set_ylabel("files")
    sizes.locator_params("y", integer=True)
    sizes.tick_params("x", rotation=60)
    return figure


def _bars(axes: Axes, title: str, counts: Sequence[tuple[str, int]]) -> None:
    shown = list(counts[:BARS])
    rest = counts[BARS:]
    if rest:
        shown.append((f"{len(rest):,} others", sum(count for _, count in rest)))
    bars = axes.barh([name if len(name) <= 30 else f"{name[:29]}…" for name, _ in shown], [count for _, count in shown])
    axes.bar_label(bars, labels=[f"{count:,}" for _, count in shown], padding=3)
    axes.margins(x=0.15)
    axes.locator_params("x", integer=True)
    axes.invert_yaxis()
    axes.set_title(title)
    if not shown:
        axes.text(0.5, 0.5, "none", ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()


def _size(count: int) -> str:
    size = float(count)
    for unit in ["bytes", "KiB", "MiB", "GiB"]:
        if size < 1024:
            return f"{size:,.0f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"
