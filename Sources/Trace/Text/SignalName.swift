// SPDX-License-Identifier: Apache-2.0

/// What signals are called.
///
///     SignalName.of(9)     // "SIGKILL"
public enum SignalName {
  /// The name of a signal that ends processes, by its number on Linux; nil for any other.
  public static func of(_ number: UInt64) -> String? { names[number] }

  private static let names: [UInt64: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
    8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
    14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
