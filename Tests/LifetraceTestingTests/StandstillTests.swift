// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TestThreads
import Testing

@testable import LifetraceTesting

/// A simulation in which an app waits for another of the same process says so instead of hanging in silence.
@Suite(.waits) struct StandstillTests {
  @Test func whatWaitsForeverIsNamed() {
    let said = DispatchSemaphore(value: 0)
    let standstill = Standstill(after: .milliseconds(20)) { text in
      #expect(text.contains("stands still in `everything2`"))
      said.signal()
    }
    standstill.watch {
      standstill.moved(to: "everything2")
      // As an app would for a lock that is never released; what ends it here is the report.
      #expect(said.wait(timeout: .now() + 10) == .success, "nothing was reported")
    }
  }
}
