// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// `record --otlp`: what SDKs of OpenTelemetry send beside a recording, and what strangers do.
@Suite(.waits) struct ReceptionTests {
  private static let fixtures = "\(Golden.root)/Tests/Fixtures/OpenTelemetry"
  /// With the SDK, as `Scripts/setup.sh --tests` makes it.
  private static let python = "\(Golden.root)/.build/opentelemetry/bin/python"

  /// Records a program of the fixtures that is told where to send.
  private func record(_ options: String, _ program: String, in folder: TestFolder) -> (
    status: Int32, output: String
  ) {
    shell(
      """
      export lt; unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL
      lifetrace record -o t.lifetrace --otlp 127.0.0.1:0 \(options) -- \(program)
      """,
      in: folder
    )
  }

  @Test func theSDKOfPythonFindsItAndIsFollowedOverBothProcesses() throws {
    let folder = try TestFolder()
    let program = "'\(Self.python)' '\(Self.fixtures)/shop.py'"
    let recorded = record("--redact '/card [0-9-]+/'", program, in: folder)
    #expect(recorded.status == 0, "\(recorded.output)")
    #expect(
      recorded.output.contains("t.otlp.lifetrace: 4 records, 2 processes, "),
      "\(recorded.output)"
    )
    #expect(folder.names.filter { $0.hasPrefix("t.") } == ["t.lifetrace", "t.otlp.lifetrace"])
    let joined = shell(
      """
      lifetrace merge t.lifetrace t.otlp.lifetrace -o both 2>/dev/null || exit
      lifetrace check --exit-zero t.lifetrace t.otlp.lifetrace >/dev/null || exit
      lifetrace replay -q --batch -e 'next message.send' -e path both
      lifetrace dump --json t.otlp.lifetrace >dump; cat dump
      """,
      in: folder
    )
    #expect(joined.status == 0, "\(joined.output)")
    for part in ["shop#1", "store#1", "[redacted 1]", "GET /stock"] {
      #expect(joined.output.contains(part), "\(joined.output)")
    }
    #expect(!joined.output.contains("card 4111"), "\(joined.output)")
    let kinds = try String(decoding: folder.read("dump"), as: UTF8.self).split(separator: "\n").map
    {
      try JSON(parsing: $0.utf8)["kind"]?.string ?? ""
    }
    #expect(
      kinds.count { $0 == "message.send" } == 2 && kinds.count { $0 == "message.receive" } == 2
    )
    #expect(kinds.count { $0 == "work.begin" } == 3 && kinds.count { $0 == "log" } == 1)
  }

  @Test func strangersAreAnsweredAndTheOthersServed() throws {
    let folder = try TestFolder()
    let recorded = record("", "python3 '\(Self.fixtures)/hostile.py'", in: folder)
    #expect(recorded.status == 0, "\(recorded.output)")
    let lines = recorded.output.split(separator: "\n")
    let answers = lines.prefix { !$0.hasPrefix("lifetrace: ") }
    let expected = [
      #"get 405 POST {"code":12,"message":"/v1/traces takes POST, and nothing else"}"#,
      #"path 404 {"code":5,"message":"there is nothing at this path: "#
        + #"spans go to /v1/traces, log records to /v1/logs"}"#,
      #"type 415 {"code":3,"message":"the Content-Type is \"text/plain\": "#
        + #"application/x-protobuf or application/json would do"}"#,
      #"encoding 415 {"code":3,"message":"the Content-Encoding is \"br\": gzip or none would do"}"#,
      "json 400", "wire 400", "deep 400", "gzip 400", "bomb 413", "long 413", "huge 413",
      "negative 400", "number 400", "head 400", "garbage 400",
      #"no id 200 {"partialSuccess":{"rejectedSpans":"1","errorMessage":"#
        + #""a span needs the id of a trace and one of its own"}}"#,
      "good 200 {}", "pieces 200 {}", "again 200 {}", "beside 200 {}",
    ]
    #expect(answers.count == expected.count, "\(recorded.output)")
    for (answer, wanted) in zip(answers, expected) {
      #expect(answer.hasPrefix(wanted), "\(answer)")
    }
    #expect(
      recorded.output.contains("t.otlp.lifetrace: 4 records, 1 process, 8 events, by OTLP"),
      "\(recorded.output)"
    )
    #expect(shell("lifetrace verify t.otlp.lifetrace", in: folder).status == 0)
  }

  @Test func whereNothingComesNothingIsLeft() throws {
    let folder = try TestFolder()
    let recorded = record("", "sh -c 'echo $OTEL_EXPORTER_OTLP_ENDPOINT; exit 3'", in: folder)
    #expect(recorded.status == 3)
    #expect(recorded.output.contains("http://127.0.0.1:"), "\(recorded.output)")
    #expect(recorded.output.contains("lifetrace: nothing has come by OTLP\n"), "\(recorded.output)")
    #expect(folder.names.filter { $0.hasPrefix("t.") } == ["t.lifetrace"])
  }

  @Test func whatAKilledRecordLeavesIsBroughtIn() throws {
    let folder = try TestFolder()
    let left = shell(
      """
      unset OTEL_EXPORTER_OTLP_ENDPOINT
      "$lt" record -o t.lifetrace --otlp 127.0.0.1:0 -- sh -c \
        'python3 "\(Self.fixtures)/hostile.py" >/dev/null; echo $$ >pid; mv pid done; exec sleep 600' &
      front=$!
      until_there done; kill -9 $front; kill $(cat done)
      until lifetrace verify t.lifetrace >/dev/null 2>&1; do sleep 0.05; done
      lifetrace import otlp t.otlp.jsonl t.otlp.pb -o t.otlp.lifetrace
      touch u.otlp.pb
      lifetrace record -o u.lifetrace --otlp 127.0.0.1:0 -- touch ran; echo "code $?"
      lifetrace record -f -o u.lifetrace --otlp 127.0.0.1:0 -- true
      """,
      in: folder
    )
    #expect(left.output.contains("t.otlp.lifetrace: 4 records, 1 process"), "\(left.output)")
    #expect(left.output.contains("u.otlp.pb: an interrupted recording has left it"))
    #expect(left.output.contains("code 125\n"), "\(left.output)")
    #expect(!folder.names.contains("ran") && !folder.names.contains("u.otlp.pb"), "\(left.output)")
    #expect(folder.names.contains("u.lifetrace"))
  }

  @Test(arguments: [
    ("--otlp 4318", 64, "4318: write an address and a port"),
    ("--otlp example.org:4318", 64, "\"example.org\" is no address"),
    ("--otlp 0.0.0.0:0", 64, "other machines reach this address"),
    ("--otlp 198.51.100.7:0 --insecure", 125, "cannot listen at 198.51.100.7:0"),
    ("--otlp [::1]:99999", 64, "write an address and a port"),
  ])
  func anAddressThatWillNotDoIsRefused(options: String, code: Int32, words: String) throws {
    let folder = try TestFolder()
    let refused = shell("lifetrace record -o t \(options) -- touch ran", in: folder)
    #expect(refused.status == code, "\(refused.output)")
    #expect(refused.output.contains(words), "\(refused.output)")
    #expect(folder.names.isEmpty)
  }

  @Test func aPortThatIsTakenIsRefused() throws {
    let folder = try TestFolder()
    let refused = record(
      "",
      "sh -c '\"$lt\" record -o u --otlp ${OTEL_EXPORTER_OTLP_ENDPOINT#http://} -- true; echo \"code $?\"'",
      in: folder
    )
    #expect(refused.output.contains("A free port: --otlp 127.0.0.1:0\n"), "\(refused.output)")
    #expect(refused.output.contains("code 125\n"), "\(refused.output)")
  }
}
