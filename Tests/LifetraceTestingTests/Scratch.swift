// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTesting
import LifetraceTrace

/// A directory that is gone with the test.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/lifetrace-test-XXXXXX\0".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failed() }
    path = String(cString: made)
  }

  struct Failed: Error {}

  deinit {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { unlink("\(path)/\(name)") }
      }
      closedir(directory)
    }
    rmdir(path)
  }
}

extension SimulatedLife {
  /// All events of a kind, over all streams.
  func events(_ kind: EventKind) -> [Event] {
    streams.flatMap { $0.events.filter { $0.kind == kind } }
  }

  /// A line an event, for comparisons: kind, time, thread, name, arguments as numbers.
  var text: String {
    streams.flatMap { stream in
      stream.events.map { event in
        let name = names[names[event.site].name]
        let kind = event.kind.info?.name ?? "?"
        return "\(event.time.rawValue) \(event.thread.rawValue) \(kind) \(name) \(event.arguments)"
      }
    }
    .joined(separator: "\n")
  }
}
