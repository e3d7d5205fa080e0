// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
public import LifetraceTraceFile

extension SimulatedLife {
  /// Keeps the life as a trace file, to replay it at the desk.
  ///
  /// - Throws: When there is a file at `path`, or it cannot be written.
  public func write(to path: String) throws(TraceFileError) {
    let writer = try TraceWriter(path: path, options: .create)
    var builder = TraceBuilder(names: names)
    for stream in streams where !stream.events.isEmpty {
      try builder.add(stream.writer, stream.attributes, stream.events, to: writer)
    }
    try writer.finish(end: true)
  }
}
