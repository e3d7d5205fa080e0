# An app exports a film, which takes what room the disk had, and the save of the other one finds none.
# why: DS02
# cause: photos#1:9 data.durable
mkdir disk
machine phone 300 unshare -m sh -c 'mount -t tmpfs -o size=4m disk disk && exec "$@"' - \
  "$lt" record -o phone.lifetrace --scenario phone.yml
