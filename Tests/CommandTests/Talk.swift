// SPDX-License-Identifier: Apache-2.0
import Support

/// Records an app that hears behind `there`, a prefix of its command, and one that calls it here; and
/// merges both.
///
/// Needs root, or a kernel that lets everybody have namespaces (`unshare -Ur`). `pause` are microseconds
/// between round trips; `meanwhile` runs beside them, with the recorder there in `there.pid`.
func talk(
  _ folder: TestFolder,
  there: String,
  trips: Int = 200,
  pause: Int = 2_000,
  meanwhile: String = ":"
) -> (status: Int32, output: String) {
  shell(
    """
    talker="${emitter%/Emitter}/Talker"
    root=; [ "$(id -u)" = 0 ] || root=-Ur
    \(there) sh -c 'echo $$ >there.new; mv there.new there.pid; exec "$@"' - \\
      "$lt" record -o there.lifetrace -- "$talker" hear port >there.txt 2>&1 &
    hearer=$!
    (\(meanwhile)) &
    lifetrace record -o here.lifetrace -- "$talker" call port \(trips) \(pause) >here.txt 2>&1 || {
      cat here.txt there.txt; kill $hearer; exit 1; }
    wait $hearer || { cat there.txt; exit 1; }
    lifetrace merge -o both.lifetrace here.lifetrace there.lifetrace >/dev/null || exit 1
    """,
    in: folder
  )
}
