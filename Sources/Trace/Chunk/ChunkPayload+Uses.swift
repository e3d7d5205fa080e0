// SPDX-License-Identifier: Apache-2.0

extension ChunkPayload {
  /// Which strings and sites the rows use, by local numbers, as far as rows can be decoded.
  ///
  /// Decodes the rows with local numbers for ids. That takes as long as decoding them: it is for
  /// chunks whose strings would take longer.
  func used(strings: Int, sites: Int) -> (strings: [Bool], sites: [Bool]) {
    var local = self
    local.number(strings: strings, sites: sites)
    var kindOf = [KindInfo?](repeating: nil, count: 256)
    for kind in kinds { kindOf[Int(kind.kind.rawValue)] = kind }
    var usedStrings = [Bool](repeating: false, count: strings)
    var usedSites = [Bool](repeating: false, count: sites)
    func use(_ value: UInt64) { if value < UInt64(strings) { usedStrings[Int(value)] = true } }

    let buffer = StrideBuffer()
    for stride in 0..<strideCount {
      // Damage of the rows is reported when they are decoded for good.
      try? local.withEvents(of: stride, in: buffer) { events in
        for index in events.indices {
          let event = events[index]
          usedSites[Int(event.site.rawValue)] = true
          guard let kind = kindOf[Int(event.kind.rawValue)] else { continue }
          if kind.isNameIdentity { use(event.identity) }
          for argument in 0..<Event.argumentsMax {
            let label = argument - kind.fields.count
            let isName =
              label < 0
              ? kind.fields[argument].type == .name
              : labelMasks[Int(event.site.rawValue)] >> UInt16(label) & 1 != 0
            if isName { use(event[argument]) }
          }
        }
      }
    }
    return (usedStrings, usedSites)
  }
}
