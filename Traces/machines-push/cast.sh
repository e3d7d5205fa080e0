# A line that was dictated to the watch goes over a server to the phone, whose app is woken for it, and is lost there.
# why: DS02
# cause: notes#1:23 wake.completion
machine watch 500 "$lt" record -o watch.lifetrace -- "$actor" watch app &
machine server 9000 "$lt" record -o server.lifetrace -- "$actor" server server &
machine phone 77 "$lt" record -o phone.lifetrace --scenario phone.yml
wait
