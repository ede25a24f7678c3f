"""All blocks of Python in the pages are examples that are run: those of the engines by `gate-engines`, the others by pytest."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ["bindings/python/README.md", "bindings/python/docs/scan.md", "docs/python.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_examples_that_run_as_they_stand(page: str) -> None:
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks)
    assert "fixture(" not in text
    # the tour is run by name
    assert "../../docs/python.md" in (ROOT / "bindings/python/gate").read_text()
