// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Support
import Testing

/// Searching bytes finds what going through them place by place finds.
@Suite struct SearchTests {
  private func found(_ needle: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
    text.withUnsafeBytes { text in
      needle.withUnsafeBytes { needle in
        guard let begin = text.baseAddress else { return nil }
        let hit = cplatform_find(begin, text.count, needle.baseAddress, needle.count)
        return hit.map { $0 - begin }
      }
    }
  }

  private func sought(_ needle: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
    guard needle.count <= text.count else { return nil }
    return (0...(text.count - needle.count)).first { place in
      text.dropFirst(place).prefix(needle.count).elementsEqual(needle)
    }
  }

  /// Two letters only, so that first and last byte fit nearly everywhere.
  @Test func anyNeedleIsFoundInAnyText() {
    var random = SeededRandom(seed: 11)
    for length in 1...70 {
      let text = (0..<length).map { _ in UInt8(ascii: random.below(4) == 0 ? "b" : "a") }
      for begin in 0..<min(length, 5) {
        let part = text[begin...]
        for count in 1...20 {
          let from = random.below(length)
          let inside = text[from..<min(from + count, length)]
          #expect(found(inside, in: part) == sought(inside, in: part))
          var outside = inside
          outside[from + random.below(inside.count)] ^= 3
          #expect(found(outside, in: part) == sought(outside, in: part))
        }
      }
    }
  }

  /// At each place of a text of each length, the last one included.
  @Test func theOnlyPlaceIsFound() {
    let needle = Array("needle".utf8)
    for length in needle.count...80 {
      for place in 0...(length - needle.count) {
        var text = [UInt8](repeating: UInt8(ascii: "n"), count: length)
        text.replaceSubrange(place..<(place + needle.count), with: needle)
        #expect(found(needle[...], in: text[...]) == place)
        text[place + 5] = UInt8(ascii: "x")
        #expect(found(needle[...], in: text[...]) == nil)
      }
    }
  }
}
