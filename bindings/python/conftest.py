"""A folder for the examples in the documentation."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

# the examples in the modules for engines are collected only where the engines are
ENGINES = {"spark": "pyspark", "ray": "ray", "report": "matplotlib", "polars": "polars"}
collect_ignore_glob = [f"*/enginewire/{name}.py" for name, needed in ENGINES.items() if find_spec(needed) is None]
# so is the page about tables
if find_spec("polars") is None:
    collect_ignore_glob.append("*/docs/scan.md")


@pytest.fixture(autouse=True)
def _examples(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the folder of the repository, but what the examples write is not there."""
    if isinstance(request.node, pytest.DoctestItem):
        (tmp_path / "fixtures").symlink_to(Path(__file__).parents[2] / "fixtures")
    monkeypatch.chdir(tmp_path)
