#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py [--trials N] [--seed S] [--results FILE]: things happen to a recorder, a server, collectors.

What an app has committed is held against the files of the collectors, with what the recording counts as
lost: 0 lost besides, 0 doubled, 0 conflicts; and what the recorder's own file still has is there too. A
line a trial. Seeds that FILE says went well are not tried again; one that failed is tried by itself with
--trials 1 --seed S. LT, EMITTER and POINT name lifetrace, the app and point.c, compiled."""
import argparse, glob, json, os, shutil, signal, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from frames import chunks, overlaps
from world import EVENTS, LT, THREADS, Failed, World, name_of, until


class Trial(World):
    def run(self):
        point = self.random.choice([None, 'recorder', 'freeing'])
        if point == 'freeing' and self.spool == 'whole': point = 'recorder'
        if point: point = self.point(point)
        self.done = [self.spool, '-'.join(map(str, point[1:])) if point else 'no-point']
        self.start_recorder(point)
        until('the app emits', lambda: self.committed() > 0 or self.recorder.poll() is not None)
        family = self.family()
        for kind in self.random.sample(sorted(set(self.KINDS)), 3):
            time.sleep(self.random.uniform(0.05, 0.8))
            self.done.append(kind)
            getattr(self, kind)()
            self.collects()
        self.relay.heal()
        self.recorder.wait(timeout=120)
        until('the app is done', lambda: self.committed() == THREADS * EVENTS)
        # A recorder whose front was killed goes on to its end.
        until('the recorder ends', lambda: not any(name_of(pid).startswith('lifetrace') for pid in family))
        self.call('record', '--recover')
        self.ship()
        for process in self.collectors.values(): os.kill(process.pid, signal.SIGTERM)
        for process in self.collectors.values(): process.wait(timeout=60)
        return self.compare()

    def ship(self):
        if not os.path.exists(self.trace): return
        words = ['ship', self.trace, '--to', f'nats://127.0.0.1:{self.port}', '--resend-after', '3s']
        for _ in range(9):
            self.collects()
            # A point may end a collector while this waits for it.
            if self.call(*words, '--timeout', '10s', codes=(0, 75))[1] == 0: return
        raise Failed('not all arrives')

    def call(self, *words, codes=(0,)):
        outcome = subprocess.run([LT, *words], capture_output=True, text=True, env=self.environment,
                                 timeout=180)
        if outcome.returncode not in codes:
            raise Failed(f'lifetrace {" ".join(words)}: {outcome.returncode}: {outcome.stderr}')
        return outcome.stdout, outcome.returncode

    def info(self, path): return json.loads(self.call('info', '--json', path, codes=(0, 2))[0])
    def dump(self, path): return self.call('dump', path, codes=(0, 2))[0]

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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--results')
    options = parser.parse_args()
    known = set()
    if options.results and os.path.exists(options.results):
        known = {row['seed'] for row in map(json.loads, open(options.results)) if row['ok']}
    failed = 0
    for seed in range(options.seed, options.seed + options.trials):
        if seed in known: continue
        trial, begin = Trial(seed), time.monotonic()
        try: verdict, is_well = 'ok: ' + trial.run(), True
        except (Failed, subprocess.TimeoutExpired) as problem:
            failed += 1
            verdict, is_well = f'FAILED: {problem}\n  kept: {trial.folder}', False
        finally: trial.close()
        seconds = round(time.monotonic() - begin, 1)
        print(f'seed {seed}  {" ".join(trial.done)}  {seconds} s  {verdict}', flush=True)
        if options.results:
            with open(options.results, 'a') as book:
                row = {'seed': seed, 'ok': is_well, 'done': trial.done, 'seconds': seconds, 'verdict': verdict}
                book.write(json.dumps(row) + '\n')
        if is_well: shutil.rmtree(trial.folder, ignore_errors=True)
    print(f'{options.trials} trials, {len(known)} known from before, {failed} failed')
    sys.exit(1 if failed else 0)


main()
