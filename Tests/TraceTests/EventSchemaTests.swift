// SPDX-License-Identifier: Apache-2.0
import Testing
import LifetraceTrace

@Suite struct EventSchemaTests {
  @Test func everyKindFitsItsEvent() {
    for info in KindInfo.all {
      #expect(info.fields.count <= Event.argumentsMax, "\(info.name)")
      #expect(info.kind.info == info, "\(info.name): its number is taken twice")
    }
    #expect(KindInfo.byName.count == KindInfo.all.count)
  }

  @Test func eventIsPlainBytes() {
    #expect(MemoryLayout<Event>.stride == 72)
    #expect(_isPOD(Event.self))
  }
}
