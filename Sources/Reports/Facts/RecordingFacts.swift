// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

/// What `info` says of a recording: the file, its processes, its clocks, what is gone.
///
///     let facts = try RecordingFacts(TraceReader(path: path))
///     print(facts.json.text)
package struct RecordingFacts {
  /// The facts about the recording's file.
  package let file: FileFacts
  /// Its processes, and the device, in the order of the file.
  package let writers: [WriterFacts]
  /// How many processes that were only seen from outside are not among the writers.
  package let hidden: Int
  /// Which process has started which.
  package let tree: ProcessTree
  /// Whether all processes are asked for.
  package let showsAll: Bool
  /// Whether it is shown where apps are recorded, too.
  package let showsTree: Bool
  /// From the first event to the last, on the one axis of all clocks.
  package let span: (first: TraceTime, last: TraceTime)?
  /// How its clocks are laid over each other.
  package let alignment: Alignment
  /// What contradicts the order of events of different machines, a sentence each.
  let contradictions: [String]
  /// Why that order cannot be relied on as far as it is proved; none where it can.
  package let orderDoubts: [String]
  /// Their kinds, in the order of the alphabet.
  package let clocks: [String]
  /// How fast time ran.
  package let timeScales: TimeScales
  /// The processes that could not join: a sentence each.
  package let absentees: [String]
  /// Whether the apps of its scenario found data of earlier runs.
  package let keepsData: Bool
  /// Whether the checksums of all chunks were compared.
  package let isRead: Bool
  /// Chunks that are there twice.
  package let duplicates: Int
  /// Whether it ended well.
  package let hasEnd: Bool
  /// Whether a recorder still writes it.
  package let isBeingWritten: Bool

  /// Files above this are known by their headers.
  private static let readBytesMax: UInt64 = 32 << 20

  /// Reads a file of up to 32 MiB whole; of a larger one the headers, and the chunks with ends.
  ///
  /// Without `bystanders`, processes that were only seen from outside are counted, not described.
  /// - Throws: where the file cannot be read any more.
  package init(
    _ reader: TraceReader,
    bystanders: Bool = true,
    recovery: String? = nil
  ) throws(TraceFileError) {
    let streams = reader.streams
    let labels = AppLife.labels(streams.map { (id: $0.writer, attributes: $0.attributes) })
    let timeline = Timeline(FileSource(reader))
    let alignment = timeline.alignment
    self.alignment = alignment
    contradictions = timeline.contradictions
    orderDoubts = timeline.doubts
    clocks = Set(streams.map { "\($0.attributes.clock)" }).sorted()
    let firsts = streams.map { alignment.traceTime($0.firstTime, of: $0.id) }
    let lasts = streams.map { alignment.traceTime($0.lastTime, of: $0.id) }
    if let first = firsts.min(), let last = lasts.max() { span = (first, last) } else { span = nil }
    timeScales = TimeScales(streams.map(\.attributes))
    absentees = Absentees(reader).sentences
    keepsData = DeviceNote.isKept(in: reader)
    isRead = reader.fileBytes <= Self.readBytesMax
    if isRead { try reader.compareChecksums() }
    showsAll = bystanders
    tree = ProcessTree(reader, labels)
    showsTree = bystanders || !streams.contains { $0.attributes.role.isJudged }
    let census = reader.census
    let shown = streams.filter { bystanders || $0.attributes.role != .bystander }
    hidden = streams.count - shown.count
    writers = shown.map { WriterFacts(reader, $0, label: labels[Int($0.id.rawValue)]) }
    duplicates = reader.duplicates
    hasEnd = reader.hasEnd
    isBeingWritten = reader.isBeingWritten
    // Ends and logs were decoded meanwhile: damage in them is known only now.
    var file = FileFacts(reader, recovery: recovery)
    file.census = census
    self.file = file
  }
}

extension DeviceNote {
  /// Whether the recorder has noted that apps found data of earlier runs.
  fileprivate static func isKept(in reader: TraceReader) -> Bool {
    for stream in reader.streams where stream.attributes.role == .harness {
      for chunk in stream.chunks where chunk.kinds.contains(.device) {
        for event in (try? reader.decode(chunk).events) ?? [] where event.kind == .device {
          let note = Payload.Device(event)
          let value = reader.names[note.value ?? .empty]
          if reader.names[note.what] == data, value == keptData { return true }
        }
      }
    }
    return false
  }
}
