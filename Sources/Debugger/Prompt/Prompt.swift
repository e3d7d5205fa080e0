// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceWords
@preconcurrency import CLifetraceReadline

/// A line of a person at a terminal, through readline.
///
/// readline is one per process and keeps its state in C globals; all of it is
/// touched from the main thread only, here and in ``Completer``.
enum Prompt {
  /// Lines kept in the history file.
  static let historyMax: Int32 = 1_000

  /// What reading a line can come to.
  enum Line {
    case text(String)
    case interrupted
    case end
  }

  /// Sets readline up for this program: its name in `~/.inputrc`, completion, Ctrl-C.
  static func prepare() {
    rl_readline_name = UnsafePointer(strdup("lifetrace"))
    using_history()
    stifle_history(historyMax)
    rl_completer_word_break_characters = UnsafePointer(strdup(" \t"))
    rl_attempted_completion_function = Completer.complete
    rl_getc_function = nextByte
  }

  /// Asked now and then while no key is pressed; its news goes above the prompt, which may change.
  ///
  /// Set and called on the main thread only, like all that readline touches.
  nonisolated(unsafe) static var idle: (() -> (news: String?, prompt: String?))?
  /// The prompt that is shown, and how; read and written as ``idle``.
  private nonisolated(unsafe) static var shown: (text: String, style: Style, paint: Paint)?
  /// How often ``idle`` is asked.
  private static let idleMilliseconds: Int32 = 100

  /// Waits until there is a key, and meanwhile prints the news; false where a signal came instead.
  private static func waitForKey() -> Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while let idle {
      let count = poll(&descriptor, 1, idleMilliseconds)
      guard count == 0 else { return count > 0 || errno != EINTR }
      let (news, prompt) = idle()
      let isOther = prompt != nil && prompt != shown?.text
      guard news != nil || isOther else { continue }
      _ = Descriptor.write(Paint.clearLine + (news.map { "\($0)\n" } ?? ""), to: STDOUT_FILENO)
      if let prompt, let shown {
        self.shown?.text = prompt
        rl_set_prompt(marked(prompt, shown.style, shown.paint))
      }
      rl_on_new_line()
      rl_redisplay()
    }
    return true
  }

  /// The states in which readline asks for more than the next key of a line.
  ///
  /// It searches, counts, quotes, or asks whether to list all; Ctrl-G leaves each of these.
  private static let askingStates =
    RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_METANEXT
    | RL_STATE_MOREINPUT | RL_STATE_VIMOTION | RL_STATE_CHARSEARCH

  /// Waits for a key; Ctrl-C empties the line and ends it.
  ///
  /// readline's own function would wait on: it lets no signal handler end a line.
  private static let nextByte: @convention(c) (UnsafeMutablePointer<FILE>?) -> Int32 = { _ in
    while true {
      if Interrupt.isPending {
        // A search would take the end of the line for the end of the search, and keep what it found.
        if rl_readline_state & UInt(askingStates) != 0 { return 7 }
        rl_replace_line("", 0)
        return Int32(UInt8(ascii: "\n"))
      }
      var byte: UInt8 = 0
      if waitForKey() {
        let count = LifetracePlatform.read(STDIN_FILENO, &byte, 1)
        if count == 1 { return Int32(byte) }
        guard count < 0, errno == EINTR else { return -1 }
      }
      // Runs what readline put off: our handler for Ctrl-C, a new size of the window.
      rl_check_signals()
    }
  }

  /// readline counts the columns of a prompt; escapes stand between marks that say: no width.
  private static func marked(_ prompt: String, _ style: Style, _ paint: Paint) -> String {
    let (on, off) = paint.escapes(style)
    return paint.isOn ? "\u{1}\(on)\u{2}\(prompt)\u{1}\(off)\u{2}" : prompt
  }

  /// Reads a line after `prompt`, which must hold no escapes.
  static func read(_ prompt: String, style: Style, paint: Paint) -> Line {
    shown = (prompt, style, paint)
    let typed = readline(marked(prompt, style, paint))
    if Interrupt.take() {
      free(typed)
      return .interrupted
    }
    guard let typed else { return .end }
    defer { free(typed) }
    return .text(String(cString: typed))
  }

  /// Whether readline has gone to a new line at Ctrl-D, as it does where it brackets pasted text.
  static var endsItsLine: Bool {
    guard let value = rl_variable_value("enable-bracketed-paste") else { return false }
    return String(cString: value) == "on"
  }

  // MARK: - History

  /// Reads the history file, if there is one.
  static func readHistory(_ path: String) { read_history(path) }

  /// Remembers a line, unless it repeats the one before.
  static func remember(_ line: String) {
    if let last = history_get(history_base + history_length - 1), let text = last.pointee.line,
      String(cString: text) == line
    {
      return
    }
    add_history(line)
  }

  /// Writes the history file, readable by its owner alone.
  static func writeHistory(_ path: String) {
    Paths.makeFolders(above: path)
    let mask = umask(0o077)
    defer { umask(mask) }
    guard write_history(path) == 0 else { return }
    chmod(path, 0o600)
  }
}
