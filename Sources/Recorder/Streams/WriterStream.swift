// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// The stream of one writer while it is recorded: numbers, folds and collects events until a chunk is sealed.
///
/// Used by the recorder's thread alone.
final class WriterStream {
  /// The test that its process was started for; empty for none.
  var test = ""
  let id: WriterID
  var attributes: WriterAttributes
  /// Its pool; nil for the device and for bystanders.
  var pool: PoolFile?
  /// What comes in, up to the open chunk.
  var intake = StreamIntake()
  /// No further event of its own will come.
  var hasEnded = false
  /// Its start stands in the stream.
  var hasStarted = false
  /// Another recorder had it before: what the process has dropped and nobody has reported may have been
  /// in front of what its pool holds now.
  var mayLackBefore = false
  /// Events of host and recorder that wait for their turn, by time.
  var waiting = WaitingEvents()
  /// Those of the open chunk whose records are to be released once it is written.
  var unwritten: [(place: SubmissionJournal.Place, sequence: UInt64)] = []
  /// The events counted instead of written; made with the first of them.
  var ledger: RefusalLedger?
  /// Where the session keeps how far the stream is numbered.
  var writtenPlace: Int?
  /// When the first event of the open chunk was appended, on the host's clock.
  var openSince: Int64 = 0

  init(id: WriterID, attributes: WriterAttributes, pool: PoolFile?, chunkBytesMax: Int? = nil) {
    intake.size = chunkBytesMax.map(OpenSize.init)
    self.id = id
    self.attributes = attributes
    self.pool = pool
  }
}
