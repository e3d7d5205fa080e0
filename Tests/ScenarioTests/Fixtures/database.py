#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An app in Python that keeps its notes in the database at argv[1], with the journal of argv[2].

It knows nothing of lifetrace but the wire (Sources/Scenario/PROTOCOL.md). Told words: `begin` opens a
transaction and writes in it, `commit` ends it.
"""

import json
import os
import socket
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("pragma journal_mode=" + sys.argv[2])
database.execute("create table if not exists notes(text)")
database.execute("insert into notes values('first')")

wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
wire.connect(os.environ["LIFETRACE_HOST"])
lines = wire.makefile("rw", encoding="utf-8")


def send(**message):
    lines.write(json.dumps(message) + "\n")
    lines.flush()


send(op="hello", v=1, app="database", pid=os.getpid(), config={})
for line in lines:
    message = json.loads(line)
    if message.get("op") != "event":
        continue
    if message.get("word") == "begin":
        database.execute("begin immediate")
        database.execute("insert into notes values(?)", (message["value"],))
    if message.get("word") == "commit":
        database.execute("commit")
    if message["n"] != 0:
        send(op="done", n=message["n"])
