// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Judging a recording of "a day of app life", many days long, as a whole process: what memory it
/// takes, and how fast it is.
///
/// `LIFETRACE_BENCH_EVENTS` makes the recording larger or smaller than 100 million events, which
/// take 0.4 GB in /tmp and some minutes to make up. `LIFETRACE_BINARY` is the program; else the one
/// beside this.
func benchmarkCheck(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = LargeDay.eventsAsked ?? (size == .small ? 100_000 : 100_000_000)
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/days.lifetrace"
  let dayEvents = size == .small ? 50_000 : 10_000_000
  try LargeDay.write(to: path, events: count, dayEvents: dayEvents)
  let start = now()
  let checked = try run([lifetrace(), "check", path])
  let seconds = Double(now() - start) / 1e9
  let megabytes = Double(checked.kibibytes) / 1_024
  let scale = count >= 1_000_000 ? "\(count / 1_000_000) M" : "\(count / 1_000) k"
  return [
    BenchmarkRow(
      "check \(scale) events, whole process: memory",
      "\(fixed(megabytes)) MB",
      target: "at most 64 MB",
      reached: megabytes <= 64
    ),
    BenchmarkRow(
      "the same: rate",
      "\(fixed(Double(count) / seconds / 1e6)) M events/s",
      peer: "\(fixed(Double(count) / checked.processor / 1e6)) for each core's second"
    ),
  ]
}

private func lifetrace() -> String {
  if let named = getenv("LIFETRACE_BINARY") { return String(cString: named) }
  var path = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = max(0, readlink("/proc/self/exe", &path, path.count))
  let own = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/lifetrace"
}

/// Runs a command whose output nobody wants: the most memory that it has had resident, and the
/// seconds of processor time of all its threads.
///
/// It may find violations: exit code 1 is as good as 0.
private func run(_ command: [String]) throws -> (kibibytes: Int, processor: Double) {
  var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
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
