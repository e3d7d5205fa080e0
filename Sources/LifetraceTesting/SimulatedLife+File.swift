// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
import LifetraceScenario
import LifetraceTrace
public import LifetraceTraceFile

extension SimulatedLife {
  /// Keeps the life as a trace file, to replay it at the desk.
  ///
  /// - Throws: When there is a file at `path`, or it cannot be written.
  public func write(to path: String) throws(TraceFileError) {
    let writer = try TraceWriter(path: path, options: .create)
    var names = self.names
    let streams = streamsWithScenario(&names)
    var builder = TraceBuilder(names: names)
    for stream in streams where !stream.events.isEmpty {
      try builder.add(stream.writer, stream.attributes, stream.events, to: writer)
    }
    try writer.finish(end: true)
  }

  /// The streams of the file: behind all else the device's says which scenario it was.
  private func streamsWithScenario(_ names: inout Names) -> [Stream] {
    var streams = self.streams
    let index = streams.firstIndex { $0.writer == device.writer } ?? streams.endIndex
    if index == streams.endIndex { streams.append(device) }
    let last = streams[index].events.last
    let end = streams.compactMap { $0.events.last?.time }.max() ?? HostTime(rawValue: 0)
    var event = KeptScenario(scenario).event.event(at: end, names: &names) { text, _, names in
      names.intern(text)
    }
    event.stream = StreamID(rawValue: UInt32(index))
    event.sequence = last.map { $0.sequence + 1 } ?? 0
    streams[index].events.append(event)
    return streams
  }
}
