// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

@Suite struct NamesTests {
  /// An accent as one character or as two: the same to the eye, two files to the system.
  @Test func namesAreTheirBytes() {
    var names = Names()
    let composed = names.intern("caf\u{e9}.txt")
    let decomposed = names.intern("cafe\u{301}.txt")
    #expect(composed != decomposed)
    #expect(Array(names[composed].utf8) != Array(names[decomposed].utf8))
    #expect(names.intern("caf\u{e9}.txt") == composed)
    #expect(names.find("cafe\u{301}.txt") == decomposed)
    #expect(names.find("cafe") == nil)
  }

  /// Strings of any length that share beginnings and ends, met lately or long ago.
  @Test func aNameKeepsItsId() {
    var names = Names()
    let words = (0..<20_000).map { number in
      String(repeating: "ab", count: number % 9) + "\(number)" + String("yz".prefix(number % 3))
    }
    let ids = words.map { names.intern($0) }
    #expect(Set(ids).count == Set(words).count)
    for (word, id) in zip(words, ids).reversed() {
      #expect(names.intern(word) == id)
      var bytes = word
      #expect(bytes.withUTF8 { names.intern(utf8: $0) } == id)
      #expect(names[id] == word)
    }
    #expect(names.intern("") == .empty)
  }

  /// Sites that differ in one part only are others; the same parts are the same site.
  @Test func aSiteIsItsParts() {
    var names = Names()
    let files = ["", "Notes/Store.swift", "console.log"].map { names.intern($0) }
    let words = ["", "save", "load"].map { names.intern($0) }
    let labels = [[], [Field("size", .bytes)], [Field("size", .int)]]
    var sites: [Site] = []
    for name in words {
      for file in files {
        for line in UInt32(0)..<700 {
          for labels in labels {
            sites.append(Site(name: name, file: file, line: line, labels: labels))
          }
        }
      }
    }
    let ids = sites.map { names.intern($0) }
    #expect(ids[0] == .none)
    #expect(Set(ids).count == sites.count)
    for (site, id) in zip(sites, ids) {
      #expect(names.intern(site) == id)
      #expect(names[id] == site)
    }
  }
}
