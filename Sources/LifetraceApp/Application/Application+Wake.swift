// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

extension Application {
  /// Runs the handler that fits the reason; the completion it is given may be called on any thread.
  func wake(_ reason: WakeReason, id: UInt64, payload: String, seconds: Double) {
    if applicationState == .background { renewBackgroundTime(seconds: seconds) }
    AppTrace.wakeBegan(id: id, reason: reason.rawValue)
    let surroundings = self.surroundings
    let complete: @Sendable (String) -> Void = { result in
      AppTrace.wakeCompleted(id: id, result: result)
      surroundings.send(.completed(wake: id, result: result))
    }
    let finish: @Sendable (BackgroundFetchResult) -> Void = { complete($0.rawValue) }
    switch reason {
    case .push:
      tellDelegate("application:didReceiveRemoteNotification:fetchCompletionHandler:") {
        $0.application(
          self,
          didReceiveRemoteNotification: ["aps": payload],
          fetchCompletionHandler: finish
        )
      }
    case .fetch:
      tellDelegate("application:performFetchWithCompletionHandler:") {
        $0.application(self, performFetchWithCompletionHandler: finish)
      }
    case .urlSession:
      tellDelegate("application:handleEventsForBackgroundURLSession:completionHandler:") {
        $0.application(
          self,
          handleEventsForBackgroundURLSession: payload,
          completionHandler: { complete("done") }
        )
      }
    case .location: other(.location, finish)
    case .bluetooth: other(.bluetooth, finish)
    case .voip:
      calls.withLock { $0 = $0.suffix(Self.callsMax - 1) + [id] }
      other(.voip, finish)
    case .processing: other(.processing, finish)
    }
  }

  /// More calls than this do not wait for their reports.
  private static var callsMax: Int { 64 }

  /// Reports the incoming call for which the app was woken, as CallKit's `reportNewIncomingCall` does.
  ///
  /// Each VoIP wake must be answered by one report, at once and before its completion handler is
  /// called. The oldest wake that has none is meant; without one nothing is recorded. Callable on
  /// any thread.
  public nonisolated func reportNewIncomingCall(_ call: String = "") {
    let wake = calls.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let wake { AppTrace.wakeReported(id: wake, call: call) }
  }

  private func other(
    _ reason: BackgroundWake,
    _ finish: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    let name =
      switch reason {
      case .location: "didUpdateLocations"
      case .bluetooth: "bluetoothEvent"
      case .voip: "didReceivePush"
      case .processing: "backgroundTaskLaunch"
      }
    tellDelegate(name) {
      $0.application(self, handleBackgroundWake: reason, completionHandler: finish)
    }
  }
}
