// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario

extension Exploration.Failure {
  /// The smallest scenario as a file, of an app that links the SDK or `isObserved`.
  package func yaml(isObserved: Bool = false) -> String? {
    let observe = isObserved ? " --observe" : ""
    let who =
      isOfTheDisk
      ? "explore does, on a life in which its file was seen to hold what was reported"
      : isObserved
        ? "explore --observe on this file does, without its `ends`" : "the test beside it does"
    return smallest?.yaml(
      isOfARule
        ? [
          "\(title). Play it:",
          "  lifetrace record\(observe) --scenario THIS-FILE --check -- ./your-app",
        ] : ["\(title).", "No rule says so of a recording: \(who)."]
    )
  }

  /// Which file is meant one play alone does not show.
  private var isOfTheDisk: Bool { kind.rule == Oracle.bytes.rawValue }

  private var isOfARule: Bool { Oracle(rawValue: kind.rule) == nil }

  private var title: String {
    kind.rule + (kind.about.isEmpty ? "" : " (\(kind.about))") + ": \(first.title)"
  }

  /// A test that plays the file at `path`, and fails as long as the failure is there; nil where no
  /// single play shows it.
  package func test(playing path: String) -> String? {
    guard smallest != nil, !isOfTheDisk else { return nil }
    return """
      // \(title.filter { $0 != "\n" })
      // Of a target that depends on your app core and on the product LifetraceTesting of lifetrace.
      import LifetraceTesting
      import Testing

      @testable import YourAppCore

      @MainActor
      @Test(.lifetrace(scenario: \(Self.literal(path))))
      func \(functionName)() throws {
        let life = try Simulator.current { YourAppDelegate() }.play()
        #expect(life.\(isOfARule ? "violations" : "brokenPromises").isEmpty)
      }

      """
  }

  /// `draftTxtSurvivesDS02`.
  private var functionName: String {
    let words = (kind.object + " survives " + kind.rule).split { !$0.isLetter && !$0.isNumber }
    let name = words.enumerated().map { index, word in
      (index == 0 ? word.prefix(1).lowercased() : word.prefix(1).uppercased()) + word.dropFirst()
    }.joined()
    return name.first?.isNumber == true ? "test" + name : name
  }

  private static func literal(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
