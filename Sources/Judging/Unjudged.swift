// SPDX-License-Identifier: Apache-2.0

/// What no rule could look at, so that silence about it means nothing.
///
///     Findings(timeline, by: judgement).unjudged.sentence     // "No data object was declared: …"
package struct Unjudged: Sendable, Equatable {
  /// Whether a process took part that rules can be about.
  package var isJudged: Bool
  /// The apps that have declared no data, of whose losses nothing can be said.
  package var dataless: [String]
  /// Whether no app has declared any.
  package var hasNoData: Bool

  package init(isJudged: Bool, dataless: [String], hasNoData: Bool) {
    (self.isJudged, self.dataless, self.hasNoData) = (isJudged, dataless, hasNoData)
  }

  /// More names than this are counted.
  private static let namesShown = 3

  /// What is said of a recording without an app.
  package static let nothingJudged =
    "No app joined this recording, so nothing was judged: "
    + "none below lifetrace record links Lifetrace and has recorded anything."

  /// What was not judged; nil where all was.
  package var sentence: String? {
    guard isJudged else { return Self.nothingJudged }
    guard !dataless.isEmpty else { return nil }
    guard !hasNoData else { return "No data object was declared: nothing about losses was judged." }
    let some = dataless.prefix(Self.namesShown).joined(separator: ", ")
    let more = dataless.count - Self.namesShown
    return "No data object was declared by \(some)\(more > 0 ? " and \(more) more" : ""): "
      + "nothing about losses was judged there."
  }
}
