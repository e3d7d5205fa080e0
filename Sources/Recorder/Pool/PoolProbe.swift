// SPDX-License-Identifier: Apache-2.0

import CLifetrace
package import LifetraceTrace

/// The way of one pool through the recorder without processes and without a file: the target of
/// hostile pools by the million.
package enum PoolProbe {
  /// Reads the pool `name` in `directory` as two rounds of the recorder do.
  ///
  /// The chunks that would be written; nil for a pool that is refused.
  package static func chunks(of name: String, in directory: String, now: HostTime)
    -> [EncodedChunk]?
  {
    guard let pool = try? PoolFile(name, in: directory, bytesMax: 64 << 20) else { return nil }
    let redact = Redactor([])
    let attributes = WriterAttributes(app: pool.app.string, role: .app)
    let stream = WriterStream(id: pool.writer, attributes: attributes, pool: pool)
    let (fit, words) = (ClockFit(), KindWords())
    var names = Names()
    var chunks: [EncodedChunk] = []
    for _ in 0..<2 {
      stream.intake.reader.look(pool, fit)
      stream.intake.tables.refresh(pool, names: &names, redact: redact)
      let possible = fit.start...now.rawValue
      repeat {
        _ = stream.intake.take(upTo: .max, clamp: possible, fit, words, names)
        while let loss = stream.intake.reader.nextDropped(pool) {
          stream.intake.count(loss)
          stream.intake.reader.noteDropped(loss)
        }
        guard !stream.intake.isEmpty else { break }
        chunks.append(
          stream.intake.seal(
            writer: stream.id,
            attributes: stream.attributes,
            keepsLast: true,
            settling: .none,
            names: names
          )
        )
        stream.intake.consume(pool)
      } while stream.intake.reader.hasMore
    }
    return chunks
  }
}
