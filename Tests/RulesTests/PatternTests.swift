// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords
import Testing

@testable import LifetraceRules

/// A rule is a value: here are some that no catalogue knows.
@Suite struct PatternTests {
  static let drawing = Rule(
    "XX01",
    "Nothing is drawn in the background.",
    source: "App Programming Guide",
    fix: "Stop drawing in willResignActive.",
    Each.never(.workBegin(.gl), while: { $0 == .background }, "drawing") { scene in
      "\(scene.eventTitle) began"
    }
  )

  static let unopenedWakes = Rule(
    "XX02",
    "No completion handler is called twice.",
    source: "UIApplicationDelegate",
    severity: .warning,
    fix: "Call it once.",
    Unopened(ledger: .wakes) { scene, _ in
      Story("a completion handler was called a second time", [], [scene.witness("completion")])
    }
  )

  static let openFiles = Rule(
    "XX03",
    "No file is open when the app is suspended.",
    source: "App Programming Guide",
    fix: "Close it in didEnterBackground.",
    OpenAt<HeldResource>(
      moments: Trigger.stateChanges,
      open: { _, context, _ in
        guard context.change?.suspends == true else { return nil }
        return context.state.resources.values.filter { $0.resourceClass == .file }
      },
      finds: { file, _, context, _ in .broken(unless: context.doubt(.resource, since: file.time)) }
    ) { scene, file, _ in
      Story("\(name: scene.names[file.name]) was open", [], [scene.witness("opened", file)])
    }
  )

  @Test func rulesOfAnotherTableAreJudged() throws {
    var names = Names()
    let push = UInt64(names.intern("push").rawValue)
    let file = UInt64(names.intern("index.db").rawValue)
    var checker = Checker([Self.drawing, Self.unopenedWakes, Self.openFiles], enabled: [0, 1, 2])
    checker.begin(stream: StreamID(rawValue: 0), attributes: WriterAttributes(app: "notes"))
    let life: [(EventKind, UInt64, [UInt64])] = [
      (.transition, 0, [UInt64(AppState.inactive.rawValue), UInt64(AppState.active.rawValue)]),
      (.workBegin, 1, [UInt64(WorkKind.gl.rawValue)]),
      (.transition, 0, [UInt64(AppState.active.rawValue), UInt64(AppState.background.rawValue)]),
      (.workBegin, 2, [UInt64(WorkKind.compute.rawValue)]),
      (.workBegin, 3, [UInt64(WorkKind.gl.rawValue)]),
      (.wakeBegin, 9, [push]), (.wakeCompletion, 9, []), (.wakeCompletion, 9, []),
      (.resourceAcquire, file, [UInt64(ResourceClass.file.rawValue)]),
      (.suspend, 0, []),
    ]
    for (number, (kind, identity, arguments)) in life.enumerated() {
      let time = HostTime(rawValue: Int64(number + 1) * 1_000)
      var event = Event(kind, at: time, identity: identity, sequence: UInt64(number))
      for (index, argument) in arguments.enumerated() { event[index] = argument }
      event.argumentCount = UInt8(arguments.count)
      checker.apply(event, names: names)
    }
    checker.finishStream(names: names)
    let broken = checker.finish().filter { $0.outcome == .violated }
    #expect(
      broken.map { "\($0.rule):\($0.sequence) \($0.title)" } == [
        "XX01:4 work began while the app was background",
        "XX03:9 index.db was open",
        "XX02:7 a completion handler was called a second time",
      ]
    )
    #expect(checker.counts.map(\.held) == [1, 1, 0])
  }
}
