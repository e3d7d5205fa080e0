// SPDX-License-Identifier: Apache-2.0
import Fuzzing
import Glibc
import Testing

/// 120,000 hostile inputs through everything that reads; LIFETRACE_TEST_SCALE multiplies them.
///
/// LIFETRACE_FUZZ_SEED chooses others. After a crash the last line printed tells how to run
/// the one input again with the program `Fuzz`, which also makes it small.
@Suite(.serialized) struct FuzzTests {
  static let scale = getenv("LIFETRACE_TEST_SCALE").flatMap { Double(String(cString: $0)) } ?? 1
  static let seed = getenv("LIFETRACE_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

  /// Of 120,000 in all.
  private static func share(_ target: Fuzz.Target) -> Int {
    switch target {
    case .trace: 4_000
    case .columns: 20_000
    case .keyframe: 16_000
    case .console: 6_000
    case .story: 4_000
    case .scenario: 16_000
    case .configuration: 4_000
    case .wire: 22_000
    case .editor: 2_000
    case .pool: 6_000
    case .context: 20_000
    }
  }

  @Test(arguments: Fuzz.Target.allCases)
  func survives(target: Fuzz.Target) {
    let count = max(1, Int(Double(Self.share(target)) * Self.scale))
    print("fuzz: \(target.rawValue), seed \(Self.seed), \(count) inputs")
    let fuzz = Fuzz(target, seed: Self.seed)
    var slowest: (seconds: Double, index: Int) = (0, 0)
    for index in 0..<count {
      let input = fuzz.input(index)
      let start = clock()
      CrashNote.set("Fuzz --target \(target.rawValue) --seed \(Self.seed) --first \(index) 1")
      let fault = fuzz.run(input)
      let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
      if seconds > slowest.seconds { slowest = (seconds, index) }
      if let fault {
        Issue.record("\(target.rawValue) seed \(Self.seed) index \(index): \(fault)")
        break
      }
    }
    CrashNote.set("")
    #expect(slowest.seconds < Double(Fuzz.secondsMax), "index \(slowest.index) is slow")
  }
}
