// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// An event that another thread hands to the recorder's, with the time of its handing over.
struct Submission: Sendable {
  var subject: Subject
  var event: RecordedEvent
  var time: HostTime
  /// Where it is kept for the case that the recorder is killed.
  var place: SubmissionJournal.Place?

  /// The process into whose stream an event belongs.
  enum Subject: Sendable {
    case writer(WriterID)
    /// The process of that number, also when it has not joined yet.
    case process(Int32)
    /// The same for printed text: that of a process that never joins is the device's.
    case printer(Int32)
  }
}
