#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py [--trials N | --each N] [--seed S] [--jobs J] [--kind K]... [--every] [--cluster] [--results FILE]
faults.py --table FILE...

Things happen to a recorder, servers and collectors. What an app has committed is held against the frames
in the files of the collectors, with what the recording counts as lost: 0 lost besides, 0 doubled, 0
conflicts; and what the recorder's own file still has is there too. A line a trial, with the seconds after
the last fault until the collectors had everything, the recording's own end included, and until the servers
answered for the stream and its consumer: a cluster has to choose its leaders first.

A trial has three kinds by its seed, or those of --kind, in that order; with --every all kinds are dealt to the
trials, with --each there are as many trials as give each kind N of them. With --cluster there are three servers,
each chunk on three. Seeds that FILE says went well are not tried again; --table says in Markdown what FILEs hold.
As root, full disks are small ones in a mount namespace of its own; else that kind is left out.
LT, EMITTER and POINT name lifetrace, the app, and point.c and clock.c compiled as one library."""
import argparse, collections, concurrent.futures, glob, json, os, random, re, signal, statistics, subprocess, sys
import threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from frames import chunks, overlaps
from world import EVENTS, LT, THREADS, Failed, World, name_of, until


class Trial(World):
    steady = led = 0.0

    def run(self):
        point = self.random.choice([None, 'recorder', 'freeing'])
        if point == 'freeing' and self.spool == 'whole': point = 'recorder'
        if point: point = self.point(point)
        self.done = [self.spool, '-'.join(map(str, point[1:])) if point else 'no-point']
        self.start_recorder(point)
        until('the app emits', lambda: self.committed() > 0 or self.recorder.poll() is not None)
        family = self.family()
        for kind in self.kinds:
            time.sleep(self.random.uniform(0.05, 0.8))
            self.done.append(kind)
            getattr(self, kind)()
            self.collects()
        self.heal()
        begin = time.monotonic()
        watch = threading.Thread(target=self.wait_for_leaders, args=[begin])
        watch.start()
        self.recorder.wait(timeout=120)
        until('the app is done', lambda: self.committed() == THREADS * EVENTS)
        # A recorder whose front was killed goes on to its end.
        until('the recorder ends', lambda: not any(name_of(pid).startswith('lifetrace') for pid in family))
        self.call('record', '--recover')
        self.ship()
        self.steady = round(time.monotonic() - begin, 1)
        watch.join()
        for process in self.collectors.values(): os.kill(process.pid, signal.SIGTERM)
        for process in self.collectors.values(): process.wait(timeout=60)
        return self.compare()

    def wait_for_leaders(self, begin):
        until('the servers can be worked with', self.has_leaders, 120)
        self.led = round(time.monotonic() - begin, 1)

    def ship(self):
        if not os.path.exists(self.trace): return
        words = ['ship', self.trace, '--to', f'nats://127.0.0.1:{self.relays["recorder"].port}', '--resend-after', '3s']
        # A point may end a collector while this waits for it.
        sender = self.start(LT, *words, '--timeout', '90s')
        while sender.poll() is None:
            self.collects()
            time.sleep(0.01)
        if sender.returncode: raise Failed(f'not all arrives: lifetrace ship ended with {sender.returncode}')

    def call(self, *words, codes=(0,)):
        outcome = subprocess.run([LT, *words], capture_output=True, text=True, env=self.environment,
                                 timeout=180)
        if outcome.returncode not in codes:
            raise Failed(f'lifetrace {" ".join(words)}: {outcome.returncode}: {outcome.stderr}')
        return outcome.stdout, outcome.returncode

    def info(self, path): return json.loads(self.call('info', '--json', path, codes=(0, 2))[0])
    def dump(self, path):
        """All events; not what is said of their writers, which is by the chunk that came last."""
        return re.sub(r'(?m)^app .*', 'app', self.call('dump', path, codes=(0, 2))[0])

    def merged(self, name, paths):
        path = f'{self.folder}/{name}.lifetrace'
        # Of several collectors each may have a part alone.
        self.call('merge', *paths, '-o', path, codes=(0, 2))
        return path

    def compare(self):
        folders = [sorted(glob.glob(f'{store}/*.lifetrace')) for store in self.stores]
        for store, segments in zip(self.stores, folders):
            if os.listdir(f'{store}/conflicts'): raise Failed('conflicts')
            # By the bytes: what readers say of them is without what is there twice.
            try: twice = overlaps([chunk for path in segments for chunk in chunks(path)])
            except ValueError as problem: raise Failed(problem)
            if twice: raise Failed(f'{twice} chunks hold events that others in {store} hold')
        held = [set(chunk for path in segments for chunk in chunks(path)) for segments in folders]
        # What one collector had and had not acknowledged, another one was given.
        shared = sum(map(len, held)) - len(set().union(*held))
        whole = self.merged('whole', sum(folders, []))
        facts, lines = self.info(whole), self.dump(whole)
        if facts['missing'] or facts['uncounted']: raise Failed(f'{facts["missing"]} missing between others')
        there, lost = lines.count(' data.dirty '), facts['lostInAll']
        if there + lost != THREADS * EVENTS:
            raise Failed(f'{there} there and {lost} lost of {THREADS * EVENTS} committed')
        if lost and self.spool != 'full': raise Failed(f'{lost} lost without a limit')
        if os.path.exists(self.trace):
            if self.spool == 'whole' and self.dump(self.trace) != lines: raise Failed('the events are others')
            if self.dump(self.merged('both', [whole, self.trace])) != lines: raise Failed('own ones are not there')
        elif self.spool != 'freed': raise Failed('the recording is gone')
        said = open(f'{self.folder}/log', errors='replace').read()
        freed = ', freed' if ' at the collector alone' in said else ''
        killed = ', recorder killed' if 'the recorder was killed' in said else ''
        both = f', {shared} chunks at two collectors' if shared else ''
        return f'{facts["events"]} events, {lost} lost of a full spool{freed}{killed}{both}'


def trial(seed, kinds, options, has_disks):
    begin = time.monotonic()
    one = Trial(seed, kinds, 3 if options.cluster else 1, options.stop_max, has_disks)
    try:
        one.begin()
        verdict, is_well = 'ok: ' + one.run(), True
    except (Failed, subprocess.TimeoutExpired) as problem:
        again = ''.join(f' --kind {kind}' for kind in one.kinds)
        verdict, is_well = f'FAILED: {problem}\n  again: --trials 1 --seed {seed}{again}', False
    finally: one.close()
    if is_well: one.remove()
    else:
        one.keep()
        verdict += f'\n  kept: {one.folder}'
    return {'seed': seed, 'ok': is_well, 'done': one.done, 'steady': one.steady, 'led': one.led,
            'seconds': round(time.monotonic() - begin, 1), 'verdict': verdict}


def dealt(kinds, each, seed):
    """Threes of different kinds, in which each kind stands `each` times."""
    chance, left, threes = random.Random(seed), {kind: each for kind in kinds}, []
    while left:
        # Those that have most left, so that no kind is left alone with itself.
        by_chance = sorted(left, key=lambda kind: (-left[kind], chance.random()))[:3]
        chance.shuffle(by_chance)
        threes.append(by_chance)
        for kind in by_chance:
            left[kind] -= 1
            if not left[kind]: del left[kind]
    return threes


def table(paths):
    """What the trials of each file came to, a column a file."""
    books = [[json.loads(line) for line in open(path)] for path in paths]
    # Of a seed that was tried again after a failure both stand in the book: each is a trial.
    steady = [sorted(row['steady'] for row in book if row['ok']) for book in books]
    led = [[row['led'] for row in book if row['ok']] for book in books]
    said = [[row['verdict'] for row in book] for book in books]
    lines = {
        'trials, seeds': [f'{len(book)}, {min(row["seed"] for row in book)} to {max(row["seed"] for row in book)}'
                          for book in books],
        'failed': [sum(not row['ok'] for row in book) for book in books],
        'recorder ended or killed on its way': [sum('recorder killed' in text for text in one) for one in said],
        'full spool, its losses counted exactly':
            [sum(' 0 lost' not in text and 'lost of a full' in text for text in one) for one in said],
        'file freed while recording, or at the end': [sum(', freed' in text for text in one) for one in said],
        'chunks in two collectors\' folders, as documented': [sum('two coll' in text for text in one) for one in said],
        'all at the collector after the last fault: median, most, within 10 s':
            [f'{statistics.median(one)} s, {one[-1]} s, {sum(time <= 10 for time in one)}' if one else '-' for one in steady],
        'the servers could be worked with: median, most':
            [f'{statistics.median(one)} s, {max(one)} s' if one else '-' for one in led],
        'all at the collector within 10 s of that': [
            sum(row['ok'] and row['steady'] - row['led'] <= 10 for row in book) for book in books],
    }
    counts = [collections.Counter(re.sub('@.*', '', kind) for row in book for kind in row['done'][2:]) for book in books]
    for kind in sorted(set().union(*counts)): lines[f'`{kind}`'] = [count[kind] for count in counts]
    print('| |' + ''.join(f' {os.path.basename(path)} |' for path in paths))
    print('|---|' + '---|' * len(paths))
    for name, cells in lines.items(): print(f'| {name} | ' + ' | '.join(map(str, cells)) + ' |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trials', type=int, default=5)
    parser.add_argument('--each', type=int)
    parser.add_argument('--table', nargs='+')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--kind', action='append', default=[])
    parser.add_argument('--every', action='store_true')
    parser.add_argument('--cluster', action='store_true')
    parser.add_argument('--stop-max', type=float, default=10)
    parser.add_argument('--results')
    options = parser.parse_args()
    if options.table: return table(options.table)
    # What is mounted is mounted for this process and its children alone.
    if os.geteuid() == 0 and 'LT_OWN_MOUNTS' not in os.environ:
        command = ['unshare', '--mount', '--propagation', 'private', sys.executable, *sys.argv]
        may = subprocess.run(command[:4] + ['mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], capture_output=True)
        os.environ['LT_OWN_MOUNTS'] = '1' if may.returncode == 0 else ''
        if may.returncode == 0: os.execvp(command[0], command)
    has_disks = os.environ.get('LT_OWN_MOUNTS') == '1'
    kinds = Trial.kinds_of(options.cluster, has_disks)
    unknown = sorted(set(options.kind) - set(kinds))
    if unknown: parser.error(f'no such kind here: {", ".join(unknown)}; there are {", ".join(kinds)}')
    decks = dealt(kinds, options.each, options.seed) if options.each else []
    options.trials = len(decks) or options.trials
    seeds = range(options.seed, options.seed + options.trials)
    known = set()
    if options.results and os.path.exists(options.results):
        known = {row['seed'] for row in map(json.loads, open(options.results)) if row['ok']}
    deal = {seed: options.kind for seed in seeds}
    if decks: deal = dict(zip(seeds, decks))
    if options.every: deal = {seed: kinds[at::options.trials] for at, seed in enumerate(seeds)}
    failed, lock = 0, threading.Lock()

    def run(seed):
        nonlocal failed
        row = trial(seed, deal[seed], options, has_disks)
        with lock:
            failed += not row['ok']
            print(f'seed {seed}  {" ".join(row["done"])}  {row["seconds"]} s, steady after {row["steady"]} s, servers after {row["led"]} s  '
                  f'{row["verdict"]}', flush=True)
            if options.results:
                with open(options.results, 'a') as book: book.write(json.dumps(row) + '\n')

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, [seed for seed in seeds if seed not in known]))
    print(f'{options.trials} trials, {len(known)} known from before, {failed} failed')
    sys.exit(1 if failed else 0)


main()
