// SPDX-License-Identifier: Apache-2.0

/// Runs `body` as the main actor would, whose thread sleeps meanwhile.
///
/// unsafe: only ``MainWatch`` calls it, while it keeps that thread from going on in the simulator.
func standingIn<Result>(_ body: @MainActor () -> Result) -> Result {
  withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> Result).self)() }
}
