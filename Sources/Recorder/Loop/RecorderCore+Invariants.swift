// SPDX-License-Identifier: Apache-2.0

extension RecorderCore {
  /// What holds between the values of the loop whenever a pass is over; asked in debug builds only.
  func checkInvariants() -> Bool {
    exiting.allSatisfy(\.hasEnded)
      && processes.allSatisfy { $0.value.pid == $0.key }
      && streams.allSatisfy { $0.value.id == $0.key && $0.value.intake.checkInvariants() }
      && live.allSatisfy { $0 === device || streams[$0.id] === $0 }
      && heldUntilJoin.allSatisfy { $0.value.count <= Self.heldMax }
      && pools.checkInvariants() && lastLives.checkInvariants()
  }
}
