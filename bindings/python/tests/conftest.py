"""Fixtures and parameters of several tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from blobs import BLOBS, CORPUS

#: What tests run as programs of their own.
collect_ignore = ["callbacks.py", "memory.py", "owners.py", "stacks.py"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "blob" in metafunc.fixturenames:
        metafunc.parametrize("blob", BLOBS, ids=str)


@pytest.fixture
def corpus() -> Path:
    """The folder of the corpus."""
    if CORPUS is None:
        pytest.skip("ENGINEWIRE_CORPUS is not set")
    return CORPUS
