// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// To which recording a chunk belongs, in words that fit a subject.
package enum Session {
  /// The session of a writer's chunks; one of a recording that names none is the writer's alone.
  package static func name(of writer: WriterID, _ attributes: WriterAttributes) -> String {
    attributes.origin.session?.text ?? writer.text
  }

  /// The session of a chunk.
  package static func name(of header: ChunkHeader) -> String {
    name(of: header.writer, header.attributes)
  }
}
