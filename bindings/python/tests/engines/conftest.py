import pathlib
import sys

import pytest

pytest.importorskip("pyarrow")
sys.path.insert(0, str(pathlib.Path(__file__).parent))


def pytest_collection_modifyitems(items):
    for item in items:
        if pathlib.Path(__file__).parent in item.path.parents:
            # Spark and Ray warn of what they use themselves
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    import enginewire
    import pyarrow
    from files import LARGE, make

    folder = make(tmp_path_factory.mktemp("files"))
    large = pyarrow.table(enginewire.scan(folder / "00" / "large.rbxlx", columns=["file_size", "error"]))
    assert large.num_rows > 1 and large["error"].null_count == large.num_rows
    assert large["file_size"][0].as_py() > LARGE * 0.9
    return folder


@pytest.fixture(scope="session")
def expected(folder):
    """The rows of one process."""
    import enginewire
    import pyarrow
    from files import row_hash

    return row_hash(pyarrow.RecordBatchReader.from_stream(enginewire.scan(folder)))
