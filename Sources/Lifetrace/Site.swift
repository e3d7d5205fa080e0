// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

extension Lifetrace {
  /// A place in the source that emits events, with the name given there.
  public struct Site: Hashable, Sendable {
    /// The number of the site in this process, 0 for none.
    public var id: UInt32

    @inlinable
    init(id: UInt32) { self.id = id }

    /// The site of a call whose strings are literals.
    @inlinable @inline(__always)
    public init(_ name: StaticString, file: StaticString = #fileID, line: UInt32 = #line) {
      id = lt_call_site_id(name.lifetrace, file.lifetrace, line)
    }

    /// A site with a name that is known only at run time: two lookups by content, worth keeping.
    public init(named name: String, file: StaticString = #fileID, line: UInt32 = #line) {
      id = file.withUTF8Buffer { file in
        lt_site(name, String(decoding: file, as: UTF8.self), line, "")
      }
    }

    /// A site read elsewhere, such as in a script.
    public init(named name: String, inFile file: String, line: UInt32) {
      id = lt_site(name, file, line, "")
    }

    /// The absence of a site.
    @inlinable
    public static var none: Site { Site(id: 0) }

    /// What the site stands for; nil for none.
    public var parts: (name: String, file: String, line: UInt32, labels: String)? {
      var entry = lt_site_entry()
      guard lt_site_lookup(id, &entry) else { return nil }
      return (
        Name(id: entry.name).string, Name(id: entry.file).string, entry.line,
        Name(id: entry.labels).string
      )
    }
  }
}
