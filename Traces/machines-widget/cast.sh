# The app waits on main for a lock that it shares with its widget, which renders its timeline under it.
# why: DL11
# cause: widget#1:7 resource.acquire
machine phone 300 "$lt" record -o phone.lifetrace --scenario phone.yml
