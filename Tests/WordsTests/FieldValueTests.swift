// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords
import Testing

/// What the bits of an argument say, by the type of its field.
@Suite struct FieldValueTests {
  @Test(arguments: [
    (FieldType.int, UInt64.max, "-1"), (.hex, 255, "0xff"), (.duration, 5_000, "5 µs"),
    (.bytes, 1_204, "1,204 bytes"), (.bool, 0, "no"), (.bool, 7, "yes"), (.state, 1, "not running"),
    (.work, 1, "ui"), (.level, 2, "disk"), (.resource, 250, "250"), (.log, 300, "300"),
    (.state, 257, "257"), (.double, (2.5).bitPattern, "2.5"),
  ])
  func aTypeReadsItsBits(type: FieldType, bits: UInt64, text: String) {
    #expect("\(FieldValue(bits, type, Names()))" == text)
  }

  @Test func anEventSaysWhatItCarriesByName() {
    var names = Names()
    let edit = Payload.DataDirty(
      object: names.intern("draft.txt"),
      version: 3,
      bytes: 1_204,
      hash: 0xbeef
    )
    var event = Event(edit, at: HostTime(rawValue: 0))
    // A fourth argument that no field of this version names.
    event[3] = 9
    event.argumentCount = 4
    #expect(
      event.values(names).map { "\($0.label)=\($0.value)" } == [
        "object=draft.txt", "version=3", "bytes=1,204 bytes", "hash=0xbeef", "argument3=0x9",
      ]
    )
    #expect(event.arguments(names, unnamed: "arg").map(\.label).last == "arg3")
  }

  /// The parts are what a page or a picture needs: no text is looked through for them.
  @Test func anEventInWordsKeepsItsParts() {
    var names = Names()
    let edit = Payload.DataDirty(
      object: names.intern("draft.txt"),
      version: 3,
      bytes: 1_204,
      hash: 0
    )
    #expect(
      EventText.sentence(Event(edit, at: HostTime(rawValue: 0)), names).parts == [
        .object("draft.txt"), .text(" version 3, "), .bytes(1_204), .text(", in memory only"),
      ]
    )
    let deadline = Payload.DeadlineOpen(
      id: 1,
      what: names.intern("sync"),
      budget: 5_000_000_000,
      clock: .wall
    )
    #expect(
      EventText.sentence(Event(deadline, at: HostTime(rawValue: 0)), names).parts == [
        .name("sync"), .text(": "), .duration(5_000_000_000, error: 0), .text(" from here"),
      ]
    )
  }
}
