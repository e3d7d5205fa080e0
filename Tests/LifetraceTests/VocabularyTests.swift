// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Lifetrace
import Testing
import LifetraceTrace

enum TraceKinds {
  /// The kinds that an app, not a host or a recorder, has words for in C.
  static let fromApps: [EventKind] = [
    .transition, .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .notificationPosted,
    .notificationDelivered, .notificationHandled, .wakeBegin, .wakeCompletion, .workBegin,
    .workEnd, .waitBegin, .waitEnd, .taskBegin, .taskExpire, .taskEnd, .deadlineOpen,
    .deadlineClose, .dataDirty, .dataFlushing, .dataDurable, .dataRestored, .dataDiscarded,
    .resourceAcquire, .resourceRelease, .resourceUse, .memorySample, .device, .touch,
    .messageSend, .messageReceive, .testBegin, .testEnd, .mark, .log,
  ]
}

/// The SDK depends on nothing, so it says the trace's numbers a second time; here they meet.
@Suite struct VocabularyTests {
  @Test func enumsHaveTheNumbersOfTheFormat() {
    #expect(Lifetrace.AppState.allCases.map(\.rawValue) == AppState.allCases.map(\.rawValue))
    #expect(Lifetrace.AppState.allCases.map { "\($0)" } == AppState.allCases.map { "\($0)" })
    #expect(Lifetrace.WorkKind.allCases.map { "\($0)" } == WorkKind.allCases.map { "\($0)" })
    #expect(Lifetrace.Level.allCases.map { "\($0)" } == DurabilityLevel.allCases.map { "\($0)" })
    #expect(
      Lifetrace.ResourceClass.allCases.map { "\($0)" } == ResourceClass.allCases.map { "\($0)" }
    )
    #expect(
      Lifetrace.Role.allCases.map { "\($0)" }
        == ProcessRole.allCases.filter { $0 != .bystander }.map { "\($0)" }
    )
  }

  @Test func kindsHaveTheNumbersOfTheFormat() {
    #expect(Lifetrace.Kind.dataDirty.rawValue == EventKind.dataDirty.rawValue)
    #expect(Lifetrace.Kind.end.rawValue == EventKind.end.rawValue)
    #expect(LT_KIND_DATA_DIRTY.rawValue == UInt32(EventKind.dataDirty.rawValue))
    #expect(LT_KIND_END.rawValue == UInt32(EventKind.end.rawValue))
    #expect(LT_FAMILY_DATA.rawValue == UInt32(EventFamily.data.rawValue))
    #expect(LT_FAMILY_UNKNOWN.rawValue == UInt32(EventFamily.unknown.rawValue))
  }

  // Labels name their types by the cases of FieldType.
  @Test func labelsAreTypedByTheFormat() throws {
    let simulation = Simulation()
    simulation.run {
      Lifetrace.mark("all", .int("a", 1), .hex("b", 2), .name("c", "x"), .bool("d", true))
      Lifetrace.mark("rest", .duration("e", .seconds(1)), .bytes("f", 3), .double("g", 0.5))
    }
    let labels = simulation.events.compactMap { Lifetrace.Site(of: $0).parts?.labels }
    #expect(labels == ["a:int,b:hex,c:name,d:bool", "e:duration,f:bytes,g:double"])
    for label in labels.joined(separator: ",").split(separator: ",") {
      let type = label.split(separator: ":")[1]
      #expect(FieldType.allCases.contains { "\($0)" == type }, "\(type)")
    }
  }
}
