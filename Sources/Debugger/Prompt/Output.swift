// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace
import LifetraceWords

/// Where answers go: the terminal, a pager in front of it, or a file.
struct Output {
  /// Whether a person sees it.
  let isTerminal: Bool
  /// Takes the text instead of standard output; nil for that.
  private let sink: ((String) -> Void)?

  init(to sink: ((String) -> Void)? = nil) {
    self.sink = sink
    isTerminal = sink == nil && isatty(STDOUT_FILENO) == 1
  }

  /// Rows and columns of the terminal.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
    else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes lines; more than the screen holds go through `$PAGER` if wanted.
  ///
  /// A terminal would break a line within a word; here it is broken between two, unless a program
  /// is to read it.
  func write(_ lines: [String], paging: Bool, wrapping: Bool = true) {
    guard !lines.isEmpty else { return }
    let size = size
    let lines =
      isTerminal && wrapping ? lines.flatMap { Columns.wrap($0, to: size.columns) } : lines
    let text = lines.joined(separator: "\n") + "\n"
    if let sink { return sink(text) }
    if paging, isTerminal, lines.count > size.rows - 2, page(text) { return }
    guard isTerminal, lines.count > Self.linesAtOnce else {
      _ = Descriptor.write(text, to: STDOUT_FILENO)
      return
    }
    // A terminal takes its time: Ctrl-C ends a long text in the midst of it.
    for from in stride(from: 0, to: lines.count, by: Self.linesAtOnce) {
      if Interrupt.take() {
        let left = Quantity.count(lines.count - from, "line")
        _ = Descriptor.write("Interrupted; \(left) more.\n", to: STDOUT_FILENO)
        return
      }
      let some = lines[from..<min(from + Self.linesAtOnce, lines.count)]
      _ = Descriptor.write(some.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
    }
  }

  /// So many lines are written before it is asked whether to go on.
  private static let linesAtOnce = 200

  /// Writes to standard error, where the sink's text is not read.
  func complain(_ text: String) {
    if sink == nil { _ = Descriptor.write(text, to: STDERR_FILENO) }
  }

  /// False where there is no pager.
  private func page(_ text: String) -> Bool {
    let pager = environment("LIFETRACE_PAGER") ?? environment("PAGER") ?? "less"
    if pager == "cat" { return false }
    setenv("LESS", "FRXP-- q leads back to the prompt, space shows more --", 0)
    guard let pipe = popen(pager, "w") else { return false }
    fputs(text, pipe)
    return pclose(pipe) == 0
  }
}
