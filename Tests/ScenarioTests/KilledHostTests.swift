// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Glibc
import Support
import TestThreads
import Testing

@Suite("The recorder is killed while it plays", .serialized, .waits)
struct KilledHostTests {
  /// A process of a test, found by a variable in its environment.
  struct Marked {
    var pid: Int32
    var command: String
    var state: Character

    /// The command that was typed, or the process that records for it; not the guardian of the two.
    var isRecorder: Bool { ["lifetrace", "lifetrace-rec"].contains(command) }
  }

  static func marked(_ marker: String) -> [Marked] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [Marked] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let pid = Int32(name), let environment = Golden.proc("\(pid)/environ") else { continue }
      guard environment.contains(marker), let stat = Golden.proc("\(pid)/stat") else { continue }
      let command = stat.split(separator: "(").last?.split(separator: ")").first ?? ""
      let state = stat.split(separator: ")").last?.first { $0 != " " } ?? "?"
      if state != "Z" { found.append(Marked(pid: pid, command: String(command), state: state)) }
    }
    return found
  }

  /// Waits for something that must come; nil when it does not within two minutes.
  static func until<Found>(_ look: () -> Found?) -> Found? {
    for _ in 0..<12_000 {
      if let found = look() { return found }
      usleep(10_000)
    }
    return nil
  }

  /// Starts a recorder that plays `text`, with a session below `scratch` and a mark in the environment.
  static func start(_ text: String, in scratch: String, command: [String] = []) throws -> pid_t {
    let scenario = scratch + "/scenario.yml"
    try TestFile.write(text, to: scenario)
    // Of this process's environment nothing is changed: tests run side by side.
    let inherited = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"]
    var variables: [UnsafeMutablePointer<CChar>] = []
    for name in inherited {
      guard let value = getenv(name), let pair = strdup("\(name)=" + String(cString: value)) else {
        continue
      }
      variables.append(pair)
    }
    // The session that nobody adopts is removed with the rest.
    for pair in ["XDG_RUNTIME_DIR=\(scratch)", "LIFETRACE_TEST=\(scratch)"] {
      if let copy = strdup(pair) { variables.append(copy) }
    }
    var environment: [UnsafeMutablePointer<CChar>?] = variables + [nil]
    let words =
      [
        "\(TestProgram.products)/lifetrace", "record", "-o", scratch + "/run.lifetrace",
        "--scenario",
        scenario, "--",
      ] + command
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var recorder: pid_t = 0
    #expect(posix_spawn(&recorder, words[0], nil, nil, &pointers, &environment) == 0)
    for pointer in pointers + environment { free(pointer) }
    return recorder
  }

  @Test(
    "No app, stopped, frozen or running, outlives it; nor what an app has forked, its disk, its cgroup",
    arguments: ["signal", "freezer"],
    ["the recorder", "the command too"]
  )
  func nothingLeft(suspendBy: String, killed: String) throws {
    let scratch =
      "\(TestProgram.temporary)/lifetrace-killed-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    mkdir(scratch, 0o700)
    let text = """
      disk: 8MiB
      suspend-by: \(suspendBy)
      apps: {sleeper: \(TestProgram.products)/Probe, worker: \(TestProgram.products)/Probe}
      steps:
      - launch: sleeper
      - tell: {fork: child}
      - home
      - suspend
      - launch: worker
      - wait: 10min
      """
    let marker = "LIFETRACE_TEST=\(scratch)"
    let recorder = try Self.start(text, in: scratch)
    let freezes = suspendBy == "freezer" && Machine.cgroups != nil
    // One app stopped, one running, a child of the first, and the recorder.
    let alive = Self.until { () -> [Marked]? in
      let all = Self.marked(marker)
      let probes = all.filter { $0.command == "Probe" }
      let isReady =
        probes.count == 2
        && probes.contains { freezes ? FreezerTests.isFrozen($0.pid) == true : $0.state == "T" }
      return isReady && all.contains { $0.command == "sleep" } ? all : nil
    }
    let groups = (alive ?? []).compactMap { FreezerTests.cgroup(of: $0.pid) }
    if Machine.mounts { #expect(Machine.loopFiles(below: scratch).count == 1) }
    if freezes { #expect(Set(groups).count == 2) }
    for process in alive ?? Self.marked(marker)
    where process.isRecorder && (process.pid != recorder || killed != "the recorder") {
      kill(process.pid, SIGKILL)
    }
    #expect(alive != nil)
    let gone = Self.until { Self.marked(marker).isEmpty ? true : nil }
    #expect(gone == true, "left: \(Self.marked(marker))")
    let isTidy = Self.until {
      Machine.loopFiles(below: scratch).isEmpty && groups.allSatisfy { access($0, F_OK) != 0 }
        ? true : nil
    }
    #expect(isTidy == true, "left: \(Machine.loopFiles(below: scratch)) \(groups)")
    waitpid(recorder, nil, 0)
    for process in Self.marked(marker) { kill(process.pid, SIGKILL) }
    #expect(system("rm -r \(scratch)") == 0)
  }

  @Test("What the host told up to the kill is recovered, of the device and of the app")
  func hostsOwnWords() throws {
    let scratch =
      "\(TestProgram.temporary)/lifetrace-killed-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    mkdir(scratch, 0o700)
    let text = """
      apps: {probe: \(TestProgram.products)/Probe}
      steps:
      - launch
      - rotate: landscape-left
      - memory-warning
      - rotate: portrait
      - wait: 10min
      """
    let recorder = try Self.start(text, in: scratch)
    // Long before its chunk would be sealed. The scenario itself is told first, and has the word once.
    let isTold = Self.until { () -> Bool? in
      let words = "cat \(scratch)/lifetrace-*/told-1 2>/dev/null | grep -ao portrait | wc -l"
      return system("[ $(\(words)) -ge 2 ]") == 0 ? true : nil
    }
    #expect(isTold == true)
    let marker = "LIFETRACE_TEST=\(scratch)"
    let all = Self.marked(marker).sorted { $0.pid > $1.pid }
    for process in all where process.isRecorder { kill(process.pid, SIGKILL) }
    #expect(Self.until { Self.marked(marker).isEmpty ? true : nil } == true)
    waitpid(recorder, nil, 0)
    let tool = "XDG_RUNTIME_DIR=\(scratch) \(TestProgram.products)/lifetrace"
    let recovered = TestProgram.shell(
      "\(tool) record --recover 2>&1 && \(tool) dump \(scratch)/run.lifetrace"
    ).said.split(separator: "\n").filter { $0.contains("by=host") && !$0.contains("meta.scenario") }
    // The rotation is told of the device, of the app, and as the notification that is posted.
    #expect(recovered.count { $0.contains("value=landscape-left") } == 3, "\(recovered)")
    #expect(recovered.count { $0.contains("memory-warning") } == 2, "\(recovered)")
    #expect(recovered.count { $0.contains("device#1") } == 3, "\(recovered)")
    #expect(system("rm -r \(scratch)") == 0)
  }

  @Test(
    "What an app told after it had joined late is recovered, once and in the stream that it had"
  )
  func lateJoin() throws {
    let scratch =
      "\(TestProgram.temporary)/lifetrace-killed-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    mkdir(scratch, 0o700)
    // The recorder gives an app two seconds to join before it tells its life without it.
    let text = """
      app: wired
      steps:
      - launch
      - wait: 2500ms
      - repeat: {times: 20, steps: [{tell: {edit: Dear diary}}]}
      - home
      - wait: 10min
      """
    let recorder = try Self.start(text, in: scratch, command: ["\(TestProgram.products)/WireApp"])
    let marker = "LIFETRACE_TEST=\(scratch)"
    let alive = Self.until { () -> [Marked]? in
      let all = Self.marked(marker)
      return all.contains { $0.command == "WireApp" && $0.state == "T" } ? all : nil
    }
    // Who sees another of them end would close the file in order.
    let all = (alive ?? Self.marked(marker)).sorted { $0.pid > $1.pid }
    for process in all where process.isRecorder { kill(process.pid, SIGKILL) }
    #expect(alive != nil)
    #expect(Self.until { Self.marked(marker).isEmpty ? true : nil } == true)
    waitpid(recorder, nil, 0)
    let tool = "XDG_RUNTIME_DIR=\(scratch) \(TestProgram.products)/lifetrace"
    let recovered = TestProgram.shell(
      """
      \(tool) record --recover -o \(scratch)/whole.lifetrace 2>&1 && \(tool) dump \(scratch)/whole.lifetrace
      """
    ).said.split(separator: "\n")
    #expect(recovered.count { $0.contains("data.dirty") } == 20)
    #expect(recovered.filter { $0.hasPrefix("app wired") }.count == 1, "\(recovered)")
    #expect(recovered.count { $0.contains("process.start") } == 1)
    #expect(recovered.contains { $0.contains("applicationDidBecomeActive") }, "\(recovered)")
    #expect(system("rm -r \(scratch)") == 0)
  }
}

extension Golden {
  /// A file of /proc, which has no size.
  static func proc(_ path: String) -> String? {
    let file = open("/proc/" + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
