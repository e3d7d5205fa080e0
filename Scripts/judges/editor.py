# SPDX-License-Identifier: Apache-2.0
"""An editor that somebody else wrote walks through a lost edit: see Scripts/editors.sh.

    editor.py LIFETRACE STORY SCHEMA SCRATCH [BIG]

Every message of the adapter is held against the published schema. With a recording BIG, steps and an
interrupted search are timed too; the figures are printed, and nothing depends on them.
"""
import json
import os
import select
import subprocess
import sys
import time

import jsonschema
import pydantic
from dap.client import Client

lifetrace, story, schema_file, scratch = sys.argv[1:5]
schema = json.load(open(schema_file))
validators = {}
messages = 0
unmodelled = set()


def validate(message):
    """Holds a message of the adapter against its definition."""
    global messages
    messages += 1
    if message["type"] == "event":
        name = message["event"]
        kind = name[0].upper() + name[1:] + "Event"
    elif message["success"]:
        command = message["command"]
        kind = command[0].upper() + command[1:] + "Response"
    else:
        kind = "ErrorResponse"
    if kind not in validators:
        assert kind in schema["definitions"], kind
        wanted = {"$ref": f"#/definitions/{kind}", "definitions": schema["definitions"]}
        validators[kind] = jsonschema.Draft4Validator(wanted)
    validators[kind].validate(message)


class Session:
    """A process of the adapter, and a client whose bytes go to it."""

    def __init__(self, arguments=()):
        self.process = subprocess.Popen(
            [lifetrace, "replay", "--dap", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )
        self.client = Client("lifetrace")
        self.buffer = b""
        self.responses, self.events = {}, []
        self.wait(1)

    def flush(self):
        data = self.client.send()
        if data:
            self.process.stdin.write(data)

    def pump(self):
        """Reads what has come; the client library reads the same bytes."""
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        assert ready, "the adapter says nothing for a minute"
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        assert data, "the adapter is gone"
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, rest = self.buffer.split(b"\r\n\r\n", 1)
            length = int(head.split(b":")[1])
            if len(rest) < length:
                break
            message = json.loads(rest[:length])
            whole, self.buffer = head + b"\r\n\r\n" + rest[:length], rest[length:]
            validate(message)
            # The library makes a model of its own of each body. The schema decides: some of the models
            # want a body where it has none, the members of the message in it, or `exceptionID`.
            try:
                list(self.client.receive(whole))
            except pydantic.ValidationError:
                unmodelled.add(message.get("event") or message["command"])
            if message["type"] == "response":
                self.responses[message["request_seq"]] = message
            else:
                self.events.append(message)

    def wait(self, seq):
        """The response to a request."""
        self.flush()
        while seq not in self.responses:
            self.pump()
        return self.responses[seq]

    def ask(self, seq):
        """The body of a response that must be a success."""
        response = self.wait(seq)
        assert response["success"], response
        return response.get("body", {})

    def event(self, name):
        """The next event of that name; those before it are forgotten."""
        self.flush()
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] == name:
                    return event.get("body", {})
            self.pump()

    def launch(self, **arguments):
        seq = self.client.send_request("launch", arguments)
        self.ask(seq)
        self.event("initialized")

    def frames(self):
        thread = self.ask(self.client.threads())["threads"][0]["id"] if self.thread is None else self.thread
        return self.ask(self.client.stack_trace(thread))["stackFrames"]

    def stopped(self):
        body = self.event("stopped")
        self.thread = body["threadId"]
        return body

    def move(self, seq):
        self.ask(seq)
        return self.stopped()

    thread = None

    def scope(self, name):
        frame = self.frames()[0]["id"]
        scopes = self.ask(self.client.scopes(frame))["scopes"]
        reference = next(scope["variablesReference"] for scope in scopes if scope["name"] == name)
        return reference, self.variables(reference)

    def variables(self, reference):
        return self.ask(self.client.variables(reference))["variables"]

    def here(self):
        """The number of the event on which it stands, by the frame of the list of events."""
        name = self.frames()[-1]["name"]
        return 0 if name.startswith("start") else int(name.split()[1].replace(",", ""))

    def evaluate(self, text, context):
        return self.ask(self.client.evaluate(text, context=context))["result"]

    def leave(self):
        self.ask(self.client.disconnect())
        assert self.process.wait(60) == 0


def expect(found, wanted, what):
    assert found == wanted, f"{what}: {found!r}, expected {wanted!r}"
    print(f"  {what}: {found}")


# Sources as the recording names them.
folder = os.path.join(scratch, "Notes")
os.makedirs(folder, exist_ok=True)
for name in ["Editor", "Store", "AppDelegate"]:
    with open(os.path.join(folder, name + ".swift"), "w") as file:
        file.writelines(f"// {name}, line {line}\n" for line in range(1, 61))
editor = os.path.join(folder, "Editor.swift")

print("A lost edit, from where it is found back to its line:")
session = Session()
session.launch(program=story, sourceDir=scratch)
ask, client = session.ask, session.client
ask(client.set_exception_breakpoints(["error"], None, None))
ask(client.configuration_done())
stopped = session.stopped()
expect(stopped["reason"], "exception", "opens because of")
information = ask(client.exception_info(session.thread))
expect(information["exceptionId"], "DS01", "the rule")
assert "draft.txt" in information["description"]
expect(session.move(client.continue_(session.thread))["reason"], "exception", "the next is an")
expect(ask(client.exception_info(session.thread))["exceptionId"], "DS02", "the rule")

ask(client.send_request("goto", {"threadId": session.thread, "targetId": 13}))
session.stopped()
expect(session.here(), 13, "jumps to event")
for _ in range(6):
    session.move(client.step_back(session.thread))
expect(session.here(), 7, "six steps back")
frame = session.frames()[0]
expect((os.path.basename(frame["source"]["path"]), frame["line"]), ("Editor.swift", 41), "the line")
hover = session.evaluate("draft.txt", "hover")
assert "unsaved 1,204 bytes" in hover, hover
print(f"  hover: {hover}")
expect(session.evaluate('data("draft.txt").unsaved', "watch"), "1,204 bytes", "watch")
expect(session.evaluate("count data", "watch"), "1", "a question")

print("The next things that happen to it, in both directions:")
reference, rows = session.scope("Data")
row = rows[0]
fields = {field["name"]: field for field in session.variables(row["variablesReference"])}
expect(fields["version"]["value"], "2", "version")
expect(fields["unsaved"]["evaluateName"], 'data("draft.txt").unsaved', "evaluateName")
found = ask(client.data_breakpoint_info("draft.txt", variables_reference=reference))
assert found["dataId"], found
ask(client.set_exception_breakpoints([], None, None))
expect(session.move(client.continue_(session.thread))["reason"], "end", "at the end")
placed = ask(client.set_data_breakpoints([{"dataId": found["dataId"]}]))["breakpoints"]
expect(placed[0]["verified"], True, "data breakpoint")
places = []
while True:
    stopped = session.move(client.reverse_continue(session.thread))
    if stopped["reason"] == "start":
        break
    expect(stopped["hitBreakpointIds"], [placed[0]["id"]], "stops for")
    places.append(session.here())
assert 7 in places, places
expect(stopped["reason"], "start", f"changes at {places}, then")
ask(client.set_data_breakpoints([]))

print("A line of the source, a condition, a message, a count:")
source = {"path": editor, "name": "Editor.swift"}
placed = ask(client.set_breakpoints(source, breakpoints=[
    {"line": 41, "condition": "bytes > 1200"}, {"line": 7}, {"line": 41, "condition": "bytes > 3s"},
]))["breakpoints"]
expect([one["verified"] for one in placed], [True, False, False], "verified")
print(f"  {placed[1]['message']}\n  {placed[2]['message'].splitlines()[0]}")
expect(session.move(client.continue_(session.thread))["reason"], "breakpoint", "stops because of")
expect(session.here(), 7, "with the condition at")
ask(client.set_breakpoints(source, breakpoints=[{"line": 41, "hitCondition": "2"}]))
session.move(client.send_request("goto", {"threadId": session.thread, "targetId": 1}))
session.move(client.continue_(session.thread))
expect(session.here(), 7, "the second hit is at")
ask(client.set_breakpoints(source, breakpoints=[{"line": 41, "logMessage": "version {version} of {object}"}]))
session.move(client.send_request("goto", {"threadId": session.thread, "targetId": 1}))
session.events.clear()
ask(client.continue_(session.thread))
said = [session.event("output")["output"] for _ in range(2)]
session.stopped()
expect(said, ["version 1 of draft.txt\n", "version 2 of draft.txt\n"], "a log point says")
ask(client.set_breakpoints(source, breakpoints=[]))
placed = ask(client.set_function_breakpoints([{"name": "purge"}, {"name": "no such thing"}]))
expect([one["verified"] for one in placed["breakpoints"]], [True, False], "functions")
stopped = session.move(client.reverse_continue(session.thread))
expect((stopped["reason"], session.here()), ("function breakpoint", 14), "purge")

print("The list of events as a document:")
document = ask(client.loaded_sources())["sources"][0]
text = ask(client.source(document["sourceReference"], document))["content"].splitlines()
count = len(text)
line = next(index for index, line in enumerate(text, 1) if "data.dirty" in line and "version 2" in line)
target = ask(client.goto_targets(document, line))["targets"][0]
session.move(client.send_request("goto", {"threadId": session.thread, "targetId": target["id"]}))
expect(session.here(), 7, f"{count} lines; clicking line {line} goes to event")
targets = ask(client.goto_targets(source, 41))["targets"]
assert targets, targets
print(f"  a line of the source leads to {[target['id'] for target in targets]}")

print("The console:")
assert "Editor.swift" in session.evaluate("dirty", "repl")
offers = ask(client.completions("goto no", 8, None))["targets"]
session.ask(client.evaluate("next purge", context="repl"))
expect(session.stopped()["reason"], "goto", "a command that moves is told as")
refused = session.wait(client.evaluate("bytes > 3s", context="watch"))
assert not refused["success"]
print(f"  {refused['message'].splitlines()[0]}")
for bad in [("variables", {"variablesReference": 99_999}), ("scopes", {"frameId": 0}), ("attach", {}),
            ("goto", {"targetId": 1 << 62, "threadId": 1}), ("source", {"sourceReference": -1})]:
    assert not session.wait(client.send_request(*bad))["success"], bad
session.leave()

print("Steps in and out of a callback:")
session = Session([story])
session.launch(sourceDir=scratch, at="11")
ask, client = session.ask, session.client
ask(client.configuration_done())
session.stopped()
expect(session.here(), 11, "opens at")
session.move(client.step_in(session.thread))
expect(session.here(), 12, "step in")
session.move(client.step_back(session.thread))
session.move(client.step_out(session.thread))
expect(session.here(), 12, "step out")
expect(session.move(client.step_back(session.thread, granularity="instruction"))["reason"], "step", "an event")
session.leave()

if len(sys.argv) > 5:
    print("A large recording:")
    session = Session()
    session.launch(program=sys.argv[5], at="50%")
    ask, client = session.ask, session.client
    ask(client.set_exception_breakpoints([], None, None))
    ask(client.configuration_done())
    session.stopped()
    for name, step in [("stepBack", client.step_back), ("stepIn", client.step_in)]:
        times = []
        for _ in range(1_000):
            start = time.perf_counter()
            session.move(step(session.thread))
            times.append(time.perf_counter() - start)
        times.sort()
        print(f"  {name}, 1,000 times: median {times[500] * 1e3:.2f} ms, p99 {times[990] * 1e3:.2f} ms")
    for interrupt in ["pause", "cancel"]:
        placed = ask(client.set_function_breakpoints([{"name": "bytes == 1 && took == 77s"}]))
        seq = client.continue_(session.thread)
        ask(seq)
        start = time.perf_counter()
        if interrupt == "pause":
            ask(client.pause(session.thread))
        else:
            ask(client.cancel(request_id=seq))
        stopped = session.stopped()
        took = time.perf_counter() - start
        print(f"  {interrupt} in a search: {stopped['reason']} after {took * 1e3:.1f} ms")
    session.leave()

print(f"{messages} messages, each as the schema has them")
print(f"Where dap-python has it otherwise than the schema: {', '.join(sorted(unmodelled))}")
