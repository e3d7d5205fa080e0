// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// What the main thread of a process does at this moment, in words for its end.
///
///     MainThreadLook.words(of: pid) { try? recorder.halt(pid: pid) }
///       // "asleep in fsync of /data/notes.db, called by Store.flush()"
///       // "computing, in Index.rebuild()"
///
/// It is looked at when the system is about to kill the process, which is stopped for it: a thread
/// that is stopped has a stack that stands still, and `/proc` says where. A few milliseconds.
enum MainThreadLook {
  /// Between two looks: a thread that computes is asleep at times, for a page or for the processor.
  private static let pause: UInt32 = 5_000

  static func words(of pid: Int32, stop: () -> Void) -> String? {
    guard let first = Moment(of: pid, in: pid) else { return nil }
    usleep(pause)
    guard let second = Moment(of: pid, in: pid) else { return nil }
    stop()
    let maps = Maps(of: pid)
    let callers = UserStack.callers(in: pid, of: pid, maps)
    let isComputing = first.runs || second.runs || first.call != second.call
    var what = isComputing ? "computing" : second.words(pid)
    guard !callers.isEmpty else {
      return !isComputing && second.waitsForInput ? "waiting for events" : what
    }
    let link = isComputing ? ", in " : ", called by "
    what += link + callers.joined(separator: ", called by ")
    return isComputing || !second.waitsForThread ? what : what + others(of: pid, maps)
  }

  /// More threads are not looked at, and no more of them are told of.
  private static let threadsMax = 256
  private static let othersMax = 2

  /// What other threads do that are in functions of the app, where main waits for one of them.
  private static func others(of pid: Int32, _ maps: Maps) -> String {
    let threads = namesInDirectory("/proc/\(pid)/task").compactMap { Int32($0) }.sorted()
    var out: [String] = []
    for thread in threads.prefix(threadsMax) where thread != pid && out.count < othersMax {
      guard let moment = Moment(of: thread, in: pid) else { continue }
      let callers = UserStack.callers(in: thread, of: pid, maps)
      guard !callers.isEmpty else { continue }
      let what =
        moment.call == nil
        ? "computing, in " : "asleep in \(moment.name ?? "the kernel"), called by "
      let name = SmallFile.lineIfReadable("/proc/\(pid)/task/\(thread)/comm") ?? ""
      let title = name.isEmpty ? "\(thread)" : "\(thread) (\(name))"
      out.append("; thread \(title) was \(what)\(callers.joined(separator: ", called by "))")
    }
    return out.joined()
  }

  /// The thread at one moment.
  private struct Moment {
    var state: UInt8
    /// The number of the call that it is in, with the first argument; nil where that may not be seen.
    var call: Call?
    /// Where in the kernel it sleeps; empty where that may not be seen.
    var channel: String

    struct Call: Equatable {
      var number: Int
      var argument: UInt64
    }

    var runs: Bool { state == UInt8(ascii: "R") }

    /// The name of the call that it is in, of those that wait.
    var name: String? {
      call.flatMap { cplatform_call_name($0.number) }.map { String(cString: $0) }
    }

    var waitsForThread: Bool { name == "futex" }

    var waitsForInput: Bool {
      ["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait"].contains(name ?? "")
    }

    init?(of id: Int32, in pid: Int32) {
      let thread = "/proc/\(pid)/task/\(id)"
      guard let stat = SmallFile.bytesIfReadable(thread + "/stat", bytesMax: 4096),
        let close = stat.lastIndex(of: UInt8(ascii: ")")), close + 2 < stat.count
      else { return nil }
      state = stat[close + 2]
      guard state != UInt8(ascii: "Z"), state != UInt8(ascii: "X") else { return nil }
      let words = SmallFile.lineIfReadable(thread + "/syscall")?.split(separator: " ") ?? []
      if words.count > 2, let number = Int(words[0]), number >= 0 {
        call = Call(number: number, argument: UInt64(words[1].dropFirst(2), radix: 16) ?? 0)
      }
      channel = SmallFile.lineIfReadable(thread + "/wchan") ?? ""
    }

    func words(_ pid: Int32) -> String {
      guard let call, let name else {
        if state == UInt8(ascii: "T") { return "stopped" }
        return channel.isEmpty || channel == "0" ? "asleep" : "asleep in the kernel (\(channel))"
      }
      if cplatform_call_has_file(call.number) == 1,
        let path = target(of: "/proc/\(pid)/fd/\(call.argument)")
      {
        return "asleep in \(name) of \(path)"
      }
      switch name {
      case "futex": return "asleep in futex, which waits for a lock, a semaphore or another thread"
      case "wait4", "waitid": return "asleep in \(name), which waits for a process"
      default: return "asleep in \(name)"
      }
    }
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(link, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
