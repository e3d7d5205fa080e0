// SPDX-License-Identifier: Apache-2.0
public import Lifecycle
public import Timeline
public import Trace

/// Who the writers are: `notes#1` is the first life of *notes*, `notes#2` the next.
public struct Labels: Sendable {
  /// The incarnations of each app, in order.
  public let lives: [AppLife]
  /// By stream.
  public let labels: [String]
  private let previous: [Int?]
  /// The executables, by stream.
  private let processes: [String]

  /// Stitches the streams of a timeline into app lives.
  public init(_ timeline: Timeline) {
    let writers = timeline.streams.map { (id: $0.writer, attributes: $0.attributes) }
    lives = AppLife.stitch(writers)
    var labels = Array(repeating: "?", count: writers.count)
    var previous = [Int?](repeating: nil, count: writers.count)
    for life in lives {
      var before: Int?
      for incarnation in life.incarnations {
        labels[incarnation.index] = incarnation.label
        previous[incarnation.index] = before
        before = incarnation.index
      }
    }
    self.labels = labels
    processes = writers.map(\.attributes.process)
    self.previous = previous
  }

  /// The label of a stream.
  public subscript(stream: StreamID) -> String {
    Int(stream.rawValue) < labels.count ? labels[Int(stream.rawValue)] : "?"
  }

  /// The stream of the incarnation before this one.
  public func previous(of stream: Int) -> Int? { previous[stream] }

  /// The streams that `text` means: a label, or an app for all of its lives.
  ///
  /// The last part of a bundle id will do for the whole, and so will the executable's name.
  public func streams(named text: String) -> [Int] {
    let exact = labels.indices.filter { labels[$0] == text || labels[$0].hasSuffix("." + text) }
    if !exact.isEmpty { return exact }
    let apps = labels.indices.filter { label in
      guard let hash = labels[label].lastIndex(of: "#") else { return false }
      let app = labels[label][..<hash]
      return app == text || app.hasSuffix("." + text)
    }
    return apps.isEmpty ? labels.indices.filter { processes[$0] == text } : apps
  }
}
