// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What `lifetrace scenario check` says of scenarios, and `record`, `explore` and `rerun` before they play.
@Suite(.waits) struct ScenarioCheckTests {
  @Test func checkingAScenarioSaysWhatWillBePlayed() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nprofile: ios7\nsteps:\n  - launch\n", to: "one.yml")
    try folder.write("app: notes\nsteps: []\n", to: "none.yml")
    let result = shell("lifetrace scenario check one.yml none.yml", in: folder)
    #expect(result.status == 0)
    let said = """
      one.yml: 1 step for notes, profile ios7
      none.yml: 0 steps for notes, the profile of the project: nothing will be played

      """
    #expect(result.output == said)
  }

  @Test func checkingAScenarioSaysWhatCannotBePlayed() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps:\n  - home\n  - launch\n  - prewarm\n", to: "life.yml")
    let result = shell("lifetrace scenario check life.yml", in: folder)
    #expect(result.status == 2)
    let said = """
      life.yml:3:5: `home`: `notes` is not running here
        no step before it launches it
      life.yml:5:5: `prewarm`: `notes` has a process already here
        it is in front by a step before

      """
    #expect(result.output == said)
  }

  /// As `scenario check` says it, and nothing is recorded.
  @Test func whatCannotBePlayedIsNotRecorded() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps:\n  - home\n  - launch\n  - prewarm\n", to: "life.yml")
    let said = """
      lifetrace: life.yml:3:5: `home`: `notes` is not running here
        no step before it launches it
      lifetrace: life.yml:5:5: `prewarm`: `notes` has a process already here
        it is in front by a step before

      """
    for command in ["record -o t --scenario life.yml -- true", "explore life.yml -- true"] {
      let result = shell("lifetrace \(command)", in: folder)
      #expect(result.status == 64 && result.output == said, "\(result.output)")
    }
    #expect(shell("ls", in: folder).output == "life.yml\n")
  }

  @Test func checkingAScenarioSaysWhatIsRelaunchedAlive() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps: [launch, home, relaunch]\n", to: "life.yml")
    let result = shell("lifetrace scenario check life.yml", in: folder)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("life.yml:2:23: `relaunch`: no step ends `notes` before: "))
    #expect(result.output.hasSuffix("life.yml: 3 steps for notes, the profile of the project\n"))
  }

  /// One that is missing is the same to each command, and is told as that.
  @Test func whatCannotBeReadHasACodeOfItsOwn() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps:\n  - lunch\n", to: "wrong.yml")
    _ = shell("lifetrace record -o run -- true", in: folder)
    for command in [
      "record --scenario none.yml -- true", "explore none.yml -- true",
      "rerun run --scenario none.yml -- true", "scenario check none.yml",
    ] {
      let result = shell("lifetrace \(command)", in: folder)
      let said = "lifetrace: cannot read none.yml: No such file or directory\n"
      #expect(result.status == 74 && result.output == said, "\(command): \(result.output)")
    }
    let both = shell("lifetrace scenario check none.yml wrong.yml", in: folder)
    #expect(both.status == 2 && both.output.contains("`launch`"), "\(both.output)")
    #expect(shell("ls", in: folder).output == "run\nwrong.yml\n")
  }
}
