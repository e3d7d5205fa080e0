// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// Real processes that crash, are killed, or tell nothing of data: what `record` and `check` say of it.
@Suite("Ends that are findings", .waits) struct EndingVerdictTests {
  private func run(_ line: String, _ folder: TestFolder) -> (status: Int32, output: String) {
    shell("probe=$(dirname \"$lt\")/Probe\n" + line, in: folder)
  }

  @Test("A crash is told as it happens, and is an error")
  func crash() throws {
    let folder = try TestFolder()
    try folder.write(
      "app: probe\nsteps:\n- launch\n- tell: {abort: now}\n- relaunch\n",
      to: "crash.yml"
    )
    let result = run("lifetrace record --check -o t --scenario crash.yml -- $probe", folder)
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("crashed (SIGABRT)"), "\(result.output)")
    #expect(result.output.contains(", active\n"), "\(result.output)")
    #expect(result.output.contains("SY02 error  probe#1"), "\(result.output)")
    let why = run("lifetrace replay -q --batch t -e why", folder)
    #expect(why.output.contains("crashed (SIGABRT)"), "\(why.output)")
  }

  @Test("A SIGKILL of whoever is told in a line, and nobody is accused")
  func killed() throws {
    let folder = try TestFolder()
    let killed = run("lifetrace record -f -o t -- $emitter crash 10; lifetrace check t", folder)
    #expect(killed.status == 0, "\(killed.output)")
    #expect(killed.output.contains("SIGKILL ended the app"), "\(killed.output)")
    #expect(!killed.output.contains("crashed"), "\(killed.output)")
    let said = "No data object was declared: nothing about losses was judged."
    #expect(killed.output.contains(said), "\(killed.output)")
    let lines = run("lifetrace check --format jsonl t | tail -1", folder)
    #expect(lines.output.contains("\"withoutData\":[\"Emitter\"]"), "\(lines.output)")
    #expect(run("lifetrace check --fail-on info t", folder).status == 1)
  }

  @Test("What a scenario orders is none of it")
  func ordered() throws {
    let folder = try TestFolder()
    for step in ["crash", "kill", "reboot", "home\n- purge", "terminate"] {
      try folder.write("app: probe\nsteps:\n- launch\n- \(step)\n- relaunch\n", to: "life.yml")
      let result = run("lifetrace record -f --check -o t --scenario life.yml -- $probe", folder)
      #expect(result.status == 0, "\(step): \(result.output)")
      #expect(!result.output.contains("crashed"), "\(step): \(result.output)")
      #expect(result.output.contains("0 errors, 0 warnings."), "\(step): \(result.output)")
    }
  }

  /// An app that takes a lock of which it tells nobody, in the words of the wire.
  private static let locker = """
    import fcntl, json, os, socket
    host = socket.socket(socket.AF_UNIX)
    host.connect(os.environ['LIFETRACE_HOST'])
    lines = host.makefile('r')
    def send(op, **members): host.sendall((json.dumps(dict(op=op, **members)) + '\\n').encode())
    send('hello', v=1, app='locker', pid=os.getpid(), config={})
    lines.readline()
    held = open('group/notes.db', 'w')
    fcntl.flock(held, fcntl.LOCK_EX)
    for line in lines:
        message = json.loads(line)
        if message['op'] == 'event' and message['n']: send('done', n=message['n'], accepted=True)

    """

  @Test("The host kills for a lock of which nobody has told, and names the file")
  func lock() throws {
    let folder = try TestFolder()
    try folder.write(Self.locker, to: "locker.py")
    try folder.write(
      "app: locker\napp-group: group\nsteps:\n- launch\n- home\n- wait: {until: not-running}\n",
      to: "lock.yml"
    )
    let result = run(
      "mkdir group; lifetrace record --check -o t --scenario lock.yml -- python3 locker.py",
      folder
    )
    #expect(result.status == 1, "\(result.output)")
    let killed =
      "locker was killed (0xdead10cc): it was suspended holding a file or database lock: "
    #expect(result.output.contains(killed + "flock on group/notes.db"), "\(result.output)")
    let broken = "The lock on group/notes.db was held when the app was suspended."
    #expect(result.output.contains("RS06 error  locker#1"), "\(result.output)")
    #expect(result.output.contains(broken), "\(result.output)")
    let unjudged = "no data object was declared: nothing about losses was judged"
    #expect(result.output.contains(unjudged), "\(result.output)")
  }
}
