// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace

/// The labels of writers: `notes#1` is the first life of *notes*, `notes#2` the next.
package struct Labels: Sendable {
  /// The labels of the writers, indexed by stream.
  package let labels: [String]
  private let previous: [Int?]
  /// What stands before the number in the labels, by stream.
  private let apps: [String]
  /// The executables, by stream.
  private let processes: [String]

  /// Stitches the streams of a timeline into app lives.
  package init(_ timeline: Timeline) {
    let writers = timeline.streams.map { (id: $0.writer, attributes: $0.attributes) }
    var labels = Array(repeating: "?", count: writers.count)
    var previous = [Int?](repeating: nil, count: writers.count)
    var apps = labels
    for life in AppLife.stitch(writers) {
      var before: Int?
      for incarnation in life.incarnations {
        labels[incarnation.index] = incarnation.label
        previous[incarnation.index] = before
        apps[incarnation.index] = incarnation.shortName
        before = incarnation.index
      }
    }
    self.labels = labels
    processes = writers.map(\.attributes.process)
    self.previous = previous
    self.apps = apps
  }

  /// The label of a stream.
  package subscript(stream: StreamID) -> String {
    Int(stream.rawValue) < labels.count ? labels[Int(stream.rawValue)] : "?"
  }

  /// The stream of the incarnation before this one.
  package func previous(of stream: Int) -> Int? { previous[stream] }

  /// What a name of writers means.
  package enum Meaning: Equatable, Sendable {
    /// These streams of one app, in order; none where no app has that name.
    case streams([Int])
    /// Several apps can be meant: their labels, or their names.
    case ambiguous([String])
  }

  /// The streams that `text` means: a label, or an app for all of its lives.
  ///
  /// The last part of a bundle id will do for the whole, and so will the executable's name, as long
  /// as no other app is called so; an id written in full always means itself.
  package func meaning(of text: String) -> Meaning {
    let ways: [(String) -> Bool] = [{ $0 == text }, { $0.hasSuffix("." + text) }]
    for fits in ways {
      let found = labels.indices.filter { fits(labels[$0]) }
      if found.count > 1 { return .ambiguous(found.map { labels[$0] }.sorted()) }
      if !found.isEmpty { return .streams(found) }
    }
    for fits in ways {
      let found = labels.indices.filter { fits(apps[$0]) }
      if !found.isEmpty { return one(found) }
    }
    return one(labels.indices.filter { processes[$0] == text })
  }

  private func one(_ found: [Int]) -> Meaning {
    let names = Set(found.map { apps[$0] })
    return names.count > 1 ? .ambiguous(names.sorted()) : .streams(found)
  }
}
