// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Dispatch
import LifetracePlatform

extension Recorder {
  /// Ends the recording; where that waits for room, a signal ends the wait.
  ///
  /// `signals` is a descriptor of signals that is read only here meanwhile; nil where it is read
  /// elsewhere.
  func stop(hearing signals: Int32?) throws(RecorderError) -> RecordingSummary {
    guard let signals else { return try stop() }
    let listener = DispatchSource.makeReadSource(
      fileDescriptor: signals,
      queue: DispatchQueue(label: "lifetrace.end")
    )
    listener.setEventHandler {
      var signal = cplatform_signal()
      while cplatform_signal_read(signals, &signal) == 1 {
        if signal.number != SIGUSR1 { self.endHold() }
      }
    }
    listener.resume()
    defer { listener.cancel() }
    return try stop()
  }
}
