// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

/// A service for which an app may run on in the background, if it declares the mode of that name.
public enum BackgroundService: String, Sendable, CaseIterable {
  /// Sound is played.
  case audio
  /// Location updates are asked for.
  case location
  /// A call is kept open.
  case voip
  /// An accessory talks to the app.
  case externalAccessory = "external-accessory"
  /// A Bluetooth accessory does.
  case bluetoothCentral = "bluetooth-central"
}

extension Application {
  /// Says that a service runs from now on: with its mode declared the app is not suspended, and has no
  /// end of its time in the background.
  ///
  /// Location and VoIP last only while they are said to run. An app that declares one of the other
  /// modes, and says nothing of its service, is taken to use it all the time.
  public func startService(_ service: BackgroundService) { change(service, runs: true) }

  /// Says that a service has stopped: without another one the app's time in the background begins.
  public func stopService(_ service: BackgroundService) { change(service, runs: false) }

  private func change(_ service: BackgroundService, runs: Bool) {
    let wasRunning = tasks.withLock { table in
      defer { table.services[service.rawValue] = runs }
      return table.services[service.rawValue]
    }
    guard wasRunning != runs else { return }
    AppTrace.service(service.rawValue, runs: runs)
    surroundings.send(.service(mode: service.rawValue, runs: runs))
    if applicationState == .background { limitBackgroundTime(true) }
  }
}
