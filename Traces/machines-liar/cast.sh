# The store is slow. The gateway between it and the app has a clock that goes to and fro by half a second,
# by which the gateway itself has taken most of the time once, and none of it the next.
# why: MS02
# cause: store#1:19 work.begin
machine store 70 "$lt" record -o store.lifetrace -- "$actor" store server &
machine gateway 4000 "$lt" record -o honest.lifetrace -- "$actor" gateway server &
machine phone 300 "$lt" record -o phone.lifetrace -- "$actor" notes app
wait
"$lt" export jsonl honest.lifetrace | python3 lie.py | "$lt" import jsonl - -o gateway.lifetrace
rm honest.lifetrace
