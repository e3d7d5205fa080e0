#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An app under test in Python: what the wire asks of an app, and nothing else.

The host is at the Unix socket that LIFETRACE_HOST names; each message is a JSON
object on a line. Sources/Scenario/PROTOCOL.md has the tables. This app keeps a note
in memory, saves it under a background task when it leaves the screen, and says
so; it has no events of its own in the trace.
"""

import json
import os
import socket
import sys


class Host:
    """The other end of the wire."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def send(self, op, **members):
        line = json.dumps({"op": op, **members}) + "\n"
        self.socket.sendall(line.encode("utf-8"))

    def receive(self):
        line = self.lines.readline()
        return json.loads(line) if line else None


class Application:
    """What UIKit is to an app, in the small."""

    def __init__(self, host, delegate):
        self.host = host
        self.delegate = delegate
        self.tasks = 0

    def begin_background_task(self, name):
        self.tasks += 1
        self.host.send("task-began", id=self.tasks, name=name)
        return self.tasks

    def end_background_task(self, task):
        self.host.send("task-ended", id=task)

    def complete(self, wake, result):
        self.host.send("completed", wake=wake, result=result)

    def say(self, text):
        self.host.send("said", text=text)

    def run(self, name):
        self.host.send("hello", v=1, app=name, pid=os.getpid(), config={})
        welcome = self.host.receive()
        if not welcome or welcome.get("op") != "welcome":
            return
        while True:
            message = self.host.receive()
            if message is None:
                return
            if message.get("op") != "event":
                continue
            answer = self.deliver(message)
            if message["n"]:
                self.host.send("done", n=message["n"], accepted=answer is not False)

    def deliver(self, event):
        method = getattr(self.delegate, event["event"].replace("-", "_"), None)
        return method(self, event) if method else None


class Notes:
    """A delegate: a method for each event that it cares for."""

    def __init__(self):
        self.text = ""

    def launch(self, app, event):
        app.say("launched for " + event["reason"])

    def tell(self, app, event):
        self.text = event["value"]

    def enter_background(self, app, event):
        task = app.begin_background_task("save")
        app.say("saved " + self.text)
        app.end_background_task(task)

    def wake(self, app, event):
        app.complete(event["id"], "noData")

    def notification(self, app, event):
        app.say(event["type"] + " " + event["value"])

    def open_url(self, app, event):
        return event["url"].startswith("notes:")


if __name__ == "__main__":
    path = os.environ.get("LIFETRACE_HOST")
    if not path:
        sys.exit("client.py takes part in a scenario: lifetrace record --scenario FILE -- client.py")
    Application(Host(path), Notes()).run("notes")
