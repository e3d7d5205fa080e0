#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A correct app over SQLite: its database is in the app group, in WAL mode.

The connection stays open from the launch to the end, over every suspension, as
the usual libraries have it; transactions run under a background task. So
what it holds while it is suspended is what SQLite holds for an idle connection.
"""

import os
import sqlite3
import sys

sys.dont_write_bytecode = True
from client import Application, Host


class Ledger:
    """A delegate: a method for each event that it cares for."""

    def __init__(self, directory):
        self.database = sqlite3.connect(
            os.path.join(directory, "ledger.sqlite"), isolation_level=None
        )
        mode = self.database.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        if mode != "wal":
            sys.exit("no WAL mode here: " + mode)
        self.database.execute("CREATE TABLE IF NOT EXISTS spent (amount INTEGER)")

    def total(self):
        return self.database.execute("SELECT IFNULL(SUM(amount), 0) FROM spent").fetchone()[0]

    def launch(self, app, event):
        app.say("holds %d" % self.total())

    def tell(self, app, event):
        task = app.begin_background_task("spend")
        self.database.execute("BEGIN IMMEDIATE")
        self.database.execute("INSERT INTO spent VALUES (?)", (int(event["value"]),))
        self.database.execute("COMMIT")
        app.say("spent %d" % self.total())
        app.end_background_task(task)


if __name__ == "__main__":
    path = os.environ.get("LIFETRACE_HOST")
    if not path or len(sys.argv) != 2:
        sys.exit("ledger.py takes part in a scenario, with its directory as argument")
    Application(Host(path), Ledger(sys.argv[1])).run("ledger")
