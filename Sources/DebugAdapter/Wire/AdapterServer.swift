// SPDX-License-Identifier: GPL-3.0-or-later
import Dispatch
package import LifetraceJSON
import LifetracePlatform

/// An adapter over standard input and output.
///
///     exit(AdapterServer.run(open: open))
///
/// One thread reads; this one answers. So a search hears at once that it is to end.
package enum AdapterServer {
  /// Serves one client until it leaves; the exit code.
  package static func run(open: @escaping DebugAdapter.Open) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let inbox = Inbox()
    var isCut = false
    let adapter = DebugAdapter(
      open: open,
      interruption: DebugAdapter.Interruption(
        isPending: { inbox.isInterrupted },
        take: inbox.takeInterruptions
      )
    ) { message in
      if Descriptor.write(frame(message), to: STDOUT_FILENO) != 0 { isCut = true }
    }
    defer { adapter.close() }
    DispatchQueue(label: "lifetrace.dap").async { read(into: inbox) }
    while !isCut, let (message, isCancelled) = inbox.next() {
      switch message {
      case .request(let request):
        guard adapter.answer(request, isCancelled: isCancelled) else { return 0 }
      case .problem(let problem): adapter.complain(problem)
      }
    }
    return inbox.isBroken ? EX_PROTOCOL : 0
  }

  /// A message with its length in front.
  package static func frame(_ message: JSON) -> [UInt8] {
    var body: [UInt8] = []
    message.write(to: &body)
    return Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  /// Reads until the client closes, or until nobody knows any more where a message begins.
  private static func read(into inbox: Inbox) {
    var reader = MessageReader()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = LifetracePlatform.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return inbox.close() }
      reader.append(buffer[..<count])
      while true {
        do throws(MessageReader.Problem) {
          guard let message = try reader.next() else { break }
          if let request = Request(message) { inbox.put(.request(request)) }
        } catch {
          switch error {
          case .body(let problem): inbox.put(.problem(problem))
          case .framing(let problem):
            inbox.put(.problem(problem))
            return inbox.close(broken: true)
          }
        }
      }
    }
  }
}
