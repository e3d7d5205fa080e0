// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

/// What `lifetrace explore` says where it plays no end, or not all: a budget, a signal, wrong words.
@Suite(.waits) struct ExploreRefusalTests {
  @Test("A budget that is too small says what it left out")
  func budget() throws {
    let run = shell(
      "lifetrace explore \(ExploreCommandTests.lostEdit) --budget 1s --no-reduce -- $notes",
      in: try TestFolder()
    )
    #expect(run.output.contains("the budget of 1 s was up"), "\(run.output)")
    #expect(run.output.contains("were left out"), "\(run.output)")
  }

  @Test(
    "A budget too small for one end says so, and leaves with 2, whatever the play before it broke",
    arguments: ["1ms", "60ms", "150ms"]
  )
  func tinyBudget(_ budget: String) throws {
    let folder = try TestFolder()
    let life = "app: notes\nsteps:\n- launch\n- tell: {edit: a}\n- home\n- suspend\n- wait: 200ms\n"
    try folder.write(life, to: "life.yml")
    let run = shell("lifetrace explore life.yml --budget \(budget) -- $notes", in: folder)
    #expect(run.status == 2, "\(run.output)")
    #expect(run.output.contains("no end was played: the budget of "), "\(run.output)")
    #expect(run.output.contains("the first play of the scenario"), "\(run.output)")
    #expect(!run.output.contains("link the SDK"), "\(run.output)")
  }

  @Test("A state in which this life never is, is named where only that was asked for")
  func stateThatIsNot() throws {
    let folder = try TestFolder()
    try folder.write("app: wired\nsteps:\n- launch\n- home\n", to: "home.yml")
    let run = shell(
      "lifetrace explore home.yml --in suspended -- \(ExploreCommandTests.wired)",
      in: folder
    )
    #expect(run.status == 2, "\(run.output)")
    #expect(
      run.output.contains("no end was played: this life has no point while suspended"),
      "\(run.output)"
    )
  }

  @Test(
    "A signal that asks it to end ends the play under way, and nothing is left behind",
    arguments: ["TERM", "INT", "HUP"]
  )
  func signals(_ name: String) throws {
    let folder = try TestFolder()
    let life = "app: notes\nsteps:\n- launch\n- wait: 100s\n"
    try folder.write(life, to: "life.yml")
    // The shell keeps SIGINT from what it starts behind its back.
    let run = shell(
      """
      mkdir tmp; export TMPDIR=$PWD/tmp XDG_RUNTIME_DIR=$PWD/tmp
      env --default-signal=INT "$lt" explore life.yml -- $notes & explore=$!
      until ls tmp/lifetrace-explore-*/play.lifetrace >/dev/null 2>&1 \
        && ls tmp/*/app0-1.sock >/dev/null 2>&1; do sleep 0.02; done
      sleep 0.3; kill -\(name) $explore; wait $explore; echo "left with $?"; ls tmp
      """,
      in: folder
    )
    #expect(run.output.hasSuffix("left with 2\n"), "\(run.output)")
    let said = "it was interrupted in the first play of the scenario, behind step 1 of 2"
    #expect(run.output.contains(said), "\(run.output)")
  }

  @Test("Wrong words are answered with those that would do")
  func usage() throws {
    for (words, answer) in [
      ("--acts purje", "there is purge, kill, crash, reboot"),
      ("--in asleep", "there is starting, inactive, active, background, suspended"),
      ("--budget soon", "such as 30s"),
    ] {
      let run = shell("lifetrace explore \(words) \(ExploreCommandTests.lostEdit) -- $notes")
      #expect(run.status == 64 && run.output.contains(answer), "\(run.output)")
    }
    let idle = shell("lifetrace explore \(ExploreCommandTests.lostEdit)")
    #expect(idle.status == 64 && idle.output.contains("no command starts `notes`"))
    let missing = shell("lifetrace explore nowhere.yml -- $notes")
    #expect(missing.status == 74 && missing.output.contains("nowhere.yml"), "\(missing.output)")
  }
}
