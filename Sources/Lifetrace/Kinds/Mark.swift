// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

extension Lifetrace {
  /// Names this moment, so that it can be found again: `goto saved`.
  @inlinable @inline(__always)
  public static func mark(
    _ name: StaticString,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(.mark, Site(name, file: file, line: line).id, 0, 0)
  }

  /// Names this moment, with one value.
  @inlinable @inline(__always)
  public static func mark(
    _ name: StaticString,
    _ first: Argument,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    let site = lt_labelled_site_id(
      name.lifetrace,
      file.lifetrace,
      line,
      first.label.lifetrace,
      lt_literal(),
      lt_literal(),
      lt_literal(),
      first.type
    )
    emit(.mark, site, 0, 1, first.bits)
  }

  /// Names this moment, with two values.
  @inlinable @inline(__always)
  public static func mark(
    _ name: StaticString,
    _ first: Argument,
    _ second: Argument,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    let site = lt_labelled_site_id(
      name.lifetrace,
      file.lifetrace,
      line,
      first.label.lifetrace,
      second.label.lifetrace,
      lt_literal(),
      lt_literal(),
      first.type | second.type << 8
    )
    emit(.mark, site, 0, 2, first.bits, second.bits)
  }

  /// Names this moment, with three values.
  @inlinable @inline(__always)
  public static func mark(
    _ name: StaticString,
    _ first: Argument,
    _ second: Argument,
    _ third: Argument,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    let site = lt_labelled_site_id(
      name.lifetrace,
      file.lifetrace,
      line,
      first.label.lifetrace,
      second.label.lifetrace,
      third.label.lifetrace,
      lt_literal(),
      first.type | second.type << 8 | third.type << 16
    )
    emit(.mark, site, 0, 3, first.bits, second.bits, third.bits)
  }

  /// Names this moment, with four values.
  @inlinable @inline(__always)
  public static func mark(
    _ name: StaticString,
    _ first: Argument,
    _ second: Argument,
    _ third: Argument,
    _ fourth: Argument,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    let site = lt_labelled_site_id(
      name.lifetrace,
      file.lifetrace,
      line,
      first.label.lifetrace,
      second.label.lifetrace,
      third.label.lifetrace,
      fourth.label.lifetrace,
      first.type | second.type << 8 | third.type << 16 | fourth.type << 24
    )
    emit(.mark, site, 0, 4, first.bits, second.bits, third.bits, fourth.bits)
  }

  /// Records a line of text.
  ///
  /// Each different text takes a place in the table of ``Name``.
  @inlinable
  public static func log(
    _ text: @autoclosure () -> String,
    level: LogLevel = .info,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    guard isEnabled else { return }
    emit(
      .log,
      Site("", file: file, line: line).id,
      0,
      2,
      UInt64(Name(text()).id),
      UInt64(level.rawValue)
    )
  }
}
