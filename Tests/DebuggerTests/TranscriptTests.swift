// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceInterop
import LifetraceReplay
import Support
import Testing
import LifetraceTimeline

@testable import LifetraceDebugger

/// Whole sessions: the commands of `Traces/NAME/replay.commands`, and what they print.
@Suite struct TranscriptTests {
  @Test(arguments: Golden.stories(with: "replay.commands"))
  func transcript(folder: String) throws {
    let story = try #require(Golden.text(folder + "/story.txt"), "\(folder)/story.txt")
    let commands = try #require(Golden.text(folder + "/replay.commands"))
    let text = try Self.run(commands, story)
    #expect(Golden.difference(text, folder + "/replay.txt") == nil)
  }

  /// One transcript for each part of the manual, over the same recording.
  @Test(arguments: ["moving", "looking", "searching", "explaining", "errors", "json"])
  func tour(_ part: String) throws {
    let story = try #require(Golden.text("Traces/tour/recording.txt"))
    let commands = try #require(Golden.text("Traces/tour/\(part).commands"))
    let text = try Self.run(commands, story)
    #expect(Golden.difference(text, "Traces/tour/\(part).txt") == nil)
  }

  /// Of a request over four processes on three machines.
  @Test(arguments: ["machines", "follow"])
  func machines(_ part: String) throws {
    let story = try #require(Golden.text("Traces/tour/machines-recording.txt"))
    let commands = try #require(Golden.text("Traces/tour/\(part).commands"))
    let text = try Self.run(commands, story)
    #expect(Golden.difference(text, "Traces/tour/\(part).txt") == nil)
  }

  /// What is said of the stories that real machines have played.
  @Test(arguments: Golden.stories(with: "cast.sh"))
  func machineStory(folder: String) throws {
    let story = try #require(Golden.text(folder + "/recording.txt"))
    let rule = try #require(story.split(separator: "\n").first { $0.hasPrefix("# why: ") })
    // A checkout writes the sources anew, behind the recording.
    let text = try Self.run("why \(rule.dropFirst("# why: ".count))", story, sources: folder)
      .replacing("   (the file was written since: the line may be another)", with: "")
    #expect(Golden.difference(text, folder + "/why.txt") == nil)
  }

  @Test func thereAreTranscripts() {
    #expect(!Golden.stories(with: "replay.commands").isEmpty)
  }

  /// What a console prints at its opening and for each command, also after an error.
  static func run(_ commands: String, _ story: String, sources: String = "Traces") throws -> String
  {
    let player = Player(Timeline(try Story.parse(story).source))
    var options = DebuggerOptions(title: "story", judgement: Judgement(profile: .standard))
    options.isBatch = true
    options.readsInit = false
    options.echoes = true
    options.color = .never
    options.sourceDirectory = Golden.root + "/" + sources
    var text = ""
    let console = Debugger(player, options: options, output: Output { text += $0 })
    let code = console.run()
    console.runAll(commands.split(separator: "\n").map(String.init))
    return code == 0 ? text : text + "(exit code \(code))\n"
  }
}
