// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceJSON
import Support
import TestThreads
import Testing

/// The main job with less than root has: a lost edit, really suspended and purged, found by `check`.
///
/// The test process itself may be root or not. As root, the job also runs as an ordinary user,
/// as a root without any capability, as a container's root (its own process and mount namespaces, a
/// /dev/shm that cannot be written, no /run), and in a container without rights: all that and a user
/// namespace, no capability, and 64 MB of shared memory. `lifetrace doctor` finds what the page says.
@Suite(.waits) struct PrivilegeTests {
  /// How the job is wrapped, by the name that the page has for it.
  private static let wrappers: [(name: String, command: String)] = {
    guard geteuid() == 0 else { return [("an ordinary user", "")] }
    let dropped = "setpriv --bounding-set -all --inh-caps -all --no-new-privs"
    let user = "\(dropped) --reuid 65534 --regid 65534 --clear-groups"
    let container = "unshare --mount --pid --fork --mount-proc"
    let inner = "\(user) unshare --user --map-root-user --mount --pid --fork --mount-proc"
    var all = [
      ("root", ""),
      ("an ordinary user", user),
      ("root without capabilities", dropped),
    ]
    // A container that tests inside a container may be refused; the other three are not.
    for place in [("root of a container", container), ("a container without rights", inner)]
    where TerminalSession.shell("\(place.1) true").status == 0 {
      all.append(place)
    }
    return all
  }()

  @Test(arguments: wrappers)
  func theLossIsFound(name: String, wrapper: String) throws {
    let folder = try TestFolder()
    // The binaries and the libraries they load are copied to where any user may read them.
    let result = TerminalSession.shell(
      """
      exec 2>&1
      cd \(folder.path) && mkdir libs work || exit 99
      products=\(TerminalSession.quoted(String(BuiltBinary.path.dropLast("/lifetrace".count))))
      cp "$products/lifetrace" "$products/notes" "$products/libLifetraceObserve.so" .
      ldd lifetrace notes | awk '$3 ~ "^/" && $3 !~ "^/(usr/)?lib/" {print $3}' | sort -u |
        xargs -r cp -t libs
      cat > edit.yml <<'END'
      app: notes
      disk: 8MiB
      suspend-by: freezer
      steps:
        - launch
        - tell: {edit: "Dear diary"}
        - home
        - purge
        - relaunch
      END
      cat > job.sh <<'END'
      case "$1" in
        "root of a container")
          mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs none /run || exit 98 ;;
        "a container without rights")
          mount -t tmpfs -o size=64m none /dev/shm || exit 98
          exec setpriv --bounding-set -all --inh-caps -all --no-new-privs bash job.sh inside ;;
      esac
      unset XDG_RUNTIME_DIR
      export LD_LIBRARY_PATH=$PWD/libs TMPDIR=$PWD/work HOME=$PWD/work
      cd work
      ../lifetrace record --scenario ../edit.yml -o t -- ../notes; echo "record $?"
      ../lifetrace check t; echo "check $?"
      ../lifetrace verify t; echo "verify $?"
      ../lifetrace dump t
      ../lifetrace doctor --json; echo "doctor $?"
      END
      chmod -R a+rX . && chmod a+rwx work
      timeout 120 \(wrapper) bash job.sh "\(name)"
      """
    )
    for line in [
      "record 0", "unsaved data lost: 1 object", "DS02 error", "check 1", "verify 0", "doctor 0",
    ] {
      #expect(result.output.contains(line), "\(name): \(result.output)")
    }
    try expectThePageToSay(name, doctor: result.output)
    // Who may not mount or make cgroups is told so once, and plays the same story.
    let isPlain = wrapper.hasPrefix("setpriv") || geteuid() != 0
    let isUser = wrapper.contains("--reuid") || geteuid() != 0
    if isPlain {
      let said = "lifetrace: disk: what is not synced will survive a reboot here: "
      #expect(result.output.contains(said), "\(name): \(result.output)")
      #expect(result.output.contains("disk value=\"a directory; unsynced writes survive"))
    }
    if !isPlain, access("/dev/loop-control", R_OK | W_OK) == 0 {
      #expect(result.output.contains("disk value=\"ext4; unsynced writes are lost"), "\(name)")
      #expect(result.output.contains("evidence=cgroup.freeze"), "\(name): \(result.output)")
    }
    if isUser {
      #expect(result.output.contains("lifetrace: suspend-by: apps are stopped by SIGSTOP here"))
      #expect(result.output.contains("evidence=SIGSTOP"), "\(name): \(result.output)")
      #expect(result.output.contains("lifetrace: lifetrace doctor says how to mend that"))
    }
  }

  /// What these take away depends on the machine, not on the rights there.
  private static let ofMachine: Set = [
    "browser", "clock", "exit cause", "kernel events", "limits", "observe", "terminal",
  ]

  /// What the doctor has found to go with less is what the page says of that place.
  private func expectThePageToSay(_ name: String, doctor output: String) throws {
    let line = output.split(separator: "\n").first { $0.hasPrefix("{\"version\"") }
    let found = try JSON(parsing: Array((line ?? "").utf8))["findings"]?.array ?? []
    let less = Set(
      found.filter { $0["standing"]?.string != "ok" }.compactMap { $0["name"]?.string }
    ).subtracting(Self.ofMachine)
    let page = try #require(Golden.text("Sources/Doctor/SURROUNDINGS.md"))
    let rows = page.split(separator: "\n")
    let row = try #require(rows.first { $0.hasPrefix("| \(name) |") }, "\(name)")
    let names = row.split(separator: "|", omittingEmptySubsequences: false)[2].split(separator: ",")
    let said = Set(names.map { $0.split(separator: " ").joined(separator: " ") })
      .subtracting(Self.ofMachine).subtracting([""])
    #expect(less.isSubset(of: said), "\(name): \(output)")
    // Where there are loop devices and cgroups, what is missing is missing for want of rights.
    if geteuid() == 0, access("/dev/loop-control", R_OK | W_OK) == 0 {
      #expect(said.isSubset(of: less), "\(name): \(output)")
    }
  }
}
