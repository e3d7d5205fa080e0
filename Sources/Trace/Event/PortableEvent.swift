// SPDX-License-Identifier: Apache-2.0

/// An event with its names beside it, for a party whose ``Names`` are others.
///
///     let portable = PortableEvent(event, names: recorder)
///     let event = portable.event(in: &mine)
///
/// Costs a string for each name.
package struct PortableEvent: Sendable {
  /// Its names are places in ``names``, its site is that there is one.
  private let event: Event
  private let names: Names

  /// Takes the names of an event along.
  package init(_ event: Event, names: borrowing Names) {
    var own = Names()
    self.event = Self.moved(event, from: names, to: &own)
    self.names = own
  }

  /// The event, its names interned in `names`.
  package func event(in names: inout Names) -> Event {
    Self.moved(event, from: self.names, to: &names)
  }

  private static func moved(
    _ event: Event,
    from old: borrowing Names,
    to new: inout Names
  ) -> Event {
    var event = event
    var site = old[event.site]
    if let info = old.info(of: event.kind) {
      new.teach(info)
      event.mapNames(info, labels: site.labels) { new.intern(old[NameID(word: $0)]) }
    }
    if event.site != .none {
      site.name = new.intern(old[site.name])
      site.file = new.intern(old[site.file])
      event.site = new.intern(site)
    }
    return event
  }
}
