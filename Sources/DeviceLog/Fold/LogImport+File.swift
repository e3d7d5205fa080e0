// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
package import LifetraceTraceFile

extension LogImport {
  /// Writes everything into a new trace file.
  package func write(to file: TraceWriter) throws(TraceFileError) {
    var builder = TraceBuilder(names: names)
    for stream in streams {
      try builder.add(stream.id, stream.attributes, stream.events, to: file)
    }
    try file.finish(end: true)
  }
}
