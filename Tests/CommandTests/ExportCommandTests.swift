// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// `export` as a command: where it writes, what it says, and how it leaves.
@Suite(.waits) struct ExportCommandTests {
  private static let story = Golden.root + "/Tests/Fixtures/Export/two-apps.txt"
  private static let start = "lifetrace import story '\(story)' -o t 2>/dev/null\n"

  private func run(_ lines: String, in folder: TestFolder) -> (status: Int32, output: String) {
    shell(Self.start + lines, in: folder)
  }

  @Test func linesGoThroughFilesAndPipes() throws {
    let result = run(
      """
      lifetrace export jsonl t -o a.jsonl && lifetrace export jsonl t -o - | cmp - a.jsonl &&
      lifetrace export jsonl t -o a.jsonl.zst && zstd -qdc a.jsonl.zst | cmp - a.jsonl &&
      lifetrace import jsonl a.jsonl.zst -o b && lifetrace import jsonl - -o c < a.jsonl &&
      lifetrace dump t > t.txt && lifetrace dump b | cmp - t.txt && lifetrace dump c | cmp - t.txt &&
      ls
      """,
      in: try TestFolder()
    )
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("a.jsonl.zst: 2 writers, 42 events\n"))
    #expect(result.output.hasSuffix("a.jsonl\na.jsonl.zst\nb\nc\nt\nt.txt\n"), "\(result.output)")
  }

  @Test func aPartIsWhatDumpShowsOfIt() throws {
    let result = run(
      """
      for part in '--app sync' '--from 100ms --to 200ms' '--from notes#1:23'; do
        lifetrace dump --json t $part > part
        lifetrace export jsonl t $part | grep -v lifetrace.writer | cmp - part || exit 1
      done
      """,
      in: try TestFolder()
    )
    #expect(result.status == 0, "\(result.output)")
  }

  /// What is selected is what `dump` selects, in every form; how many of how many is said.
  @Test func aSelectionIsWhatDumpShows() throws {
    let result = run(
      """
      for where in 'dirty' 'callback.end && took > 1us' 'state == background' 'purge && dirty'; do
        lifetrace dump --json t --where "$where" > part
        lifetrace export jsonl t --where "$where" 2> said | grep -v lifetrace.writer | cmp - part || exit 1
        grep -q "$(wc -l < part) of 42 events exported" said || { cat said; exit 2; }
        for form in perfetto chrome otlp sqlite; do
          lifetrace export $form t --where "$where" -o out 2> other
          cmp said other || exit 3
        done
        [ "$(sqlite3 out 'select count(*) from events')" = $(wc -l < part) ] || exit 4
      done
      lifetrace export jsonl t --where 'bytes > 3s'
      """,
      in: try TestFolder()
    )
    #expect(result.status == 64, "\(result.output)")
    #expect(result.output.contains("--where: bytes is a size; 3s is a length of time"))
    #expect(result.output.contains("  bytes > 3s\nlifetrace:           ^~\n"), "\(result.output)")
  }

  /// A place that a loss leaves open is said, by `dump` as by `export`.
  @Test func whatCannotBeDecidedIsSaid() throws {
    let result = run(
      """
      lifetrace import story '\(Golden.root)/Tests/Fixtures/Export/lost.txt' -o lost 2>/dev/null
      lifetrace dump lost --where 'mark && any data where unsaved > 0' >/dev/null
      lifetrace export jsonl lost --where 'mark && any data where unsaved > 0' -o out
      """,
      in: try TestFolder()
    )
    let open = "1 place could not be decided, the first at notes#1:3: events are missing\n"
    let said = "lifetrace: \(open)lifetrace: 0 of 4 events exported\nlifetrace: \(open)"
    #expect(result.output == said, "\(result.output)")
  }

  @Test func damageIsSaidAndTheRestIsWritten() throws {
    let folder = try TestFolder()
    let damaged = Golden.root + "/Traces/vectors/damaged.lifetrace"
    for form in ["perfetto", "chrome", "jsonl", "sqlite", "otlp"] {
      let result = shell("lifetrace export \(form) '\(damaged)' -o out; echo rc $?", in: folder)
      #expect(result.output.contains("checksum"), "\(result.output)")
      #expect(result.output.hasSuffix("rc 2\n"), "\(result.output)")
      #expect(shell("test -s out", in: folder).status == 0)
    }
  }

  /// What could not be read stands in the export, too, for those who only have that.
  @Test func damageStandsInTheExport() throws {
    let damaged = Golden.root + "/Traces/vectors/damaged.lifetrace"
    let result = run(
      """
      lifetrace export jsonl '\(damaged)' -o a.jsonl 2>/dev/null
      tail -n 1 a.jsonl
      lifetrace export sqlite '\(damaged)' -o a.db 2>/dev/null
      python3 -c 'import sqlite3; print(sqlite3.connect("a.db").execute("select problem from damage").fetchall())'
      lifetrace import jsonl a.jsonl -o b 2>&1
      lifetrace export sqlite t -o t.db
      python3 -c 'import sqlite3; print(sqlite3.connect("t.db").execute("select count(*) from damage").fetchall())'
      """,
      in: try TestFolder()
    )
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix(#"{"kind":"lifetrace.damage","file":""#) == true, "\(lines)")
    #expect(lines.dropFirst().first?.contains("checksum") == true, "\(lines)")
    #expect(result.status == 0 && lines.last == "[(0,)]", "\(lines)")
  }

  /// The programs that read pictures show it as well, with the file that it is of.
  @Test(arguments: ["perfetto", "chrome", "otlp", "otlp-logs"])
  func damageStandsInThePicture(_ form: String) throws {
    let folder = try TestFolder()
    let vectors = Golden.root + "/Traces/vectors"
    let found =
      "-o out 2>/dev/null; grep -ac 'damaged: .*checksum' out; grep -ac damaged.lifetrace out"
    let damaged = run(
      "lifetrace export \(form) '\(vectors)/damaged.lifetrace' \(found)",
      in: folder
    )
    #expect(damaged.output == "1\n1\n", "\(damaged.output)")
    let whole = run("lifetrace export \(form) t \(found)", in: folder)
    #expect(whole.output == "0\n0\n", "\(whole.output)")
  }

  @Test(arguments: ["sqlite", "perfetto"])
  func ctrlCLeavesNothingBehind(_ form: String) throws {
    let result = run(
      """
      { echo "app notes#1 pid=1 profile=ios13"
        awk 'BEGIN { for (i = 0; i < 60000; i++) printf "+%d.%03ds notes#1 main log text=a level=info\\n", i / 1000, i % 1000 }'
      } > story.txt
      lifetrace import story story.txt -o big 2>/dev/null
      "$lt" export \(form) big -o out 2>/dev/null &
      until ls out.*.new >/dev/null 2>&1; do kill -0 $! || exit 9; done
      kill -INT $!
      wait $!
      echo rc $?; ls
      """,
      in: try TestFolder()
    )
    #expect(result.output == "rc 130\nbig\nstory.txt\nt\n", "\(result.output)")
  }

  @Test(arguments: [
    ("export sqlite t", Int32(64), "sqlite is not text: name a file with -o"),
    ("export jsonl t -o no/such/place", 74, "no/such/place"),
    ("export jsonl missing -o out", 74, "missing"),
    ("export jsonl t --app nobody", 64, "no such app; there are notes#1, sync#1"),
    ("import jsonl t -o out", 2, "line 1, column 1"),
    ("import jsonl missing -o out", 74, "cannot be read"),
    ("import jsonl cut -o out", 2, "the compressed bytes end too early"),
  ])
  func whatIsWrongIsSaid(words: String, status: Int32, what: String) throws {
    let folder = try TestFolder()
    let result = run(
      """
      lifetrace export jsonl t -o whole.zst && head -c 500 whole.zst > cut && rm whole.zst
      lifetrace \(words)
      """,
      in: folder
    )
    #expect(result.status == status, "\(result.output)")
    #expect(result.output.contains(what), "\(result.output)")
    #expect(folder.names.sorted() == ["cut", "t"])
  }
}
