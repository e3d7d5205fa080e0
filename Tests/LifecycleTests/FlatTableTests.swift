// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceLifecycle

@Suite struct FlatTableTests {
  @Test(arguments: [4, 14, 40, 3000])
  func doesWhatADictionaryDoes(_ keys: UInt64) {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var table = FlatTable<UInt64, Int>()
    var model: [UInt64: Int] = [:]
    for step in 0..<6000 {
      let key = UInt64.random(in: 0..<keys, using: &random)
      if Int.random(in: 0..<5, using: &random) < (step < 3000 ? 3 : 2) {
        table.insert(step, for: key)
        model[key] = step
      } else if let place = table.place(of: key) {
        table.remove(at: place)
        model[key] = nil
      } else {
        #expect(model[key] == nil, "seed \(seed), step \(step)")
      }
      if step % 64 == 0 {
        table.checkInvariants()
        #expect(table.count == model.count)
        for (key, value) in model where table[key] != value {
          Issue.record("seed \(seed), step \(step): \(key) is \(String(describing: table[key]))")
        }
      }
    }
  }

  @Test func equalWhateverTheOrder() {
    var left = FlatTable<UInt64, Int>()
    var right = FlatTable<UInt64, Int>()
    for key in 0..<UInt64(30) { left.insert(Int(key), for: key) }
    for key in (0..<UInt64(30)).reversed() { right.insert(Int(key), for: key) }
    #expect(left == right)
    right.insert(7, for: 3)
    #expect(left != right)
  }
}
