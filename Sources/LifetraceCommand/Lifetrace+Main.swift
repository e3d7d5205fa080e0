// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetracePlatform
import LifetraceTrace
import LifetraceWords

extension Lifetrace {
  /// Runs the command line; all that goes wrong is said in one style, `lifetrace: …`.
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let wrong = unknownCommand(arguments) {
      Failure.say(wrong)
      _exit(EX_USAGE)
    }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      leave(error, arguments)
    }
  }

  private static func leave(_ error: any Error, _ arguments: [String]) -> Never {
    if let code = error as? ExitCode { quit(code) }
    let code = exitCode(for: error)
    if code == .success {
      // Help, the version, a script of completions: an answer, not an error.
      print(fullMessage(for: error))
    } else if code == .validationFailure {
      let (type, words) = command(of: arguments)
      let usage = usageString(for: type).replacing("\n", with: "\n  ")
      Failure.say(
        "\(uncapitalised(message(for: error)))\n  \(usage)\n"
          + "  For more: \(words.joined(separator: " ")) --help"
      )
    } else {
      let message = message(for: error)
      if !message.isEmpty { Failure.say(message) }
    }
    quit(code)
  }

  private static func quit(_ code: ExitCode) -> Never {
    fflush(nil)
    LifetracePlatform.exit(code.rawValue)
  }

  /// The subcommand that the words name, and how it is called.
  private static func command(of arguments: [String]) -> (any ParsableCommand.Type, [String]) {
    var type: any ParsableCommand.Type = Lifetrace.self
    var words = [type._commandName]
    for word in arguments {
      guard let next = type.configuration.subcommands.first(where: { $0._commandName == word })
      else { break }
      type = next
      words.append(word)
    }
    return (type, words)
  }

  /// The message where a word stands for a subcommand that does not exist.
  private static func unknownCommand(_ line: [String]) -> String? {
    let arguments = line.first == "help" ? Array(line.dropFirst()) : line
    let (type, words) = command(of: arguments)
    let known = type.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .map { $0._commandName }
    guard let word = arguments.dropFirst(words.count - 1).first, !known.isEmpty,
      !word.hasPrefix("-"), word != "help"
    else { return nil }
    if words.count == 1, arguments.count == 1, access(word, F_OK) == 0 {
      let file = Printable.line(word)
      return "`\(file)` is a file, and no command\n  To judge it: lifetrace check \(file)\n"
        + "  To walk through it: lifetrace replay \(file)"
    }
    if words.count == 1, Manual.hasCommand(word) {
      return "`\(word)` is a command of `lifetrace replay`\n"
        + "  To give it there: lifetrace replay FILE"
    }
    let advice =
      nearest(to: word, among: known).map { "did you mean `\($0)`?" }
      ?? "there is: \(known.joined(separator: ", "))"
    return
      "there is no command `\(Printable.line((words.dropFirst() + [word]).joined(separator: " ")))`\n  \(advice)"
  }

  /// As the middle of a sentence begins.
  private static func uncapitalised(_ text: String) -> String {
    guard text.dropFirst().first?.isLowercase == true || text.hasPrefix("A ") else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
