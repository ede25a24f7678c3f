"""Names for the examples in the documentation, which run in an empty folder."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

# the examples in the modules for engines are collected only where the engines are
ENGINES = {"spark": "pyspark", "ray": "ray", "report": "matplotlib"}
collect_ignore_glob = [f"*/enginewire/{name}.py" for name, needed in ENGINES.items() if find_spec(needed) is None]


@pytest.fixture(autouse=True)
def _examples(doctest_namespace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[2] / "fixtures"
    fixture: Callable[[str], Path] = folder.joinpath
    doctest_namespace["fixture"] = fixture
    monkeypatch.chdir(tmp_path)
