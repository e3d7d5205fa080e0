// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
package import LifetraceTrace

extension RecordingOrigin {
  /// What a run is called in the environment of its recorders; anything up to 256 bytes.
  package static let runVariable = "LIFETRACE_RUN"

  /// Where this process records the recording `session`.
  package static func here(session: WideID, run: String) -> RecordingOrigin {
    var random = SystemRandomNumberGenerator()
    let recorder = WideID(high: random.next(), low: random.next())
    return RecordingOrigin(session: session, run: run, machine: thisMachine, recorder: recorder)
  }

  /// The run that this process was started for: as the environment says, else as the trace of its caller
  /// is called; empty for none.
  package static var runOfEnvironment: String {
    if let run = environment(runVariable), !run.isEmpty { return run }
    return environment("TRACEPARENT").flatMap { traceID(of: $0) } ?? ""
  }

  /// The trace id of a `traceparent`, as W3C Trace Context has it: 00-<32 digits>-<16 digits>-<2 digits>.
  package static func traceID(of traceparent: String) -> String? {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].count == 2, parts[0] != "ff", let id = WideID(parts[1]),
      id != WideID(high: 0, low: 0)
    else { return nil }
    return id.text
  }

  private static let thisMachine = SmallFile.lineIfReadable("/etc/machine-id")
    .flatMap { machine(of: $0) }

  /// The number of a machine for this program, as systemd derives it; nil where the machine has no id.
  ///
  /// A machine's own id is not to leave it, see `sd_id128_get_machine_app_specific`. Many containers have
  /// none.
  package static func machine(of machineID: String) -> WideID? {
    guard let id = WideID(machineID), id != WideID(high: 0, low: 0) else { return nil }
    func bytes(_ id: WideID) -> [UInt8] {
      [id.high, id.low].flatMap { half in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
      }
    }
    let code = SHA256.code(of: bytes(application), key: bytes(id))
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    // It is marked as a UUID of random bits.
    return WideID(
      high: half(code[0..<8]) & ~0xf000 | 0x4000,
      low: half(code[8..<16]) & ~(3 << 62) | 2 << 62
    )
  }

  /// This program's own number; another one gives other machines.
  private static let application = WideID(high: 0x6c5e_9a1f_4d0b_4b3e, low: 0x9a70_51c2_e83d_17f4)
}
