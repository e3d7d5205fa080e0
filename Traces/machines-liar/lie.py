# SPDX-License-Identifier: Apache-2.0
"""lie.py: what a recording in JSON lines would be if its clock had gone to and fro by half a second.

At each other request it is behind until the store has answered and ahead from then on; at those between,
the other way round: so it shows nothing of the time that the slow one took."""
import json, random, sys

random.seed(1)
ahead, begun = -1, -1
for line in sys.stdin:
    event = json.loads(line)
    if event['kind'] == 'message.receive':
        if event['arguments']['peer'] == 'notes': ahead = begun = -begun
        else: ahead = -begun
    if 'time' in event: event['time'] += ahead * random.randint(350_000_000, 500_000_000)
    print(json.dumps(event))
