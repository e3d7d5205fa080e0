// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
package import LifetraceWords

/// What the time of a hang, of a slow launch or of anything that lasts was spent on, on one thread.
///
///     let parts = player.breakdown(of: verdict)
///     parts?.sentence(player.names)   // Of 10 s on main: 9.9 s waiting for indexing at Store.swift:63, …
///
/// Each moment counts for the innermost of what was open then, so the parts and what is not accounted
/// for add up to the whole, to the nanosecond. What a turn of the run loop did outside of everything
/// that is recorded is not accounted for.
package struct TimeBreakdown: Sendable {
  /// Where the time went.
  package enum Use: Hashable, Sendable {
    /// In the code of a callback, or of work, of that site.
    case running(EventKind, SiteID)
    /// Asleep until that one was done, or let it go.
    case waiting(on: NameID, SiteID)
    /// Stopped by the system.
    case suspended
  }

  /// One of the parts.
  package struct Part: Sendable {
    /// What it was spent on.
    package let use: Use
    /// Nanoseconds on the clock of the recording, of all its pieces together.
    package internal(set) var length: Int64
    /// The first event that began it; nil for a suspension.
    package let sequence: UInt64?
  }

  /// The longest first.
  package internal(set) var parts: [Part] = []
  /// From the begin to the end, in nanoseconds on the clock of the recording.
  package let length: Int64
  /// The thread whose time it is.
  package let thread: ThreadID
  /// Nanoseconds in which nothing that is recorded ran.
  package internal(set) var unaccounted: Int64
  /// Processor time of the thread in it, in nanoseconds, where its end says so; what is left it was asleep.
  package internal(set) var cpu: Int64?

  init(length: Int64, on thread: ThreadID) {
    self.length = length
    self.thread = thread
    unaccounted = length
  }

  /// Time went by, in one use or in none that is known.
  mutating func add(_ length: Int64, _ use: Use?, _ sequence: UInt64?) {
    guard length > 0, let use else { return }
    unaccounted -= length
    if let known = parts.firstIndex(where: { $0.use == use }) {
      parts[known].length += length
    } else {
      parts.append(Part(use: use, length: length, sequence: sequence))
    }
  }

  /// More parts are counted together.
  private static let shownMax = 4

  /// Whether it says more than that all of it, but for a hundredth, was one thing that runs.
  package var isTelling: Bool {
    let little = length / 100
    guard parts.count(where: { $0.length > little }) < 2, cpu == nil else { return true }
    if case .waiting = parts.first?.use { return true }
    return !parts.isEmpty && unaccounted > little
  }

  /// What it was spent on waiting for, where that is at least half of it and has a name.
  var mostlyWaitingFor: NameID? {
    guard let longest = parts.first, longest.length >= length / 2,
      case .waiting(let on, _) = longest.use, on != .empty
    else { return nil }
    return on
  }

  /// All of it in a sentence; `words` makes text of a length.
  package func sentence(_ names: Names, _ words: (Int64) -> Sentence) -> Sentence {
    var told: [Sentence] = parts.prefix(Self.shownMax).map { part in
      "\(words(part.length)) \(part.words(names))"
    }
    let rest = parts.dropFirst(Self.shownMax)
    if !rest.isEmpty {
      let length = rest.reduce(0) { $0 + $1.length }
      told.append("\(words(length)) in \(count: UInt64(rest.count), of: "other part")")
    }
    if unaccounted > 0 { told.append("\(words(unaccounted)) not accounted for") }
    let own = Wording.thread(thread)
    var sentence: Sentence = "Of \(words(length)) on \(own): \(told.joined(separator: ", "))."
    if let cpu {
      sentence += " It computed for \(words(cpu)), and slept for \(words(max(0, length - cpu)))."
    }
    return sentence
  }
}

extension TimeBreakdown.Part {
  /// What it was spent on: `waiting for indexing at Notes/Store.swift:63`.
  package func words(_ names: Names) -> Sentence {
    switch use {
    case .running(let kind, let site):
      let name = names[names[site].name]
      let noun = kind == .callbackBegin ? "callback" : "work"
      return (name.isEmpty ? "in \(noun)" : "in \(noun) \"\(name: name)\"") + at(site, names)
    case .waiting(let on, let site):
      let name = names[on]
      return (name.isEmpty ? "waiting" : "waiting for \(name: name)") + at(site, names)
    case .suspended: return "suspended"
    }
  }

  private func at(_ site: SiteID, _ names: Names) -> Sentence {
    SourcePlace(site, names).map { " at \($0)" } ?? ""
  }
}
