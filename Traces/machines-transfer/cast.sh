# An upload outlives the app that asked for it, and nobody is there for the result. Of the app there is
# the log of its device alone, whose times are known to a second.
# why: DL14
# cause: notes#1:10 process.exit
entry() { date -u "+%F %T.%6N+0000 0x1a2b     Default     0x0                  $1   0    $2: (Kit) [com.example:life] $3" >>device.log; }
app='app<notes(0A0B12C4-77D0-4E5F-8A9B-100000000000)>'
entry 30 runningboardd "Executing launch request for $app (tap)"
entry 37 SpringBoard "[$app:501] Bootstrap success!"
entry 501 notes "Received state update for 501 ($app, unknown-NotVisible"
entry 30 runningboardd "Calculated state for $app: running-active (role: UserInteractiveFocal) (endowments: (null))"
entry 501 notes "Deactivation reason removed: 12; deactivation reasons: 4096 -> 0; animating application lifecycle event: 0"
entry 501 notes "Deactivation reason added: 3; deactivation reasons: 0 -> 8; animating application lifecycle event: 0"
entry 501 notes "App transitioned to background, suspending HangTracing."
entry 30 runningboardd "[$app:501] Suspending task."
entry 0 kernel "memorystatus: killing_specific_process pid 501 [notes] (vm-pageshortage 3) 5KB"
entry 37 SpringBoard "[$app:501] Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:jetsam(1) code:3>>"
machine server 4000 "$lt" record -o server.lifetrace -- "$actor" server server &
machine phone 300 "$lt" record -o phone.lifetrace -- "$actor" transferd daemon
wait
"$lt" import console --clock-within 1s device.log -o device.lifetrace
