# The app gives up after 300 ms; its server has asked a store, which has to read all that it has.
# why: MS02
# cause: store#1:3 work.begin
machine store 70 "$lt" record -o store.lifetrace -- "$actor" store server &
machine server 4000 "$lt" record -o server.lifetrace -- "$actor" server server &
machine phone 300 "$lt" record -o phone.lifetrace -- "$actor" notes app
wait
