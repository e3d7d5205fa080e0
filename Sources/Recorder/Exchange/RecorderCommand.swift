// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LifetraceTrace
import Synchronization

/// Something for the recorder's thread to do.
enum RecorderCommand: Sendable {
  case launched
  case identified(pid: Int32, app: String, previous: WriterID?)
  /// What has come so far through a pipe of the process is all that it has printed there.
  case printed(pid: Int32)
  case flush(Answer)
  case drained(Answer)
  case snapshot(Answer)
  case deviceReboot
  case stop(Answer)
  case discard

  /// Signalled when it is done, where a caller waits for that.
  var answer: Answer? {
    switch self {
    case .flush(let answer), .drained(let answer), .snapshot(let answer), .stop(let answer):
      answer
    case .launched, .identified, .printed, .deviceReboot, .discard: nil
    }
  }

  /// What the recorder's thread has to say to a command.
  final class Answer: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let problem = Mutex<RecorderError?>(nil)

    func give(_ problem: RecorderError? = nil) {
      self.problem.withLock { $0 = problem }
      done.signal()
    }

    /// Nil when it is done.
    func wait() -> RecorderError? {
      done.wait()
      return problem.withLock { $0 }
    }
  }
}
