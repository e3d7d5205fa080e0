// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

/// Which process has started which, with their commands and how they ended.
///
///     ProcessTree(reader, labels).lines
///     // make test  pid 4, exit 2, 3.1 s
///     //   cc -c a.c  pid 5, exit 0, 200 ms
///
/// Made of the processes that were only seen from outside, and of those with a stream of their own,
/// below which others may stand.
package struct ProcessTree: Sendable {
  /// One process.
  package struct Process: Sendable {
    package let pid: UInt64
    /// 0 where it is not known.
    package let parent: UInt64
    /// Program and arguments, or how a recorded app is called; empty where it was gone at once.
    package let command: String
    /// Nanoseconds; nil for one with a stream of its own.
    package let lasted: Int64?
    /// As `process.seen` has it; nil for one with a stream of its own.
    package let status: UInt64?
    /// On the clock of the host.
    let begin: Int64
    let end: Int64
  }

  /// In order of their begins.
  package let processes: [Process]
  /// How many of them have no stream of their own.
  package let seen: Int

  /// Decodes the chunks of `reader` that hold such events; `labels` are by stream.
  init(_ reader: TraceReader, _ labels: [String]) {
    var found: [Process] = []
    let ends = Self.seen(reader)
    // One that lived for longer has a stream, and at its end the event too.
    let times = Dictionary(grouping: ends, by: \.pid).mapValues { Set($0.map(\.end)) }
    func isSeen(_ stream: TraceStream) -> Bool {
      times[UInt64(stream.attributes.pid)]?.contains(stream.lastTime.rawValue) ?? false
    }
    for stream in reader.streams {
      let attributes = stream.attributes
      if attributes.pid > 0, attributes.role != .bystander || !isSeen(stream) {
        found.append(
          Process(
            pid: UInt64(attributes.pid),
            parent: 0,
            command: labels[Int(stream.id.rawValue)],
            lasted: nil,
            status: nil,
            begin: stream.firstTime.rawValue,
            end: stream.lastTime.rawValue
          )
        )
      }
    }
    processes = (found + ends).sorted { ($0.begin, $0.pid) < ($1.begin, $1.pid) }
    seen = ends.count - reader.streams.count { $0.attributes.role == .bystander && isSeen($0) }
  }

  /// The processes of which an event says all.
  private static func seen(_ reader: TraceReader) -> [Process] {
    var found: [Process] = []
    for stream in reader.streams {
      for chunk in stream.chunks where chunk.kinds.contains(.processSeen) {
        for event in (try? reader.decode(chunk).events) ?? [] where event.kind == .processSeen {
          let seen = Payload.ProcessSeen(event)
          let lasted = max(0, seen.lasted)
          found.append(
            Process(
              pid: seen.pid,
              parent: seen.parent,
              command: reader.names[seen.command],
              lasted: lasted,
              status: seen.status,
              begin: event.time.rawValue &- lasted,
              end: event.time.rawValue
            )
          )
        }
      }
    }
    return found
  }

  /// The tree, two blanks a level; at most `linesMax` lines, and how many there are more.
  package func lines(linesMax: Int) -> [String] {
    var children: [Int: [Int]] = [:]
    var roots: [Int] = []
    let numbered = Dictionary(grouping: processes.indices) { processes[$0].pid }
    for (index, process) in processes.enumerated() {
      let parent = process.parent == 0 ? nil : self.parent(of: process, among: numbered)
      if let parent { children[parent, default: []].append(index) } else { roots.append(index) }
    }
    var out: [String] = []
    var waiting = roots.reversed().map { (index: $0, depth: 0) }
    while let (index, depth) = waiting.popLast() {
      out.append(String(repeating: "  ", count: min(depth, 20)) + line(processes[index]))
      for child in (children[index] ?? []).reversed() { waiting.append((child, depth + 1)) }
    }
    let more = out.count - linesMax
    return more > 1 ? out.prefix(linesMax) + ["and \(more) processes more (--all)"] : out
  }

  /// A number may have been several processes': the last that had begun is meant, or one that was
  /// first seen a moment after what it had started.
  private func parent(of process: Process, among numbered: [UInt64: [Int]]) -> Int? {
    guard let those = numbered[process.parent], process.parent != process.pid else { return nil }
    if let before = those.last(where: { processes[$0].begin <= process.begin }) { return before }
    return those.first { processes[$0].parent != process.pid }
  }

  private func line(_ process: Process) -> String {
    let command = process.command.isEmpty ? "(gone at once)" : process.command
    var parts = ["pid \(process.pid)"]
    if let status = process.status { parts.append(SeenStatus.words(status)) }
    if let lasted = process.lasted { parts.append(Quantity.duration(lasted)) }
    return Printable.line("\(command)  \(parts.joined(separator: ", "))")
  }
}
