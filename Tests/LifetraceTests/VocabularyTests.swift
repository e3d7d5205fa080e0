// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Lifetrace
import Testing
import LifetraceTrace

enum TraceKinds {
  /// The kinds that an app, not a host or a recorder, has words for in C.
  static let fromApps: [EventKind] = [
    .transition, .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .notificationPosted,
    .notificationDelivered, .notificationHandled, .wakeBegin, .wakeCompletion, .wakeReported,
    .workBegin, .workEnd, .waitBegin, .waitEnd, .taskBegin, .taskExpire, .taskEnd, .deadlineOpen,
    .deadlineClose, .dataDirty, .dataFlushing, .dataDurable, .dataRestored, .dataDiscarded,
    .dataFailed,
    .resourceAcquire, .resourceRelease, .resourceUse, .memorySample, .device, .touch,
    .messageSend, .messageReceive, .messageTrace, .testBegin, .testEnd, .mark, .log,
  ]
}

/// The SDK depends on nothing, so it says the trace's words a second time; here they meet.
@Suite struct VocabularyTests {
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
