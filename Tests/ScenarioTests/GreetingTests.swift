// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceJSON
import LifetraceScenario
import LifetraceLifecycle
import TestThreads
import Testing
import LifetraceTrace

/// What an app says first, and what it says that is no message.
@Suite("Greetings", .waits) struct GreetingTests {
  /// Connects, sends `lines`, and then answers whatever comes.
  private static func client(_ lines: [String]) -> [String] {
    let code = """
      import json, os, socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(os.environ["LIFETRACE_HOST"])
      for line in sys.argv[1:]:
          s.sendall((line.replace("PID", str(os.getpid())) + "\\n").encode())
      for line in s.makefile("r"):
          n = json.loads(line).get("n")
          if n:
              s.sendall((json.dumps({"op": "done", "n": n}) + "\\n").encode())
      """
    return ["python3", "-c", code] + lines
  }

  private static let hello = #"{"op":"hello","v":1,"app":"evil","pid":PID,"config":{}}"#

  /// Why a line is no message.
  @Test(arguments: [
    (#"{"op":"done","n":"1"}"#, "its `n` is no whole number"),
    (#"{"op":"done","n":-1}"#, "its `n` is below 0"), (#"{"op":"done"}"#, "it has no `n`"),
    (#"{"op":"task-ended","id":null}"#, "its `id` is no whole number"),
    (#"{"op":"finished","n":1}"#, "no message has its `op`"), ("{}", "its `op` is no string"),
    (#"{"op":"service","mode":"audio"}"#, "its `runs` is neither true nor false"),
    (#"{"op":"observes"}"#, "its `type` is no string"), ("[]", "it is no JSON object"),
    (#"{"op":"hello","v":1}"#, "its `app` is no string"),
  ])
  func faults(line: String, fault: String) throws {
    let json = try JSON(parsing: Array(line.utf8)[...])
    #expect(AppMessage.fault(of: json) == fault)
    #expect(AppMessage(line: json) == nil)
  }

  @Test("An answer to what the app was not sent is told when it comes, once a number")
  func wrongAnswers() throws {
    let code = """
      import json, os, socket
      s = socket.socket(socket.AF_UNIX)
      s.connect(os.environ["LIFETRACE_HOST"])
      def say(**message):
          s.sendall((json.dumps(message) + "\\n").encode())
      say(op="hello", v=1, app="evil", pid=os.getpid(), config={})
      for line in s.makefile("r"):
          n = json.loads(line).get("n")
          if n:
              for number in (77, 77, n, n, 0):
                  say(op="done", n=number)
      """
    let scenario = try Scenario(parsing: "app: evil\nsteps:\n- launch\n- home\n", file: "x.yml")
    var told: [String] = []
    let played = try Played(
      scenario,
      command: ["python3", "-c", code],
      profile: Played.patient(scenario)
    ) { host in
      host.onNotice { told.append("\($0.line) \($1)") }
      return try host.play()
    }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(told.first == "3 `evil` answered `done` 77, and 1 is due", "\(told)")
    #expect(told.filter { $0.contains("`done` 77") }.count == 1, "\(told)")
    #expect(told.contains { $0.contains("`done` 1, and ") }, "\(told)")
    #expect(!told.contains { $0.contains("`done` 0") }, "\(told)")
    #expect(Self.notes(played).contains("`evil` answered `done` 77, and 1 is due"))
  }

  /// Every log line of the recording, in order.
  private static func notes(_ played: Played) -> [String] {
    played.events(.log).map { played.name($0[0]) }
  }

  @Test(
    "A first line that is no hello is what a launch failed of",
    arguments: [
      (#"{"op":"helo","v":1,"app":"evil","pid":PID}"#, "its `op` is not `hello`: {\"op\":\"helo\""),
      (#"{"op":"hello","v":1,"app":"evil"}"#, "its `pid` is no process number: {\"op\""),
      (#"{"op":"hello","v":1,"app":7,"pid":PID}"#, "its `app` is no string: {\"op\""),
      (#"{"op":"hello","app":"evil","pid":PID}"#, "its `v` is no number: {\"op\""),
      ("hello", "it is no JSON object: hello"),
    ]
  )
  func wrongHello(line: String, fault: String) throws {
    let scenario = try Scenario(parsing: "app: evil\nsteps:\n- launch\n- home\n", file: "x.yml")
    var hasty = Profile.standard
    // For an interpreter to come up on a busy machine; no hello comes however long one waits.
    hasty.launch = Profile.Limit(10)
    let played = try Played(scenario, command: Self.client([line]), profile: hasty) {
      try $0.play()
    }
    let said = try #require(played.report.failures.first)
    #expect(played.report.failures.count == 1)
    #expect(
      said.message.hasPrefix("`python3` connected, but its first line is no hello, as \(fault)"),
      "\(said)"
    )
    let notes = Self.notes(played)
    #expect(notes.contains(said.message), "\(notes)")
    #expect(notes.contains { $0.hasPrefix("garbage from evil: ") }, "\(notes)")
    #expect(played.leftBehind == 0)
  }

  @Test(
    "A script that starts the app beside itself is refused, as it would be suspended in its place"
  )
  func speaksForItself() throws {
    let text = "app: evil\nsteps:\n- launch\n- home\n- wait: {until: suspended}\n"
    let scenario = try Scenario(parsing: text, file: "x.yml")
    func play(_ script: String) throws -> Played {
      let command = ["sh", "-c", script, "sh"] + Self.client([Self.hello])
      return try Played(scenario, command: command, profile: Played.patient(scenario)) {
        try $0.play()
      }
    }
    let beside = try play(#""$@"; exit"#)
    let said = try #require(beside.report.failures.first)
    #expect(said.message.hasPrefix("`sh` has started the app as a process of its own ("), "\(said)")
    #expect(beside.leftBehind == 0)
    let inPlace = try play(#"exec "$@""#)
    #expect(inPlace.report.failures.isEmpty, "\(inPlace.report.failures)")
  }

  @Test("Each line that is no message is noted, up to a limit", arguments: [5, 250])
  func garbage(count: Int) throws {
    let lines = (1...count).map { "[\($0)]" }
    let text = """
      app: evil
      steps:
      - launch
      - home
      - wait: {until: suspended}
      """
    let scenario = try Scenario(parsing: text, file: "x.yml")
    let client = Self.client([Self.hello] + lines)
    let played = try Played(scenario, command: client, profile: Played.patient(scenario)) {
      try $0.play()
    }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    let notes = Self.notes(played).filter { $0.hasPrefix("garbage from evil: ") }
    #expect(notes.count == min(count, 100))
    let noted = lines.prefix(5).map { "garbage from evil: \($0) (it is no JSON object)" }
    #expect(Array(notes.prefix(5)) == noted)
    let isCut = notes.last == "garbage from evil: and more, which is not noted"
    #expect(isCut == (count > 100), "\(notes.suffix(2))")
  }
}
