// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A word for something that happens: what `next` and `prev` take.
///
///     KindWord.find("save")?.kinds           // data.flushing, data.durable, data.failed
///     KindWord.find("data.dirty")?.kinds     // that kind alone
///
/// The words are those of the rules and of the story format; any dotted kind
/// and any family name is one as well.
package struct KindWord: Sendable {
  /// The word as it is typed.
  package let word: String
  /// One line about it.
  package let summary: String
  /// The kinds it stands for; empty for `violation`, which is no kind of event.
  package let kinds: KindSet
  /// Whether missing events count.
  package let findsGaps: Bool
  /// Only the transitions that end in, or leave, this state; nil for all.
  private let state: (Side, AppState)?

  private enum Side: Sendable { case from, to }

  private init(
    _ word: String,
    _ summary: String,
    _ kinds: [EventKind],
    findsGaps: Bool = false,
    state: (Side, AppState)? = nil
  ) {
    self.word = word
    self.summary = summary
    self.kinds = KindSet(kinds)
    self.findsGaps = findsGaps
    self.state = state
  }

  /// All kinds whose names begin with the word: `data` for `data.dirty` and the others.
  private init(_ word: String, _ summary: String) {
    let named = KindInfo.all.filter { $0.name.hasPrefix(word + ".") }
    self.init(word, summary, named.map(\.kind))
  }

  /// A kind of its own, such as one that a later version describes.
  init(_ word: String, of kind: EventKind) { self.init(word, "", [kind]) }

  /// Whether an event is meant.
  package func accepts(_ event: Event) -> Bool { test.holds(event) }

  /// Whether an event is meant, as a value without references.
  var test: KindTest {
    KindTest(kinds: kinds, state: state?.1, isFrom: state?.0 == .from)
  }

  /// Whether it looks for verdicts rather than events.
  package var isViolation: Bool { word == "violation" }

  /// The words in the order of the manual.
  package static let all: [KindWord] = [
    KindWord("violation", "a place where a rule is broken", []),
    KindWord(
      "state",
      "the app changes its state",
      [.transition, .suspend, .resume, .purge, .processExit]
    ),
    KindWord("callback", "a delegate callback is entered or returns"),
    KindWord("wake", "the system wakes the app in the background"),
    KindWord("launch", "a process starts", [.processStart]),
    KindWord("exit", "a process ends, whatever the cause", [.processExit, .purge]),
    KindWord(
      "suspend",
      "the process is stopped",
      [.suspend, .transition],
      state: (.to, .suspended)
    ),
    KindWord(
      "resume",
      "the process runs again",
      [.resume, .transition],
      state: (.from, .suspended)
    ),
    KindWord("active", "the app becomes active", [.transition], state: (.to, .active)),
    KindWord("inactive", "the app becomes inactive", [.transition], state: (.to, .inactive)),
    KindWord(
      "background",
      "the app enters the background",
      [.transition],
      state: (.to, .background)
    ),
    KindWord("purge", "the system takes the app's memory", [.purge]),
    KindWord("dirty", "data exists in memory only", [.dataDirty]),
    KindWord(
      "save",
      "a save begins, ends, fails or is not needed",
      [.dataFlushing, .dataDurable, .dataFailed, .dataUnchanged]
    ),
    KindWord("data", "anything about the app's data"),
    KindWord("task", "a background task begins, expires or ends"),
    KindWord("notification", "a notification is posted, delivered, handled or dropped"),
    KindWord("work", "a span of work begins or ends"),
    KindWord("wait", "a thread waits for another"),
    KindWord("turn", "the main run loop takes an item"),
    KindWord("deadline", "a time budget opens or closes"),
    KindWord("resource", "a lock, file or timer is taken, used or given back"),
    KindWord("device", "something happens to the device", [.device]),
    KindWord("touch", "the user touches a view", [.touch]),
    KindWord("message", "a message is sent or received"),
    KindWord("test", "a test of the harness begins or ends"),
    KindWord("log", "a line of text", [.log]),
    KindWord("mark", "a place that the app named", [.mark]),
    KindWord("loss", "events are missing", [.loss], findsGaps: true),
  ]

  /// What is said to happen to a device.
  package static let deviceWords: Set<String> = [
    "banner", "battery", "call", "disk", "lock", "memory-warning", "orientation", "reboot",
    "unlock",
  ]

  /// The word, a dotted kind, or one without a description; nil for none of them.
  static func exactly(_ text: String) -> KindWord? {
    if let known = all.first(where: { $0.word == text }) { return known }
    if let info = KindInfo.byName[text] { return KindWord(text, of: info.kind) }
    if let unknown = KindInfo.unknown(named: text) { return KindWord(text, of: unknown) }
    let family = KindInfo.all.filter { $0.name.hasPrefix(text + ".") }
    return family.isEmpty ? nil : KindWord(text, "", family.map(\.kind))
  }

  /// The word, a dotted kind, or a family; nil for none of them.
  ///
  /// A plural and a unique beginning will do.
  package static func find(_ text: String) -> KindWord? {
    let text = text.lowercased()
    if let known = all.first(where: { $0.word == text || $0.word + "s" == text }) { return known }
    if let exact = exactly(text) { return exact }
    let prefix = text.hasSuffix(".") ? text : text + "."
    let family = KindInfo.all.filter { $0.name.hasPrefix(prefix) }
    if !family.isEmpty { return KindWord(text, "", family.map(\.kind)) }
    let begun = all.filter { $0.word.hasPrefix(text) }
    if begun.count == 1 { return begun[0] }
    let dotted = KindInfo.all.filter { $0.name.hasPrefix(text) }
    return begun.isEmpty && dotted.count == 1 ? KindWord(dotted[0].name, "", [dotted[0].kind]) : nil
  }
}

/// Whether an event is what a word means.
struct KindTest: Sendable, BitwiseCopyable {
  var kinds: KindSet
  /// Of the transitions, only those into this state, or out of it; nil for all.
  var state: AppState?
  var isFrom: Bool

  @inline(__always)
  func holds(_ event: borrowing Event) -> Bool {
    guard kinds.contains(event.kind) else { return false }
    guard let state, event.kind == .transition else { return true }
    let transition = Payload.Transition(event)
    return (isFrom ? transition.from : transition.to) == Coded(state)
  }

  /// Whether events of `kind` may be, or are all, what is meant.
  func mayHold(_ kind: EventKind) -> Truth {
    guard kinds.contains(kind) else { return .no }
    return state != nil && kind == .transition ? .unknown : .yes
  }
}
