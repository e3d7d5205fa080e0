// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// Many files at once: names, folders and patterns, read as one or one by one, run by run.
@Suite(.waits) struct ManyFilesTests {
  /// A phone and a server of one run, each recorded by itself; one that is broken beside them.
  private func farm() throws -> TestFolder {
    let folder = try TestFolder()
    let phone = """
      app phone#1 host=phone boot=phone-1 clock=monotonic epoch=1000s pid=7
      +0s phone#1 main process.start reason=icon app=phone
      +0.1s phone#1 main message.send flow=0x1 peer=server bytes=10
      +0.4s phone#1 main message.receive flow=0x2 peer=server bytes=20
      +0.5s phone#1 main log text=done level=info

      """
    let server = """
      app server#1 host=server boot=server-1 clock=monotonic epoch=5000s pid=8
      +0s server#1 main process.start reason=icon app=server
      +0.1s server#1 main message.receive flow=0x1 peer=phone bytes=10
      +0.2s server#1 main message.send flow=0x2 peer=phone bytes=20
      +0.3s server#1 main log text=done level=info

      """
    _ = try folder.write(phone, to: "phone.story")
    _ = try folder.write(server, to: "server.story")
    let made = shell(
      """
      mkdir -p farm/deep empty
      lifetrace import story -o farm/phone.lifetrace phone.story &&
      lifetrace import story -o farm/deep/server.lifetrace server.story
      """,
      in: folder
    )
    try #require(made.status == 0, "\(made.output)")
    return folder
  }

  /// Two recordings of one run and one of another, by real recorders.
  private func runs() throws -> TestFolder {
    let folder = try TestFolder()
    let made = shell(
      """
      mkdir runs
      for name in a b; do
        LIFETRACE_RUN=night lifetrace record -o runs/$name.lifetrace -- $emitter numbers 10
      done
      LIFETRACE_RUN=day lifetrace record -o runs/c.lifetrace -- $emitter numbers 10
      ls runs
      """,
      in: folder
    )
    try #require(made.output.contains("c.lifetrace"), "\(made.output)")
    return folder
  }

  @Test("A folder, a pattern and names mean the same files, each once")
  func names() throws {
    let folder = try farm()
    let done = shell(
      """
      lifetrace dump --json farm/phone.lifetrace farm/deep/server.lifetrace >names || exit 1
      lifetrace dump --json farm/deep farm/*.lifetrace farm >folders || exit 2
      lifetrace dump --json 'farm/*.lifetrace' 'farm/*/s*.lifetrace' >patterns || exit 3
      sort names >1; sort folders >2; sort patterns >3
      cmp 1 2 && cmp 1 3 && wc -l <1
      """,
      in: folder
    )
    #expect(done.status == 0, "\(done.output)")
    #expect(done.output.hasSuffix("8\n"), "\(done.output)")
  }

  @Test("Several files are one timeline, in the order of cause")
  func replayOfSeveral() throws {
    let folder = try farm()
    let done = shell(
      """
      lifetrace replay farm/phone.lifetrace farm/deep/server.lifetrace -q -e 'goto phone#1:1' \
        -e message -e message -e path -e 'follow 1' -e follow </dev/null
      """,
      in: folder
    )
    #expect(done.status == 0, "\(done.output)")
    let lines = done.output.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("server#1:1") && $0.contains("received from phone") })
    #expect(lines.contains { $0.hasPrefix("Step 1 of 2") }, "\(done.output)")
    let order = shell("lifetrace dump farm | grep -o 'message.*flow=0x[12]'", in: folder)
    #expect(
      order.output.split(separator: "\n").map { $0.prefix(15) } == [
        "message.send fl", "message.receive", "message.send fl", "message.receive",
      ],
      "\(order.output)"
    )
    let cut = shell("lifetrace cut farm --to 100ms -o p.lt && lifetrace verify p.lt", in: folder)
    #expect(cut.status == 0, "\(cut.output)")
  }

  @Test("Of many, each is told in short, and then the hosts")
  func infoOfSeveral() throws {
    let folder = try farm()
    let done = shell("lifetrace info farm", in: folder)
    #expect(done.status == 0, "\(done.output)")
    #expect(
      done.output.hasSuffix(
        """
        2 files, 8 events, 2 hosts:
          phone, 1 process, 4 events, in 1 file
          server, 1 process, 4 events, in 1 file

        """
      ),
      "\(done.output)"
    )
    let json = shell("lifetrace info --json farm", in: folder)
    let files = try json.output.split(separator: "\n").map { try JSON(parsing: $0.utf8) }
    #expect(files.compactMap { $0["file"]?.string?.hasPrefix("farm/") } == [true, true])
  }

  @Test("A broken one is named, the rest goes on, and the exit code says so")
  func brokenAmongMany() throws {
    let folder = try farm()
    for command in [
      "dump", "info", "verify", "check", "clocks", "export jsonl", "report -o out.html",
      "replay -q -e 'goto server#1:1'",
    ] {
      let done = shell(
        """
        echo nonsense >farm/broken.lifetrace
        lifetrace \(command) farm </dev/null >said 2>complaint; code=$?
        cat said complaint; exit $code
        """,
        in: folder
      )
      #expect(done.status == 2, "\(command): \(done.status) \(done.output)")
      #expect(done.output.contains("farm/broken.lifetrace: not a trace"), "\(command)")
      #expect(
        done.output.contains("server") || command.hasPrefix("report") || command == "check",
        "\(command): \(done.output)"
      )
    }
    let gone = shell("lifetrace verify farm/phone.lifetrace nowhere.lifetrace", in: folder)
    #expect(gone.status == 74, "\(gone.output)")
    #expect(gone.output.contains("farm/phone.lifetrace: whole"), "\(gone.output)")
    let empty = shell("lifetrace dump empty", in: folder)
    #expect(empty.status == 74)
    #expect(empty.output.contains("empty: holds no recording"), "\(empty.output)")
  }

  @Test("What is of different runs is judged and told run by run")
  func grouped() throws {
    let folder = try runs()
    let checked = shell("lifetrace check --fail-on never runs", in: folder)
    #expect(checked.output.contains("== run night: runs/a.lifetrace runs/b.lifetrace\n"))
    #expect(checked.output.contains("== run day: runs/c.lifetrace\n"), "\(checked.output)")
    let told = shell("lifetrace info runs", in: folder)
    #expect(told.output.contains("== run night: 2 files\n"), "\(told.output)")
    let dumped = shell("lifetrace dump runs | grep '^# run'", in: folder)
    #expect(
      dumped.output
        == "# run night: runs/a.lifetrace runs/b.lifetrace\n# run day: runs/c.lifetrace\n"
    )
    let one = shell("lifetrace check --fail-on never runs/a.lifetrace runs/b.lifetrace", in: folder)
    #expect(!one.output.contains("== run"), "\(one.output)")
  }
}
