// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import Synchronization

/// What a scene is made for.
public struct ConnectionOptions: Sendable, Hashable {
  private var contexts: Set<OpenURLContext>
  private let awaited: AwaitedURL?

  /// The URLs to open: at most one, and no other callback reports it.
  ///
  /// In the trace a URL is held from the connection until it is read here.
  public var urlContexts: Set<OpenURLContext> {
    get {
      awaited?.isRead()
      return contexts
    }
    set { contexts = newValue }
  }

  init(urlContexts: Set<OpenURLContext>) {
    contexts = urlContexts
    awaited = urlContexts.first.map { AwaitedURL($0.url) }
  }

  /// Whether both have the same URLs.
  public static func == (one: ConnectionOptions, other: ConnectionOptions) -> Bool {
    one.contexts == other.contexts
  }

  /// Hashes the URLs.
  public func hash(into hasher: inout Hasher) { hasher.combine(contexts) }
}

extension AppTrace {
  /// A scene that is there already is given a URL: it has it for as long as the call lasts.
  static func giving(_ url: String, to scene: () -> Void) {
    let resource = Lifetrace.Resource(.url(url), .other, attribute: "later-url")
    resource.acquire(file: "", line: 0)
    scene()
    resource.release(file: "", line: 0)
  }
}

extension Lifetrace.Name {
  /// What stands behind these marks may be a secret, and is not needed to know a URL by.
  fileprivate static func url(_ text: String) -> Lifetrace.Name {
    .init(String(text.prefix { $0 != "?" && $0 != "#" }))
  }
}

/// A URL that a scene was made for, which nobody has read yet.
private final class AwaitedURL: Sendable {
  private let resource: Lifetrace.Resource
  private let wasRead = Atomic(false)

  init(_ url: String) {
    resource = Lifetrace.Resource(.url(url), .other, attribute: "url")
    // No line of the app's has given or taken it.
    resource.acquire(file: "", line: 0)
  }

  /// The app has asked for it.
  func isRead() {
    if !wasRead.exchange(true, ordering: .relaxed) { resource.release(file: "", line: 0) }
  }
}
