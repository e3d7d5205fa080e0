# A change is sent by the watch, and lost on the way to the server; one that is sent later arrives.
# why: DL14
# cause: watch#1:3 message.send
ln -s relay-from-watch server-from-watch
"$actor" relay app &
machine server 4000 "$lt" record -o server.lifetrace -- "$actor" server server &
machine watch 300 "$lt" record -o watch.lifetrace -- "$actor" watch app
wait
