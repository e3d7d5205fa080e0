// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import Fuzzing
import Glibc
import Support

// fuzz [COUNT] [--target NAME] [--seed N] [--first INDEX] [--input FILE]
//
// Runs COUNT inputs of each target, in child processes: one that crashes, hangs or
// grows too large is told with its seed and index, made as small as it goes, and
// written to a file that --input runs again.

if getenv("SWIFT_BACKTRACE") == nil, !CommandLine.arguments.contains("--input") {
  // A crash is told by the parent; a backtrace of each would take a second.
  setenv("SWIFT_BACKTRACE", "enable=no", 1)
  execv("/proc/self/exe", CommandLine.unsafeArgv)
}
var options = Options(CommandLine.arguments.dropFirst())
if let path = options.input {
  guard let target = options.target, let bytes = try? TestFile.read(path) else {
    print("fuzz: --input needs --target and a file that can be read")
    exit(64)
  }
  let fault = Fuzz(target, seed: 0).run(bytes)
  print(fault ?? "no fault")
  exit(fault == nil ? 0 : 1)
}
var faults = 0
for target in options.target.map({ [$0] }) ?? Fuzz.Target.allCases {
  faults += Hunt(target, options).run()
}
exit(faults == 0 ? 0 : 1)
