// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What `lifetrace.h` shows at its top is a program, built as the README says.
@Suite(.waits) struct HeaderExampleTests {
  @Test func theExampleCompilesAndRecords() throws {
    let root = String(#filePath.dropLast("/Tests/CommandTests/HeaderExampleTests.swift".count))
    let folder = try TestFolder()
    let result = TerminalSession.shell(
      """
      exec 2>&1
      cd \(folder.path) || exit 99
      sources=\(TerminalSession.quoted(root))/Sources/CLifetrace
      # The lines of the opening comment that are indented are the example.
      example=$(sed -n '/^$/q; s,^//     ,,p' "$sources/include/lifetrace.h")
      {
        printf '%s\\n' "$example" | grep '^#include'
        printf 'static void load(void) {}\\nint main(void) {\\n'
        printf 'const char text[] = "Dear diary"; size_t length = sizeof text - 1;\\n'
        printf '%s\\n' "$example" | grep -v '^#include'
        printf '(void)version;\\nreturn 0;\\n}\\n'
      } >app.c
      cc -std=c11 -Wall -Werror -I"$sources/include" app.c "$sources"/*.c -o app -lpthread ||
        { cat app.c; exit 98; }
      export XDG_RUNTIME_DIR=$PWD
      \(TerminalSession.quoted(BuiltBinary.path)) record -o t -- ./app; echo "record $?"
      \(TerminalSession.quoted(BuiltBinary.path)) dump t; echo "dump $?"
      """
    )
    for line in ["record 0", "dump 0", "data.durable draft.txt", "work.begin load"] {
      #expect(result.output.contains(line), "\(result.output)")
    }
  }

  /// The app in C that releases hand out keeps its edit in a scenario, and loses it where it is to.
  @Test func theAppInCIsPlayed() throws {
    let root = String(#filePath.dropLast("/Tests/CommandTests/HeaderExampleTests.swift".count))
    let folder = try TestFolder()
    let result = TerminalSession.shell(
      """
      exec 2>&1
      cd \(folder.path) || exit 99
      root=\(TerminalSession.quoted(root))
      lifetrace=\(TerminalSession.quoted(BuiltBinary.path))
      cc -std=gnu11 -Wall -Wextra -Werror -I"$root/Sources/CLifetrace/include" \
        "$root/Sources/Examples/C/diary.c" "$root"/Sources/CLifetrace/*.c -o diary -lpthread || exit 98
      export XDG_RUNTIME_DIR=$PWD
      life=$root/Sources/Examples/C/diary.yml
      $lifetrace scenario check "$life"; echo "check $?"
      $lifetrace record --scenario "$life" -o kept --check -- ./diary; echo "kept $?"
      $lifetrace record --scenario "$life" -o lost --check -- ./diary forgetful; echo "lost $?"
      """
    )
    for said in ["check 0", "kept 0", "lost 1", "DS02 error", "Sources/Examples/C/diary.c:"] {
      #expect(result.output.contains(said), "\(result.output)")
    }
  }

  /// Every macro of the header, from C++: it compiles without a warning, and records.
  @Test(arguments: ["g++", "clang++"], ["c++17", "c++20"])
  func cxxAppsRecord(compiler: String, standard: String) throws {
    let root = String(#filePath.dropLast("/Tests/CommandTests/HeaderExampleTests.swift".count))
    let folder = try TestFolder()
    let result = TerminalSession.shell(
      """
      exec 2>&1
      cd \(folder.path) || exit 99
      command -v \(compiler) >/dev/null || { echo "there is no \(compiler)"; exit 0; }
      root=\(TerminalSession.quoted(root))
      sources=$root/Sources/CLifetrace
      cc -std=c11 -I"$sources/include" -c "$sources"/*.c || exit 98
      \(compiler) -std=\(standard) -Wall -Wextra -Werror -I"$sources/include" \
        "$root/Tests/Fixtures/CppApp/app.cpp" *.o -o app -lpthread || exit 97
      export XDG_RUNTIME_DIR=$PWD
      \(TerminalSession.quoted(BuiltBinary.path)) record -o t -- ./app; echo "record $?"
      \(TerminalSession.quoted(BuiltBinary.path)) dump t; echo "dump $?"
      """
    )
    if result.output.contains("there is no \(compiler)") { return }
    let said = [
      "read Dear diary", "record 0", "dump 0", "work.begin load", "mark elsewhere",
      "data.durable draft.txt version=1", "task.begin upload", "log text=careful level=error",
    ]
    for line in said { #expect(result.output.contains(line), "\(result.output)") }
  }
}
