#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py [--trials N] [--seed S]: a recorder, a server and a collector, to which things happen.

What an app has committed is held against the recorder's own file, and that against the files of the
collector: 0 lost, 0 doubled, 0 conflicts. A line a trial; a seed that failed is tried again by itself
with --trials 1 --seed S. LT and EMITTER name the programs."""
import argparse, glob, json, os, random, shutil, signal, socket, struct, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from relay import Relay

LT, EMITTER = os.environ['LT'], os.environ['EMITTER']
WINDOW = 2          # seconds in which the server drops a chunk that it has seen
THREADS, PAUSE = 3, 2_000


class Failed(Exception): pass


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as listener: return listener.getsockname()[1]


def until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end: raise Failed(f'{what}: not within {seconds} s')
        time.sleep(0.01)


class World:
    def __init__(self, seed):
        self.random, self.folder = random.Random(seed), tempfile.mkdtemp(prefix='lt-faults.')
        os.chmod(self.folder, 0o700)
        self.port, self.done = free_port(), []
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, TMPDIR=self.folder)
        self.trace, self.book = f'{self.folder}/own.lifetrace', f'{self.folder}/book'
        self.store = f'{self.folder}/store'
        self.log = open(f'{self.folder}/log', 'ab')
        self.server = self.collector = self.recorder = None
        self.start_server()
        self.relay = Relay(('127.0.0.1', self.port), seed)
        self.start_collector()

    def start(self, *words):
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                env=self.environment, start_new_session=True)

    def start_server(self):
        self.server = self.start('nats-server', '-js', '-sd', f'{self.folder}/js', '-a', '127.0.0.1',
                                 '-p', str(self.port))
        def answers():
            if self.server.poll() is not None: raise Failed('nats-server ends')
            try: socket.create_connection(('127.0.0.1', self.port), timeout=1).close()
            except OSError: return False
            return True
        until('the server answers', answers)

    def start_collector(self):
        self.collector = self.start(LT, 'collect', '--from', f'nats://127.0.0.1:{self.relay.port}',
                                    '-d', self.store, '--duplicate-window', f'{WINDOW}s')

    def start_recorder(self):
        self.recorder = self.start(
            LT, 'record', '-o', self.trace, '--to', f'nats://127.0.0.1:{self.relay.port}',
            '--ship-wait', '1s', '--', EMITTER, 'progress', self.book, str(THREADS), '40000', str(PAUSE))

    def committed(self):
        raw = open(self.book, 'rb').read() if os.path.exists(self.book) else b''
        return sum(struct.unpack_from('<Q', raw, 64 * at)[0] for at in range(len(raw) // 64))

    def kill(self, process):
        try: os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError: pass
        process.wait()

    # ---- What may happen

    def kill_server(self):
        self.kill(self.server)
        self.start_server()

    def wipe_server(self):
        self.kill(self.server)
        shutil.rmtree(f'{self.folder}/js', ignore_errors=True)
        self.start_server()

    def outage(self):
        self.kill(self.server)
        time.sleep(WINDOW + 0.5)
        self.start_server()

    def kill_collector(self):
        self.kill(self.collector)
        self.start_collector()

    def kill_recorder(self):
        # The process behind the front, which writes; the apps live on and are taken up again.
        self.kill(self.recorder)

    def stop(self, process):
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(self.random.uniform(0.2, 1.5))
        os.kill(process.pid, signal.SIGCONT)

    def stop_server(self): self.stop(self.server)
    def stop_collector(self): self.stop(self.collector)

    def weather(self, **faults):
        for name, value in faults.items(): setattr(self.relay, name, value)
        time.sleep(self.random.uniform(0.3, 1.0))
        self.relay.heal()

    def drop(self): self.relay.drop()
    def delay(self): self.weather(delay=0.02)
    def cut(self): self.weather(cut=0.05)
    def flip(self): self.weather(flip=0.05)
    def double(self): self.weather(double=0.05)
    def partition(self): self.weather(blocked={'up', 'down'})
    def half_partition(self): self.weather(blocked={self.random.choice(['up', 'down'])})

    KINDS = ['kill_server', 'wipe_server', 'outage', 'kill_collector', 'kill_recorder', 'stop_server',
             'stop_collector', 'drop', 'delay', 'cut', 'flip', 'double', 'partition', 'half_partition']

    # ---- One trial

    def run(self):
        self.start_recorder()
        until('the app emits', lambda: self.committed() > 0)
        for kind in self.random.sample(self.KINDS, 3):
            time.sleep(self.random.uniform(0.05, 0.8))
            self.done.append(kind)
            getattr(self, kind)()
        self.relay.heal()
        self.recorder.wait(timeout=120)
        if 'kill_recorder' in self.done:
            until('the apps are done', lambda: self.committed() == THREADS * 40_000)
            self.call('record', '--recover')
        self.call('ship', self.trace, '--to', f'nats://127.0.0.1:{self.port}', '--timeout', '90s',
                  '--resend-after', '3s')
        os.kill(self.collector.pid, signal.SIGTERM)
        self.collector.wait(timeout=60)
        return self.compare()

    def call(self, *words, codes=(0,)):
        outcome = subprocess.run([LT, *words], capture_output=True, text=True, env=self.environment,
                                 timeout=180)
        if outcome.returncode not in codes:
            raise Failed(f'lifetrace {" ".join(words)}: {outcome.returncode}: {outcome.stderr}')
        return outcome.stdout

    def compare(self):
        segments = sorted(glob.glob(f'{self.store}/*.lifetrace'))
        whole = f'{self.folder}/whole.lifetrace'
        self.call('merge', *segments, '-o', whole)
        own, there = (json.loads(self.call('info', '--json', path, codes=(0, 2)))
                      for path in (self.trace, whole))
        chunks = lambda facts: facts['chunks']
        events = lambda facts: facts['events']
        held = [json.loads(self.call('info', '--json', path, codes=(0, 2))) for path in segments]
        committed = self.committed()
        if events(own) < committed: raise Failed(f'{events(own)} recorded of {committed} committed')
        if events(there) != events(own): raise Failed(f'{events(there)} there of {events(own)} recorded')
        if sum(map(chunks, held)) != chunks(own): raise Failed('chunks are there twice')
        if os.listdir(f'{self.store}/conflicts'): raise Failed('conflicts')
        lines = [self.call('dump', path, codes=(0, 2)) for path in (self.trace, whole)]
        if lines[0] != lines[1]: raise Failed('the events there are others')
        return f'{events(own)} events, {chunks(own)} chunks'

    def close(self):
        for process in (self.recorder, self.collector, self.server):
            if process and process.poll() is None: self.kill(process)
        self.relay.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.trials):
        world = World(seed)
        try: verdict = 'ok: ' + world.run()
        except (Failed, subprocess.TimeoutExpired) as problem:
            failed += 1
            verdict = f'FAILED: {problem}\n  kept: {world.folder}'
        finally: world.close()
        print(f'seed {seed}  {" ".join(world.done)}  {verdict}', flush=True)
        if verdict.startswith('ok'): shutil.rmtree(world.folder, ignore_errors=True)
    print(f'{options.trials} trials, {failed} failed')
    sys.exit(1 if failed else 0)


main()
