#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges a fleet of traces with Spark, and counts: a row for each rule, app, version and OS.

    check.py --master spark://HOST:7077 --lifetrace ./lifetrace -o fleet.parquet /srv/traces

A partition's paths go to one `lifetrace check`, where the partition is: a trace within a batch costs a
small part of what a process of its own costs. Of a partition that is lost with its worker nothing has
been counted, and it is judged again elsewhere; so each trace counts once. Counts leave the workers,
verdicts do not.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

COLUMNS = {
    "rule": "string", "app": "string", "version": "string", "os": "string",
    "trace": "string", "reason": "string",
    "traces": "int64", "violations": "int64", "undecidable": "int64",
    "not_checked": "int64", "new": "int64",
}
TRACES_PER_PART_MAX = 500


class Failed(Exception):
    """What would fail of every part: not worth being tried elsewhere."""


class Part:
    """Counts the traces of one partition: by the columns that are a key, those that are counts."""

    def __init__(self, program, options, baseline):
        self.command = [program, "check", "--files-from", "-", "--exit-zero", "--format", "jsonl"]
        self.command += options
        self.baseline = baseline
        self.counts = {}
        self.seen = set()

    def judged(self, paths):
        for row in self.rows(paths, []):
            self.count(row)
        if self.baseline:
            for row in self.rows(paths, ["--baseline", self.baseline]):
                if self.is_violated(row):
                    self.add(self.key(row), new=1)
        return list(self.counts.items())

    def rows(self, paths, more):
        """What `check` says of them. A trace at which it dies takes the batch with it: each is then
        judged by a process of its own, so that only that one is not checked."""
        with tempfile.TemporaryFile() as names, tempfile.TemporaryFile() as said:
            names.write(b"".join(os.fsencode(path) + b"\n" for path in paths))
            names.seek(0)
            process = subprocess.Popen(
                self.command + more, stdin=names, stdout=said, stderr=subprocess.PIPE
            )
            errors = process.communicate()[1].decode(errors="replace")
            if process.returncode > 0:
                raise Failed(f"lifetrace left with {process.returncode}: {errors[-2000:].strip()}")
            if process.returncode == 0:
                said.seek(0)
                for line in said:
                    yield json.loads(line)
            elif len(paths) > 1:
                for path in paths:
                    yield from self.rows([path], more)
            else:
                reason = f"signal {-process.returncode} ended lifetrace"
                yield {"unreadable": paths[0], "reason": reason}

    def count(self, row):
        if "unreadable" in row:
            self.add(("",) * 4 + (row["unreadable"], row["reason"]), not_checked=1)
        elif "summary" in row:
            if not row["judged"]:
                self.add(("",) * 4 + (row["summary"], "no app took part"), not_checked=1)
        else:
            key = self.key(row)
            first = (key, row["file"]) not in self.seen
            self.seen.add((key, row["file"]))
            self.add(key, first, self.is_violated(row), row["outcome"] == "undecidable")

    def add(self, key, traces=0, violations=0, undecidable=0, not_checked=0, new=0):
        self.counts[key] = added(
            self.counts.get(key, (0,) * 5), (traces, violations, undecidable, not_checked, new)
        )

    @staticmethod
    def is_violated(row):
        """Whether it counts: what stands under another violation says the same mistake."""
        return row.get("outcome") == "violated" and "under" not in row

    @staticmethod
    def key(row):
        return (row["rule"], row["app"], row["version"] or "", row["os"] or "", "", "")


def added(some, others):
    return tuple(int(a) + int(b) for a, b in zip(some, others))


def table(context, paths, program, options, config, baseline, parts):
    """Rows in the order of COLUMNS, sorted. Files that workers lack are sent to them."""
    from pyspark import SparkFiles

    sent = [file for file in (program, config, baseline) if file]
    for file in sent:
        context.addFile(file)

    def local(file):
        return file and SparkFiles.get(os.path.basename(file))

    def judged(part):
        part = list(part)
        if not part:
            return []
        more = options + (["--config", local(config)] if config else [])
        here = local(program) or "lifetrace"
        if program:
            os.chmod(here, 0o755)
        try:
            return Part(here, more, local(baseline)).judged(part)
        except FileNotFoundError as error:
            problem = f"{error.filename} is not there on a worker: --lifetrace PATH sends a program"
        except Failed as error:
            problem = str(error)
        return [((problem,), (0,) * 5)]

    counted = context.parallelize(paths, parts).mapPartitions(judged).reduceByKey(added).collect()
    if problems := sorted(key[0] for key, _ in counted if len(key) == 1):
        raise SystemExit(f"check.py: {problems[0]}")
    return sorted(
        key + counts[:4] + (counts[4] if baseline else None,) for key, counts in counted
    )


def found(arguments):
    """Absolute paths, as workers have folders of their own: a file as it is, of a folder all traces."""
    paths = set()
    for argument in arguments:
        names = sys.stdin.read().splitlines() if argument == "-" else [argument]
        for name in map(os.path.abspath, names):
            if os.path.isdir(name):
                for folder, _, files in os.walk(name):
                    traces = (file for file in files if file.endswith(".lifetrace"))
                    paths.update(os.path.join(folder, file) for file in traces)
            else:
                paths.add(name)
    if broken := [path for path in paths if "\n" in path]:
        raise SystemExit(f"check.py: a path of two lines cannot be listed: {broken[0]!r}")
    return sorted(paths)


def write(rows, output):
    if output is None:
        print(*COLUMNS, sep="\t")
        for row in rows:
            # A reason may have lines, and a name a tab: a row of this table is one line.
            print(*("" if cell is None else " ".join(str(cell).split()) for cell in row), sep="\t")
        return
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in COLUMNS.items()])
    columns = [
        pyarrow.array([row[index] for row in rows], kind) for index, kind in enumerate(schema.types)
    ]
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), output + ".part")
    os.replace(output + ".part", output)


def asked():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", help="traces, folders of them, or - for a list on stdin")
    parser.add_argument("--master", required=True, help="local[2], or spark://HOST:7077")
    parser.add_argument("--lifetrace", help="send this program to the workers; else theirs is run")
    parser.add_argument("--baseline", help="count what is new since this file of check")
    parser.add_argument("--config", help="the lifetrace.yml to judge by")
    parser.add_argument("--rules", help="as check --rules")
    parser.add_argument("--profile", help="as check --profile")
    parser.add_argument("--parts", type=int, help="how many parts; by default four a core")
    parser.add_argument("-o", "--output", help="a Parquet file, which is replaced; else it is printed")
    options = parser.parse_args()
    for file in filter(None, (options.lifetrace, options.baseline, options.config)):
        if not os.path.isfile(file):
            parser.error(f"{file}: no such file")
    if options.parts is not None and options.parts < 1:
        parser.error(f"--parts {options.parts}: it takes 1 or more")
    return options


def main():
    options = asked()
    paths = found(options.paths)
    if not paths:
        raise SystemExit("check.py: no trace there: a folder's are its files *.lifetrace")

    from pyspark import SparkConf, SparkContext

    conf = SparkConf().setMaster(options.master).setAppName("lifetrace check")
    conf.setIfMissing("spark.ui.enabled", "false")
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    # A worker need not be large: an executor holds counts alone. One that none can hold would wait for ever.
    conf.setIfMissing("spark.executor.memory", "600m")
    context = SparkContext(conf=conf)
    parts = options.parts or max(
        4 * context.defaultParallelism, -(-len(paths) // TRACES_PER_PART_MAX)
    )
    more = [f"--{name}={value}" for name in ("rules", "profile") if (value := getattr(options, name))]
    rows = table(
        context, paths, options.lifetrace, more, options.config, options.baseline,
        min(parts, len(paths)),
    )
    context.stop()
    write(rows, options.output)
    left_out = sum(row[list(COLUMNS).index("not_checked")] for row in rows)
    print(f"check.py: {len(paths)} traces, {left_out} of them not checked", file=sys.stderr)


if __name__ == "__main__":
    main()
