// SPDX-License-Identifier: Apache-2.0
internal import LifetraceDebugAdapter
internal import LifetraceDebugger
import LifetraceInterop
internal import LifetraceJSON
internal import LifetraceReplay
internal import LifetraceTimeline
import Support

/// What an editor says to `replay --dap`, and what must come back whatever it says.
enum EditorTalk {
  /// Requests that are in order, as an editor sends them.
  static let requests: [String] = [
    request("threads", "{}"), request("stackTrace", #"{"threadId":1,"startFrame":0,"levels":20}"#),
    request("scopes", #"{"frameId":1}"#),
    request("variables", #"{"variablesReference":1,"start":0,"count":100}"#),
    request("variables", #"{"variablesReference":3}"#),
    request("stepIn", #"{"threadId":1}"#), request("next", #"{"threadId":1}"#),
    request("stepOut", #"{"threadId":1}"#),
    request("stepBack", #"{"threadId":1,"granularity":"instruction"}"#),
    request("continue", #"{"threadId":1}"#), request("reverseContinue", #"{"threadId":1}"#),
    request("pause", #"{"threadId":1}"#), request("cancel", #"{"requestId":4}"#),
    request("goto", #"{"threadId":1,"targetId":7}"#),
    request("gotoTargets", #"{"source":{"sourceReference":1},"line":7}"#),
    request("gotoTargets", #"{"source":{"path":"/src/Notes/Editor.swift"},"line":41}"#),
    request("source", #"{"sourceReference":1,"source":{"sourceReference":1}}"#),
    request("loadedSources", "{}"),
    request(
      "setBreakpoints",
      #"{"source":{"path":"/src/Notes/Editor.swift"},"breakpoints":[{"line":41,"condition":"bytes > 1kB","hitCondition":"2"},{"line":41,"logMessage":"{version} of {object}"}]}"#
    ),
    request(
      "setFunctionBreakpoints",
      #"{"breakpoints":[{"name":"dirty"},{"name":"application*"}]}"#
    ),
    request("dataBreakpointInfo", #"{"name":"data(\"draft.txt\").unsaved","frameId":1}"#),
    request(
      "setDataBreakpoints",
      #"{"breakpoints":[{"dataId":"0 data(\"draft.txt\").unsaved","condition":"count data > 0"}]}"#
    ),
    request("setExceptionBreakpoints", #"{"filters":["error","warning","undecidable"]}"#),
    request("exceptionInfo", #"{"threadId":1}"#),
    request("evaluate", #"{"expression":"goto 50%","context":"repl"}"#),
    request("evaluate", #"{"expression":"draft.txt","context":"hover","frameId":1}"#),
    request("evaluate", #"{"expression":"count tasks where age > 1s","context":"watch"}"#),
    request("completions", #"{"text":"next dir","column":9}"#),
    request("configurationDone", "{}"), request("disconnect", "{}"), request("launch", "{}"),
  ]

  static let words = [
    "{", "}", "[", "]", "\"", ":", ",", "\\u0000", "\\ud800", "1e999", "-1", "null", "true",
    "9223372036854775807", "-9223372036854775808", "\"seq\":", "\"arguments\":", "2147483648",
    "threadId", "source", "any data where ", "data(", "`*`", " && ", "state == ", "goto ", "{{",
    "why ",
    "list 10000", "Content-Length: 7\r\n\r\n",
  ]

  private static func request(_ command: String, _ arguments: String) -> String {
    #"{"seq":1,"type":"request","command":"\#(command)","arguments":\#(arguments)}"#
  }

  /// A conversation: an opening, and up to a dozen requests, of which most were changed.
  static func input(_ requests: [[UInt8]], _ mutator: inout Mutator) -> [UInt8] {
    var bytes: [UInt8] = []
    for opening in ["initialize", "launch", "configurationDone"] {
      bytes += framed(Array(request(opening, "{}").utf8))
    }
    for _ in 0..<(1 + mutator.below(12)) {
      var body = requests[mutator.below(requests.count)]
      if mutator.below(4) > 0 {
        mutator.mutate(&body, other: requests[mutator.below(requests.count)])
      }
      bytes += framed(body)
    }
    // Now and then where a message ends is hit too.
    if mutator.below(16) == 0 { mutator.mutate(&bytes, other: requests[0]) }
    return bytes
  }

  private static func framed(_ body: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  private static let story = Golden.text("Traces/DS02-broken/story.txt").flatMap {
    try? Story.parse($0)
  }

  /// More than this for one input is too much to say.
  private static let answerBytesMax = 8 << 20

  /// Answers it all; nil, or what was wrong with the answers.
  static func survives(_ input: [UInt8]) -> String? {
    guard let story else { return "the story is missing" }
    var problem: String?
    var lastSeq: Int64 = 0
    var bytes = 0
    var answered: Int64?
    let adapter = DebugAdapter(
      open: { _ in (Player(Timeline(story.source)), DebuggerOptions(title: "input")) }
    ) { message in
      let seq = message["seq"]?.int ?? 0
      if seq != lastSeq + 1 { problem = "the number of a message is \(seq) after \(lastSeq)" }
      lastSeq = seq
      bytes += AdapterServer.frame(message).count
      if message["type"]?.string == "response" {
        if answered != nil { problem = "two responses to one request" }
        answered = message["request_seq"]?.int
      }
    }
    var reader = MessageReader()
    reader.append(input)
    while problem == nil {
      do throws(MessageReader.Problem) {
        guard let message = try reader.next() else { break }
        guard let request = Request(message) else { continue }
        answered = nil
        let goesOn = adapter.answer(request)
        if answered != request.seq { problem = "\(request.command) was not answered" }
        guard goesOn else { break }
      } catch {
        if case .framing = error { break }
        adapter.complain("\(error)")
      }
    }
    adapter.close()
    return problem ?? (bytes > answerBytesMax ? "\(bytes) bytes were answered" : nil)
  }
}
