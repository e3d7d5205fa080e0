// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// A recording of fixture processes in a directory of its own, read back.
final class Recording {
  let directory: String
  let recorder: Recorder
  var output: String { directory + "/run.lifetrace" }

  init(_ change: (inout RecorderOptions) -> Void = { _ in }) throws {
    directory = try Self.makeDirectory()
    var options = RecorderOptions(output: directory + "/run.lifetrace")
    options.sessionParents = [directory]
    change(&options)
    recorder = try Recorder(options)
    try recorder.start()
  }

  deinit { Self.remove(directory) }

  static func makeDirectory() throws -> String {
    var template = Array("\(TestProgram.temporary)/recording-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
    return String(cString: try #require(made))
  }

  static func remove(_ directory: String) { cplatform_remove_tree(directory) }

  /// A process that no recorder knows of; 0 where it could not be started.
  static func spawn(_ command: [String], input: Int32 = -1, output: Int32 = -1) -> Int32 {
    var strings = command.map { strdup($0) }
    strings.append(nil)
    defer { for string in strings { free(string) } }
    var request = cplatform_spawn_request()
    request.standard = (input, output, -1)
    request.group = -1
    var stage: Int32 = 0
    return strings.withUnsafeBufferPointer { strings in
      request.arguments = strings.baseAddress
      request.environment = UnsafePointer(environ)
      return max(0, cplatform_spawn(&request, &stage))
    }
  }

  /// Where the fixture programs and the built command are.
  static var products: String { TestProgram.products }

  func launch(_ story: String...) throws -> ChildProcess {
    var options = LaunchOptions()
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    options.output = null
    return try recorder.launch([Self.products + "/Emitter"] + story, options)
  }

  /// Runs a story to its end; the code that a shell would tell.
  func run(_ story: String...) throws -> Int32? {
    var options = LaunchOptions()
    options.group = 0
    let child = try recorder.launch([Self.products + "/Emitter"] + story, options)
    return child.wait(nanoseconds: 60_000_000_000)?.shellCode
  }
}

/// A whole trace in memory.
struct ReadTrace {
  struct Stream {
    var stream: TraceStream
    var events: [Event]
  }
  var streams: [Stream] = []
  var names: Names
  var problems: [TraceProblem]
  var hasEnd: Bool

  init(_ path: String) throws {
    let reader = try TraceReader(path: path)
    for stream in reader.streams {
      var events: [Event] = []
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
      streams.append(Stream(stream: stream, events: events))
    }
    names = reader.names
    problems = reader.problems
    hasEnd = reader.hasEnd
  }

  /// The streams of processes that joined.
  var apps: [Stream] {
    streams.filter {
      $0.stream.attributes.app != "device" && $0.stream.attributes.role != .bystander
    }
  }
}
