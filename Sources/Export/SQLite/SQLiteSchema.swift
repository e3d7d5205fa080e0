// SPDX-License-Identifier: Apache-2.0

// The tables of `export sqlite`; EXPORT.md says what is asked of them. Times are nanoseconds since the
// first event of the recording, as `dump --json` has them in `sinceStart`.

let sqliteSchema = """
  CREATE TABLE recording (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE processes (
    id INTEGER PRIMARY KEY, name TEXT, writer TEXT, app TEXT, process TEXT, role TEXT, pid INTEGER,
    host TEXT, device_boot INTEGER, previous TEXT, profile TEXT, evidence TEXT, clock TEXT
  );
  CREATE TABLE events (
    id INTEGER PRIMARY KEY, process INTEGER REFERENCES processes, sequence INTEGER, time INTEGER,
    clock INTEGER, thread INTEGER, kind TEXT, family TEXT, name TEXT, file TEXT, line INTEGER,
    observer TEXT, arguments TEXT
  );
  CREATE TABLE lanes (
    id INTEGER PRIMARY KEY, parent INTEGER REFERENCES lanes, process INTEGER REFERENCES processes,
    name TEXT
  );
  CREATE TABLE intervals (
    id INTEGER PRIMARY KEY, lane INTEGER REFERENCES lanes, process INTEGER REFERENCES processes,
    family TEXT, name TEXT, begin INTEGER, end INTEGER, ending TEXT, sequence INTEGER
  );
  CREATE TABLE counters (
    process INTEGER REFERENCES processes, name TEXT, time INTEGER, value INTEGER
  );
  CREATE TABLE flow_ends (flow INTEGER, process INTEGER, sequence INTEGER, is_end INTEGER);
  CREATE TABLE violations (
    id INTEGER PRIMARY KEY, rule TEXT, outcome TEXT, severity TEXT,
    process INTEGER REFERENCES processes, sequence INTEGER, time INTEGER, title TEXT, why TEXT,
    reason TEXT, witnesses TEXT, advice TEXT
  );
  CREATE TABLE ledger (
    process INTEGER REFERENCES processes, object TEXT, version INTEGER, bytes INTEGER,
    unsaved_since INTEGER, kernel_version INTEGER, disk_version INTEGER, outcome TEXT
  );
  CREATE TABLE damage (file TEXT, problem TEXT);
  """

/// What is made of the rows once all of them are there.
let sqliteEnd = """
  CREATE TABLE flows AS
    SELECT b.process AS from_process, b.sequence AS from_sequence,
      e.process AS to_process, e.sequence AS to_sequence
    FROM flow_ends AS b JOIN flow_ends AS e ON e.flow = b.flow AND e.is_end = 1
    WHERE b.is_end = 0;
  DROP TABLE flow_ends;
  CREATE UNIQUE INDEX events_by_name ON events (process, sequence);
  CREATE INDEX events_by_kind ON events (kind, time);
  CREATE INDEX intervals_by_name ON intervals (family, name);
  """
