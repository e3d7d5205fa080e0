// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Starts this program as ``EmitChild``; its process and the pipe it prints to.
func spawnEmitChild(_ program: String, _ story: String, environment: [String]) throws
  -> (child: pid_t, output: Int32)
{
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { throw EmitError(what: "no pipe") }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
  defer { posix_spawn_file_actions_destroy(&actions) }
  let words = ["Benchmarks", EmitChild.flag, story]
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
  defer { for string in arguments + variables { free(string) } }
  var child: pid_t = 0
  let code = posix_spawn(&child, program, &actions, nil, &arguments, &variables)
  close(ends[1])
  guard code == 0 else { throw EmitError(what: "spawn: \(code)") }
  return (child, ends[0])
}

/// Everything until the other end closes.
func readAll(_ file: Int32) -> String {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(file, &buffer, buffer.count)
    if count <= 0 { break }
    bytes += buffer[..<count]
  }
  close(file)
  return String(decoding: bytes, as: UTF8.self)
}

/// Lines of a name and a number.
func parseResults(_ text: String) -> [String: Double] {
  var results: [String: Double] = [:]
  for line in text.split(separator: "\n") {
    let words = line.split(separator: " ")
    if words.count == 2 { results[String(words[0])] = Double(words[1]) }
  }
  return results
}
