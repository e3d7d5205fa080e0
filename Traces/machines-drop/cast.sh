# A push reaches the phone, and the daemon there drops it, as the app has had too many.
# why: DL14
# cause: pushd#1:7 notification.dropped
machine phone 300 "$lt" record -o phone.lifetrace -- "$actor" pushd daemon &
machine server 4000 "$lt" record -o server.lifetrace -- "$actor" server server
wait
