import http.server
import pathlib
import sys
import threading
import urllib.parse

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


class Store:
    """A store that all processes of this machine reach: the bytes of its files, and the names of the files that fail."""

    def __init__(self):
        self.files, self.failing = {}, set()
        #: How many requests are answered before the store dies.
        self.answers = None
        #: How many requests fail first.
        self.outages = 0
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if store.answers is not None:
                    store.answers -= self.command == "GET"
                    if store.answers < 0:
                        self.connection.close()
                        return
                name = urllib.parse.unquote(self.path.lstrip("/"))
                data = store.files.get(name, b"")
                is_out = self.command == "GET" and store.outages > 0
                store.outages -= is_out
                self.send_response(503 if is_out or name in store.failing else 200 if name in store.files else 404)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(data)

            do_HEAD = do_GET

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def urls(self):
        return [f"http://127.0.0.1:{self.server.server_port}/{name}" for name in sorted(self.files)]


@pytest.fixture
def store():
    """Files with names that look like patterns, and a broken one, with 8 rows together."""
    from models import model, value

    pytest.importorskip("aiohttp")
    store = Store()
    data = model([("Part", "A", {"a": value(3, b"\1"), "b": value(6, 1.0)}, [])])
    store.files = {"a[1].rbxmx": data, "a*.rbxmx": data, "a1.rbxmx": data, "broken.rbxmx": data[:60], "other.rbxmx": data[:50]}
    yield store
    store.server.shutdown()
    store.server.server_close()


@pytest.fixture(scope="session")
def expected(folder):
    """The rows of one process."""
    import enginewire
    import pyarrow
    from files import row_hash

    return row_hash(pyarrow.RecordBatchReader.from_stream(enginewire.scan(folder)))
