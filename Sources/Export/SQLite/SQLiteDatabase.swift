// SPDX-License-Identifier: Apache-2.0
internal import CLifetraceSqlite

/// Why a database could not be written, in the words of sqlite.
package struct SQLiteFailure: Error, Sendable, CustomStringConvertible {
  package let description: String
}

/// A new database in one file, written in one transaction.
///
/// The pointers of the library stand in this file only. What goes wrong is kept until ``close()``, as
/// a full disk is found late: the rows behind it are dropped.
final class SQLiteDatabase {
  private var handle: OpaquePointer?
  private var statements: [OpaquePointer?] = []
  private var failure: SQLiteFailure?

  /// Makes the database in the empty file at `path`, with those tables.
  init(path: String, _ schema: String) throws(SQLiteFailure) {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw problem }
    // The file is nobody's until it is whole.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
    run(schema)
    run("BEGIN")
    if let failure { throw failure }
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  private var problem: SQLiteFailure {
    SQLiteFailure(description: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory")
  }

  /// Runs statements that give no rows.
  func run(_ text: String) {
    guard failure == nil else { return }
    if sqlite3_exec(handle, text, nil, nil, nil) != SQLITE_OK { failure = problem }
  }

  /// A statement that inserts rows with `columns` values into a table.
  func insert(into table: String, columns: Int) -> Statement {
    let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(
      handle,
      "INSERT INTO \(table) VALUES (\(marks))",
      -1,
      &statement,
      nil
    )
    if code != SQLITE_OK { failure = failure ?? problem }
    statements.append(statement)
    return Statement(number: statements.count - 1)
  }

  /// One of the statements of the database.
  struct Statement {
    fileprivate let number: Int
  }

  /// What a column of a row holds.
  enum Value {
    case null
    case integer(Int64)
    case text(String)
  }

  /// Inserts a row.
  func add(_ statement: Statement, _ values: Value...) {
    let pointer = statements[statement.number]
    guard failure == nil else { return }
    for (index, value) in values.enumerated() {
      let column = Int32(index + 1)
      switch value {
      case .null: sqlite3_bind_null(pointer, column)
      case .integer(let number): sqlite3_bind_int64(pointer, column, number)
      case .text(var text):
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) { bytes in
            _ = sqlite3_bind_text64(
              pointer,
              column,
              bytes.baseAddress,
              UInt64(bytes.count),
              lifetrace_sqlite_transient(),
              UInt8(SQLITE_UTF8)
            )
          }
        }
      }
    }
    if sqlite3_step(pointer) != SQLITE_DONE { failure = problem }
    sqlite3_reset(pointer)
  }

  /// Writes what is left, and says what went wrong at any time.
  func close() throws(SQLiteFailure) {
    run("COMMIT")
    if let failure { throw failure }
  }
}
