# SPDX-License-Identifier: Apache-2.0
"""An app, its recorder, a server and collectors, in a folder of their own, and what may happen to them."""
import os, random, shutil, signal, socket, struct, subprocess, tempfile, time
from relay import Relay

LT, EMITTER, POINT = os.environ['LT'], os.environ['EMITTER'], os.environ['POINT']
WINDOW = 2          # seconds in which the server drops a chunk that it has seen
THREADS, EVENTS, PAUSE = 3, 40_000, 5_000


class Failed(Exception): pass


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as listener: return listener.getsockname()[1]


def until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end: raise Failed(f'{what}: not within {seconds} s')
        time.sleep(0.01)


def name_of(pid):
    try: return open(f'/proc/{pid}/comm').read().strip()
    except OSError: return ''


# Where a process ends itself, by point.c: who, at which call, when, on which file. A recorder has few
# small files to free, a collector many batches.
POINTS = {
    'recorder': [('lifetrace-rec', *rest, '.lifetrace') for rest in (
        ('write', 'before'), ('write', 'during'), ('write', 'after'))],
    'freeing': [('lifetrace-rec', *rest) for rest in (
        ('write', 'before', 'compact'), ('write', 'during', 'compact'), ('write', 'after', 'compact'),
        ('sync', 'before', 'compact'), ('sync', 'after', 'compact'),
        ('exchange', 'before', '.lifetrace'), ('exchange', 'after', '.lifetrace'),
        ('remove', 'before', 'compact'), ('remove', 'after', 'compact'))],
    'collector': [('lifetrace', *rest) for rest in (
        ('write', 'before', '.lifetrace'), ('write', 'during', '.lifetrace'),
        ('write', 'after', '.lifetrace'), ('sync', 'before', '.lifetrace'),
        ('sync', 'after', '.lifetrace'), ('have', 'before', 'lthave'), ('have', 'after', 'lthave'),
        ('ack', 'before', 'ACK'), ('ack', 'after', 'ACK'))],
}


class World:
    def __init__(self, seed):
        self.random, self.folder = random.Random(seed), tempfile.mkdtemp(prefix='lt-faults.')
        os.chmod(self.folder, 0o700)
        self.port, self.done = free_port(), []
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, TMPDIR=self.folder)
        self.trace, self.book = f'{self.folder}/own.lifetrace', f'{self.folder}/book'
        self.stores = [f'{self.folder}/store']
        self.log = open(f'{self.folder}/log', 'ab')
        self.collectors, self.server, self.recorder = {}, None, None
        # The whole recording stays, what has arrived goes at once, or only where the file is full.
        self.spool = self.random.choice(['whole', 'freed', 'full'])
        self.start_server()
        self.relay = Relay(('127.0.0.1', self.port), seed)
        self.start_collector(self.stores[0])

    def start(self, *words, point=None):
        environment = dict(self.environment)
        if point:
            who, call, when, name, number = point
            environment |= {'LD_PRELOAD': POINT, 'LT_POINT': f'{who} {call} {number} {when} {name}'}
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                env=environment, start_new_session=True)

    def start_server(self):
        self.server = self.start('nats-server', '-js', '-sd', f'{self.folder}/js', '-a', '127.0.0.1',
                                 '-p', str(self.port))
        def answers():
            if self.server.poll() is not None: raise Failed('nats-server ends')
            try: socket.create_connection(('127.0.0.1', self.port), timeout=1).close()
            except OSError: return False
            return True
        until('the server answers', answers)

    def start_collector(self, store, point=None):
        self.collectors[store] = self.start(
            LT, 'collect', '--from', f'nats://127.0.0.1:{self.relay.port}', '-d', store,
            '--duplicate-window', f'{WINDOW}s', point=point)

    def start_recorder(self, point=None):
        more = {'whole': [], 'freed': ['--remove-shipped'], 'full': ['--max-size', '32KiB']}[self.spool]
        self.recorder = self.start(
            LT, 'record', '-o', self.trace, '--to', f'nats://127.0.0.1:{self.relay.port}',
            '--ship-wait', '1s', *more, '--', EMITTER, 'progress', self.book, str(THREADS), str(EVENTS),
            str(PAUSE), point=point)

    def point(self, kind):
        """A point at which a process of that kind ends itself, and the how-manieth time."""
        who, call, when, name = self.random.choice(POINTS[kind])
        return who, call, when, name, self.random.choice([1, 2] if kind == 'freeing' else [1, 2, 3, 5])

    def committed(self):
        raw = open(self.book, 'rb').read() if os.path.exists(self.book) else b''
        return sum(struct.unpack_from('<Q', raw, 64 * at)[0] for at in range(len(raw) // 64))

    def kill(self, process):
        try: os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError: pass
        process.wait()

    def family(self):
        """The front of the recorder and what it has started, but for the app."""
        pids, found = [self.recorder.pid], []
        for pid in pids:
            try: pids += map(int, open(f'/proc/{pid}/task/{pid}/children').read().split())
            except OSError: pass
            if name_of(pid).startswith('lifetrace'): found.append(pid)
        return found

    def collects(self):
        """Collectors that have ended themselves are started anew."""
        for store, process in list(self.collectors.items()):
            if process.poll() is not None: self.start_collector(store)

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
        store = self.random.choice(self.stores)
        self.kill(self.collectors[store])
        self.start_collector(store)

    def end_collector(self):
        store = self.random.choice(self.stores)
        self.kill(self.collectors[store])
        self.start_collector(store, self.point('collector'))

    def second_collector(self):
        self.stores.append(f'{self.folder}/second')
        self.start_collector(self.stores[-1])

    def kill_recorder(self):
        # The front, the one that writes, or the one that sends: the app lives on.
        try: os.kill(self.random.choice(self.family()), signal.SIGKILL)
        except (ProcessLookupError, IndexError): pass

    def stop(self, pid):
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.2, 1.5))
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError: pass

    def stop_server(self): self.stop(self.server.pid)
    def stop_collector(self): self.stop(self.collectors[self.stores[0]].pid)
    def stop_recorder(self):
        for pid in self.family()[-1:]: self.stop(pid)

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

    KINDS = ['kill_server', 'wipe_server', 'outage', 'kill_collector', 'end_collector', 'end_collector',
             'second_collector', 'kill_recorder', 'stop_server', 'stop_collector', 'stop_recorder', 'drop',
             'delay', 'cut', 'flip', 'double', 'partition', 'half_partition']

    def close(self):
        for process in (self.recorder, *self.collectors.values(), self.server):
            if process and process.poll() is None: self.kill(process)
        self.relay.close()
