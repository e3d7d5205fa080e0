// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

@testable import LifetraceQuery

@Suite struct KindWordTests {
  @Test func aFamilyIsAllOfItsKindsWhateverTheyBeginWith() throws {
    let dotted = KindInfo.all.map(\.name).filter { $0.contains(".") }
    for family in Set(dotted.compactMap { $0.split(separator: ".").first }) {
      let kinds = KindInfo.all.filter { $0.name.hasPrefix(family + ".") }.map(\.kind)
      let word = try #require(KindWord.find(family + "."), "\(family)")
      #expect(word.kinds == KindSet(kinds), "\(family)")
    }
  }

  @Test func aDottedKindIsItselfAndAUniqueBeginningWillDo() throws {
    #expect(try #require(KindWord.find("data.dirty")).kinds == KindSet([.dataDirty]))
    #expect(try #require(KindWord.find("data.fl")).kinds == KindSet([.dataFlushing]))
    // `data.dirty` or `data.discarded` or `data.durable`: nobody can tell.
    #expect(KindWord.find("data.d") == nil)
    #expect(KindWord.find("nothing.like.this") == nil)
  }
}
