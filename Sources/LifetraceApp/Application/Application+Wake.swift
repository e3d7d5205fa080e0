// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

extension Application {
  /// Tells the system of the incoming call for which a VoIP push has woken the app.
  ///
  /// Each such push wants one, before its handler completes; the oldest comes first. A call that no
  /// push has announced is not recorded. `call` identifies it, as the app likes. Callable on any
  /// thread.
  public nonisolated func reportNewIncomingCall(
    _ call: String = "",
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    let wake = calls.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let wake else { return }
    AppTrace.callReported(wake: wake, call: call, at: AppTrace.site(file, line))
    surroundings.send(.callReported(wake: wake))
  }

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
