// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The program that is measured as a whole: `LIFETRACE_BINARY`, else the one beside this.
func lifetrace() -> String {
  if let named = getenv("LIFETRACE_BINARY") { return String(cString: named) }
  return ownPath().split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/lifetrace"
}

/// Where this program stands.
func ownPath() -> String {
  var path = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = max(0, readlink("/proc/self/exe", &path, path.count))
  return String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Runs a command, its output to a file: the most memory that it has had resident, and the
/// seconds of processor time of all its threads.
///
/// It may find violations: exit code 1 is as good as 0.
func run(_ command: [String], output: String = "/dev/null") throws
  -> (kibibytes: Int, processor: Double)
{
  var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(
    &actions,
    STDOUT_FILENO,
    output,
    O_WRONLY | O_CREAT | O_TRUNC,
    0o644
  )
  var pid: pid_t = 0
  guard posix_spawn(&pid, command[0], &actions, nil, arguments, environ) == 0 else {
    throw BenchmarkFailure(text: "cannot run \(command[0])")
  }
  // Not `ru_maxrss`: the kernel counts what the parent had when it spawned the child.
  var most = 0
  var status: Int32 = 0
  var usage = rusage()
  while wait4(pid, &status, WNOHANG, &usage) == 0 {
    most = max(most, highWater(of: pid) ?? 0)
    usleep(1_000)
  }
  guard status & 0x7f == 0, status >> 8 <= 1 else {
    throw BenchmarkFailure(text: "\(command.joined(separator: " ")) ended with status \(status)")
  }
  return (most, seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

private func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

/// KiB that a process has had in memory at most, up to now.
private func highWater(of pid: pid_t) -> Int? {
  guard let file = fopen("/proc/\(pid)/status", "r") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, Int32(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) }
  }
  return nil
}
