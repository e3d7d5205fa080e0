// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
package import LifetraceTraceFile

extension Story {
  /// Writes everything into a new trace file.
  package func write(to file: TraceWriter) throws(TraceFileError) {
    var builder = TraceBuilder(names: names)
    for writer in writers where !writer.events.isEmpty {
      try builder.add(writer.id, writer.attributes, writer.events, to: file)
    }
    try file.finish(end: true)
  }
}
