// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// A place in a scenario, both from 1.
public struct ScenarioPlace: Sendable, Hashable {
  /// The line in the file, from 1.
  public var line: Int
  /// The column in the line, from 1.
  public var column: Int

  /// A place; the first is 1, 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// What is wrong with a scenario, where, and what would have been right.
///
///     lost-edit.yml:4:5: there is no step `launhc`
///       did you mean `launch`?
public struct ScenarioProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the scenario's file.
  public var place: ScenarioPlace
  /// The problem in one sentence.
  public var message: String
  /// What to do about it; may be empty.
  public var advice = ""
  /// The text that is meant, and below it carets; may be empty.
  package var marked: [String] = []
  /// The file it is in, where that is known.
  public var file = ""

  package init(
    place: ScenarioPlace,
    message: String,
    advice: String = "",
    marked: [String] = [],
    file: String = ""
  ) {
    self.place = place
    self.message = message
    self.advice = advice
    self.marked = marked
    self.file = file
  }

  /// Both sentences, behind the place in `file`.
  public func text(file: String) -> String {
    // A key or a value of the file may stand in either sentence.
    let head = "\(Printable.line(file)):\(place.line):\(place.column): \(Printable.line(message))"
    let lines = (advice.isEmpty ? [] : [advice]) + marked
    return ([head] + lines.map { Printable.line($0) }).joined(separator: "\n  ")
  }

  /// The same with the file that it knows.
  public var description: String { text(file: file.isEmpty ? "scenario" : file) }
}
