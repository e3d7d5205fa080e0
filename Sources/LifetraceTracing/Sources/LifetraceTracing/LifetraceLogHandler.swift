// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace
public import Logging

/// A handler of swift-log that emits each line as an event of lifetrace.
///
///     LoggingSystem.bootstrap {
///       MultiplexLogHandler([StreamLogHandler.standardError(label: $0), LifetraceLogHandler(label: $0)])
///     }
///
/// The event has the line of the source, the label of the logger as its name, and the text with its metadata
/// behind it, by key. Different texts take room: see the page of this package.
public struct LifetraceLogHandler: LogHandler {
  /// What all lines of the logger have.
  public var metadata: Logger.Metadata = [:]
  /// Asked for more of it at each line.
  public var metadataProvider: Logger.MetadataProvider?
  /// Lines below it are left out.
  public var logLevel: Logger.Level = .info

  private let label: String

  /// A handler for the logger of that label.
  public init(label: String, metadataProvider: Logger.MetadataProvider? = nil) {
    self.label = label
    self.metadataProvider = metadataProvider
  }

  /// One value of ``metadata``.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Emits the line, at once.
  public func log(event: LogEvent) {
    guard Lifetrace.isEnabled else { return }
    var all = metadata
    for more in [metadataProvider?.get(), event.metadata].compactMap({ $0 }) {
      all.merge(more) { $1 }
    }
    if let error = event.error { all["error"] = "\(error)" }
    let behind = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let line = UInt32(clamping: event.line)
    let site = Lifetrace.Site(named: RecordedText.kept(label), inFile: event.file, line: line)
    RecordedText.log("\(event.message)\(behind)", Self.level(event.level), at: site)
  }

  /// As OpenTelemetry's severities become levels when they are imported.
  private static func level(_ level: Logger.Level) -> Lifetrace.LogLevel {
    switch level {
    case .trace, .debug: .debug
    case .info: .info
    case .notice, .warning: .notice
    case .error: .error
    case .critical: .fault
    }
  }
}
