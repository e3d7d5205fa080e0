# SPDX-License-Identifier: Apache-2.0
# For the casts of stories between machines.
#
#   machine NAME SECONDS CMD...   runs CMD under that host name, by a clock that is so far ahead

root=; [ "$(id -u)" = 0 ] || root=-Ur
machine() {
  name=$1 ahead=$2
  shift 2
  unshare $root -u -T --monotonic "$ahead" sh -c 'hostname "$0"; exec "$@"' "$name" "$@"
}
