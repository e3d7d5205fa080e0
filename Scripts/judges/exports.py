# SPDX-License-Identifier: Apache-2.0
"""Holds exports against what `dump` and `check` say, by the programs that are to read them.

    exports.py LIFETRACE FOLDER NAME...      recordings FOLDER/NAME.lifetrace

SQL in the trace processor has to give the slices, arrows, counters and instants of the trace, no more and no less;
sqlite, DuckDB and the classes of OpenTelemetry have to agree with it in counts and values.
"""
import base64
import json
import sqlite3
import subprocess
import sys
from collections import Counter

import duckdb
from google.protobuf import json_format
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from processor import Processor
from wire import Wire

lifetrace, folder, *recordings = sys.argv[1:]

ENDS = {
    "callback.end": "callback.begin", "turn.end": "turn.begin", "work.end": "work.begin",
    "wait.end": "wait.begin", "task.end": "task.begin", "wake.completion": "wake.begin",
    "deadline.close": "deadline.open", "test.end": "test.begin",
    "resource.release": "resource.acquire",
}
SAMPLES = {"memory.sample", "cpu.sample"}


def run(*words):
    done = subprocess.run([lifetrace, *words], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def same(what, found, expected):
    if found == expected:
        return
    found, expected = Counter(found), Counter(expected)
    sys.exit(
        f"{what} differ\n  only found: {list((found - expected).items())[:5]}"
        f"\n  only expected: {list((expected - found).items())[:5]}"
    )


def spans(events):
    """What begins and ends by identity: (process, begin, length), where an event ends it."""
    found, begun, ended = [], {}, set()
    for event in events:
        kind, process = event["kind"], event["writer"]
        opening = ENDS.get(kind)
        identity = event.get("id", event.get("name"))
        arguments = event["arguments"]
        if (opening or kind) == "resource.acquire":
            identity = (event.get("name"), arguments.get("class"), arguments.get("id"))
        key = (process, opening or kind, identity)
        if kind in ("state.purge", "process.exit"):
            begun = {k: v for k, v in begun.items() if k[0] != process}
        if opening:
            begin = begun.pop(key, None)
            if begin is not None:
                found.append((process, begin, max(0, event["sinceStart"] - begin)))
        elif kind in ENDS.values():
            begun[key] = event["sinceStart"]
    return found


def judge_perfetto(name, processor, events, verdicts):
    path = f"{name}.pftrace"
    run("export", "perfetto", f"{folder}/{name}.lifetrace", "-o", f"{folder}/{path}")
    wire = Wire(f"{folder}/{path}")
    processor.open(path)
    rows = processor.sql(
        """select coalesce(p1.name, p2.name), s.ts, s.dur, s.name, s.category,
             (select a.int_value from args a where a.arg_set_id = s.arg_set_id and a.key = 'debug.event'
              and a.value_type = 'uint')
           from slice s
           left join process_track pt on pt.id = s.track_id left join process p1 on p1.upid = pt.upid
           left join thread_track tt on tt.id = s.track_id left join thread t using (utid)
           left join process p2 on p2.upid = t.upid"""
    )
    same(f"{name}: slices of the trace processor", sorted(rows, key=repr), wire.slices)
    rows = processor.sql(
        """select o.ts, o.name, i.ts, i.name from flow
           join slice o on o.id = slice_out join slice i on i.id = slice_in"""
    )
    same(f"{name}: flows of the trace processor", sorted(rows), wire.flows)
    rows = processor.sql(
        """select p.name, t.name, c.ts, c.value from counter c
           join process_counter_track t on t.id = c.track_id join process p using (upid)"""
    )
    rows = sorted(((p, n, t, int(v)) for p, n, t, v in rows), key=repr)
    same(f"{name}: counters of the trace processor", rows, wire.counters)
    problems = processor.sql("select name, value from stats where severity = 'error' and value > 0")
    same(f"{name}: problems of the trace processor", problems, [])

    # What the trace says by itself.
    extents = [(p, t, d) for p, t, d, *_ in wire.slices]
    missing = Counter(spans(events)) - Counter(extents)
    if missing:
        sys.exit(f"{name}: spans are not there: {list(missing)[:5]}")
    found = [s[3].split(":")[0] for s in wire.slices if s[4] in ("violation", "undecidable")]
    same(f"{name}: findings", sorted(found), sorted(v["rule"] for v in verdicts))
    return wire


def judge_sqlite(name, events, verdicts, wire):
    path = f"{folder}/{name}.db"
    run("export", "sqlite", f"{folder}/{name}.lifetrace", "-o", path)
    database = sqlite3.connect(path)
    rows = database.execute(
        """select p.name, e.sequence, e.time, e.clock, e.thread, e.kind, e.observer
           from events e join processes p on p.id = e.process order by e.id"""
    ).fetchall()
    keys = ("writer", "sequence", "sinceStart", "time", "thread", "kind", "observer")
    same(f"{name}: events of sqlite", rows, [tuple(e[k] for k in keys) for e in events])
    for row, event in zip(database.execute("select arguments from events order by id"), events):
        arguments = json.loads(row[0])
        for key, value in event["arguments"].items():
            if arguments[key] != value:
                sys.exit(f"{name}: {event} has other arguments in sqlite: {arguments}")
    rows = database.execute(
        """select p.name, i.begin, coalesce(i.end - i.begin, -1), i.name, i.family, i.sequence
           from intervals i join processes p on p.id = i.process"""
    ).fetchall()
    # In the lanes of apps a slice belongs to no process of the viewer.
    labels = {row[0] for row in database.execute("select name from processes")}
    expected = [
        (s[3] if s[0] is None and s[3] in labels else s[0],) + s[1:]
        for s in wire.slices
        if s[4] not in ("violation", "undecidable")
    ]
    slices = Counter(expected)
    if Counter(rows) - slices:
        sys.exit(f"{name}: intervals of sqlite: {list(Counter(rows) - slices)[:5]}")
    if len(wire.slices) - wire.instants != len(rows):
        sys.exit(f"{name}: {len(rows)} intervals, {len(wire.slices) - wire.instants} slices")
    rows = database.execute(
        "select p.name, c.name, c.time, c.value from counters c join processes p on p.id = c.process"
    ).fetchall()
    same(f"{name}: counters of sqlite", sorted(rows, key=repr), wire.counters)
    rows = database.execute(
        """select a.time, b.time from flows f
           join events a on a.process = f.from_process and a.sequence = f.from_sequence
           join events b on b.process = f.to_process and b.sequence = f.to_sequence"""
    ).fetchall()
    same(f"{name}: flows of sqlite", sorted(rows), sorted((f[0], f[2]) for f in wire.flows))
    rows = database.execute("select rule, outcome from violations").fetchall()
    outcomes = {"violated": "violation", "undecidable": "undecidable"}
    expected = [(v["rule"], outcomes[v["outcome"]]) for v in verdicts]
    same(f"{name}: violations of sqlite", sorted(rows), sorted(expected))
    return len(rows)


def judge_lines(name, events):
    for path in (f"{folder}/{name}.jsonl", f"{folder}/{name}.jsonl.zst"):
        run("export", "jsonl", f"{folder}/{name}.lifetrace", "-o", path)
        rows = duckdb.sql(
            f"""select kind, count(*), sum(sequence)::bigint, sum("sinceStart")::bigint
                from read_json('{path}', format = 'newline_delimited', sample_size = -1,
                  columns = {{kind: 'varchar', sequence: 'bigint', "sinceStart": 'bigint'}})
                where kind not like 'lifetrace.%' group by kind"""
        ).fetchall()
        expected = Counter()
        sums = {}
        for event in events:
            count, sequence, time = sums.get(event["kind"], (0, 0, 0))
            sums[event["kind"]] = (
                count + 1, sequence + event["sequence"], time + event["sinceStart"]
            )
        same(f"{path}: DuckDB", sorted(rows), sorted((k, *v) for k, v in sums.items()))
    again = f"{folder}/{name}.again.lifetrace"
    run("import", "jsonl", f"{folder}/{name}.jsonl.zst", "-o", again, "-f")
    if run("dump", again) != run("dump", f"{folder}/{name}.lifetrace"):
        sys.exit(f"{name}: import jsonl made another recording")


def ids_as_bytes(value):
    """Hexadecimal ids of OTLP's JSON as the base64 that a protobuf decoder takes."""
    if isinstance(value, dict):
        return {
            k: base64.b64encode(bytes.fromhex(v)).decode()
            if k in ("traceId", "spanId", "parentSpanId") else ids_as_bytes(v)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [ids_as_bytes(v) for v in value]
    return value


def judge_otlp(name, events, wire, verdicts):
    path = f"{folder}/{name}"
    for form in ("otlp", "otlp-logs", "otlp-traces"):
        run("export", form, f"{path}.lifetrace", "-o", f"{path}.{form}")
    logs, traces = LogsData(), TracesData()
    logs.ParseFromString(open(f"{path}.otlp-logs", "rb").read())
    traces.ParseFromString(open(f"{path}.otlp-traces", "rb").read())
    logs_of_lines, traces_of_lines = LogsData(), TracesData()
    for line in open(f"{path}.otlp"):
        data = ids_as_bytes(json.loads(line))
        one = LogsData() if "resourceLogs" in data else TracesData()
        json_format.ParseDict(data, one)
        (logs_of_lines if "resourceLogs" in data else traces_of_lines).MergeFrom(one)
    if logs != logs_of_lines or traces != traces_of_lines:
        sys.exit(f"{name}: JSON and protobuf of OTLP differ")
    records = [
        record for resource in logs.resource_logs for scope in resource.scope_logs
        for record in scope.log_records
    ]
    spans = [
        span for resource in traces.resource_spans for scope in resource.scope_spans
        for span in scope.spans
    ]
    states = {"not running", "inactive", "active", "background", "suspended"}
    slices = [s for s in wire.slices if s[0] is not None and s[3] not in states]
    named = Counter(span.name for span in spans)
    missing = named - Counter(s[3] for s in slices)
    if missing:
        sys.exit(f"{name}: spans of OTLP: {missing}")
    # The slices of processes, in the lanes of their apps, are resources here.
    labels = {event["writer"] for event in events}
    whole = sum(1 for s in wire.slices if s[0] is None and s[3] in labels)
    count = len(wire.slices) - whole
    if len(records) + len(spans) != count:
        sys.exit(f"{name}: {len(records)} records and {len(spans)} spans, {count} slices")
    found = sum(r.event_name in ("lifetrace.violation", "lifetrace.undecidable") for r in records)
    same(f"{name}: findings of OTLP", [found], [len(verdicts)])
    return len(records), len(spans)


def judge_chrome(name, processor, wire):
    run("export", "chrome", f"{folder}/{name}.lifetrace", "-o", f"{folder}/{name}.json")
    processor.open(f"{name}.json")
    rows = processor.sql("select ts, dur, name, category from slice")
    same(f"{name}: slices of the JSON", sorted(rows), sorted(s[1:5] for s in wire.slices))
    rows = processor.sql(
        "select o.ts, o.name, i.ts, i.name from flow "
        "join slice o on o.id = slice_out join slice i on i.id = slice_in"
    )
    same(f"{name}: flows of the JSON", sorted(rows), wire.flows)


processor = Processor(folder)
try:
    for name in recordings:
        path = f"{folder}/{name}.lifetrace"
        events = [json.loads(line) for line in run("dump", "--json", path).splitlines()]
        rows = [json.loads(line) for line in run("check", "--format", "jsonl", path).splitlines()]
        verdicts = [r for r in rows if r.get("outcome") in ("violated", "undecidable")]
        wire = judge_perfetto(name, processor, events, verdicts)
        judge_sqlite(name, events, verdicts, wire)
        judge_lines(name, events)
        records, spans_of = judge_otlp(name, events, wire, verdicts)
        judge_chrome(name, processor, wire)
        print(
            f"{name}: {len(events)} events: {len(wire.slices) - wire.instants} slices, "
            f"{wire.instants} instants, {len(wire.flows)} flows, {len(wire.counters)} counter values; "
            f"{records} log records, {spans_of} spans"
        )
finally:
    processor.close()
