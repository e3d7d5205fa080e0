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
  /// The texts of the row that is being inserted.
  private var texts: [UInt8] = [0]

  /// Makes the database in the empty file at `path`, with those tables; one thread writes it.
  init(path: String, _ schema: String) throws(SQLiteFailure) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw problem }
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
  ///
  /// Its texts stand side by side in memory that is used again: sqlite reads them there, and copies none.
  func add(_ statement: Statement, _ values: Value...) {
    let pointer = statements[statement.number]
    guard failure == nil else { return }
    texts.removeAll(keepingCapacity: true)
    for case .text(var text) in values { text.withUTF8 { texts.append(contentsOf: $0) } }
    texts.withUnsafeBytes { bytes in
      var place = 0
      for (index, value) in values.enumerated() {
        let column = Int32(index + 1)
        switch value {
        case .null: sqlite3_bind_null(pointer, column)
        case .integer(let number): sqlite3_bind_int64(pointer, column, number)
        case .text(let text):
          let count = text.utf8.count
          _ = sqlite3_bind_text64(
            pointer,
            column,
            bytes.baseAddress?.advanced(by: place).assumingMemoryBound(to: CChar.self),
            UInt64(count),
            nil,
            UInt8(SQLITE_UTF8)
          )
          place += count
        }
      }
      // No pointer into them is followed behind this.
      if sqlite3_step(pointer) != SQLITE_DONE { failure = problem }
      sqlite3_reset(pointer)
    }
  }

  /// Writes what is left, and says what went wrong at any time.
  func close() throws(SQLiteFailure) {
    run("COMMIT")
    if let failure { throw failure }
  }
}
