# SPDX-License-Identifier: Apache-2.0
"""Chunks of a trace by its bytes alone, as Sources/TraceFile/FORMAT.md has them: a judge that shares no code."""
import struct

CHUNK, INDEX = 0x184D2A5C, 0x184D2A5F


def chunks(path):
    """Writer, first number, how many and payload checksum of each chunk, in the order of the file."""
    with open(path, 'rb') as file: data = file.read()
    found, at = [], 0
    while at < len(data):
        magic, size, word = struct.unpack_from('<II8s', data, at)
        if magic == INDEX and word == b'LTRINDEX': at += 8 + size
        elif magic == CHUNK and word == b'LTRCHUNK':
            payload, _, checksum, count, high, low, first = struct.unpack_from('<IIIIQQQ', data, at + 20)
            found.append(((high, low), first, count, checksum))
            at += 8 + size + payload
        else: raise ValueError(f'{path}: neither a chunk nor an index at byte {at}')
    if at != len(data): raise ValueError(f'{path}: ends within a chunk')
    return found


def overlaps(found):
    """How many of these chunks hold a number that another one of the same writer holds."""
    count, ends = 0, {}
    for writer, first, events, _ in sorted(found):
        count += first < ends.get(writer, 0)
        ends[writer] = max(ends.get(writer, 0), first + events)
    return count
