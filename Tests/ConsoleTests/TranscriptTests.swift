// SPDX-License-Identifier: Apache-2.0
import Interop
import Replay
import Support
import Testing
import Timeline

@testable import Console

/// Whole sessions: the commands of `Traces/NAME/replay.commands`, and what they print.
@Suite struct TranscriptTests {
  @Test(arguments: Golden.stories(with: "replay.commands"))
  func transcript(folder: String) throws {
    let story = try #require(Golden.text(folder + "/story.txt"), "\(folder)/story.txt")
    let commands = try #require(Golden.text(folder + "/replay.commands"))
    let text = try Self.run(commands, story)
    #expect(Golden.difference(text, folder + "/replay.txt") == nil)
  }

  @Test func thereAreTranscripts() {
    #expect(!Golden.stories(with: "replay.commands").isEmpty)
  }

  static func run(_ commands: String, _ story: String, json: Bool = false) throws -> String {
    let player = Player(Timeline(try Story.parse(story).source))
    var options = ConsoleOptions(title: "story", judgement: Judgement(profile: .standard))
    options.scripts = commands.split(separator: "\n").map { .line(String($0)) }
    options.isBatch = true
    options.readsInit = false
    options.echoes = true
    options.isJSON = json
    options.color = .never
    options.sourceDirectory = Golden.root + "/Traces"
    var text = ""
    let console = Console(player, options: options, output: Output { text += $0 })
    let code = console.run()
    return code == 0 ? text : text + "(exit code \(code))\n"
  }
}
