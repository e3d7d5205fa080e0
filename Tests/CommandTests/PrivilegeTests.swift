// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// The main job with less than root has: a lost edit, really suspended and purged, found by `check`.
///
/// The test process itself may be root or not. As root, the job also runs as an ordinary user,
/// as a root without any capability, and in a container-like root: its own process and mount
/// namespaces, a /dev/shm that cannot be written, no /run.
@Suite(.waits) struct PrivilegeTests {
  /// How the job is wrapped; `$user` is an ordinary user's id.
  private static let wrappers: [(name: String, command: String)] = {
    let asMe = ("as the user who tests", "")
    guard geteuid() == 0 else { return [asMe] }
    let dropped = "setpriv --bounding-set -all --inh-caps -all --no-new-privs"
    let container = "unshare --mount --pid --fork --mount-proc"
    var all = [
      asMe,
      ("as an ordinary user", "\(dropped) --reuid 65534 --regid 65534 --clear-groups"),
      ("as root without capabilities", dropped),
    ]
    // A container that tests inside a container may be refused; the other three are not.
    if TerminalSession.shell("\(container) true").status == 0 {
      all.append(("in a container-like root", container))
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
      cp "$products/lifetrace" "$products/notes" .
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
      if [ "$1" = "in a container-like root" ]; then
        mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs none /run || exit 98
      fi
      unset XDG_RUNTIME_DIR
      export LD_LIBRARY_PATH=$PWD/libs TMPDIR=$PWD/work HOME=$PWD/work
      cd work
      ../lifetrace record --scenario ../edit.yml -o t -- ../notes; echo "record $?"
      ../lifetrace check t; echo "check $?"
      ../lifetrace verify t; echo "verify $?"
      ../lifetrace dump t
      END
      chmod -R a+rX . && chmod a+rwx work
      timeout 120 \(wrapper) bash job.sh "\(name)"
      """
    )
    for line in ["record 0", "unsaved data lost: 1 object", "DS02 error", "check 1", "verify 0"] {
      #expect(result.output.contains(line), "\(name): \(result.output)")
    }
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
    }
  }
}
