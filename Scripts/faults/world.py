# SPDX-License-Identifier: Apache-2.0
"""An app, its recorder, one server or a cluster and collectors, in a folder of their own, and what may
happen to them."""
import contextlib, json, os, random, shutil, signal, socket, struct, subprocess, tempfile, time
from relay import Relay

LT, EMITTER, POINT = os.environ['LT'], os.environ['EMITTER'], os.environ['POINT']
WINDOW = 2          # seconds in which the server drops a chunk that it has seen
THREADS, EVENTS, PAUSE = 3, 40_000, 5_000


class Failed(Exception): pass


def free_port():
    """A port that nobody listens to, and that is given to nobody who connects."""
    lowest = int(open('/proc/sys/net/ipv4/ip_local_port_range').read().split()[0])
    while True:
        port = random.SystemRandom().randrange(min(10_000, lowest - 1_000), lowest)
        with contextlib.suppress(OSError), socket.create_server(('127.0.0.1', port)): return port


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
    def __init__(self, seed, kinds, nodes=1, stop_max=10.0, has_disks=False):
        self.seed, self.random, self.folder = seed, random.Random(seed), tempfile.mkdtemp(prefix='lt-faults.')
        os.chmod(self.folder, 0o700)
        self.kinds = kinds or self.random.sample(self.kinds_of(nodes > 1, has_disks), 3)
        self.done, self.stop_max, self.has_disks = [], stop_max, has_disks
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, TMPDIR=self.folder)
        self.log = open(f'{self.folder}/log', 'ab')
        self.collectors, self.recorder, self.servers, self.relays = {}, None, [], {}
        self.disks = []
        self.trace, self.book = f'{self.folder}/spool/own.lifetrace', f'{self.folder}/book'
        self.stores = [f'{self.folder}/store']
        # The whole recording stays, what has arrived goes at once, or only where the file is full.
        self.spool = self.random.choice(['whole', 'freed', 'full'])
        self.ports = [free_port() for _ in range(nodes)]
        self.routes = [free_port() for _ in range(nodes)]

    def begin(self):
        """Starts all but the recorder; whatever comes of it, `close` ends it."""
        for name in ('spool', 'store'): self.disks.append(self.disk(name))
        for node in range(len(self.ports)): self.servers.append(self.start_server(node))
        self.answer()
        # One for each side, so that either can be cut off alone.
        targets = [('127.0.0.1', port) for port in self.ports]
        for at, side in enumerate(('recorder', 'collector')): self.relays[side] = Relay(targets, self.seed + at)
        self.start_collector(self.stores[0])
        until('the collector has its stream', self.stream)

    def disk(self, name):
        """A folder; on a small disk of its own where this process may mount one."""
        path = f'{self.folder}/{name}'
        os.mkdir(path)
        if self.has_disks: subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', path], check=True)
        return path

    def start(self, *words, point=None):
        environment = dict(self.environment)
        if words[0] == LT: environment |= {'LD_PRELOAD': POINT, 'LT_CLOCK': self.clock(words[1])}
        if point:
            who, call, when, name, number = point
            environment['LT_POINT'] = f'{who} {call} {number} {when} {name}'
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                env=environment, start_new_session=True)

    def clock(self, command):
        """The file that says by how many seconds the clock of the day of the recorder or the collectors is off."""
        path = f'{self.folder}/clock-{"collect" if command == "collect" else "record"}'
        if not os.path.exists(path): self.set_clock(path, 0)
        return path

    def set_clock(self, path, seconds):
        # Written in place: processes have mapped it.
        with open(path, 'r+b' if os.path.exists(path) else 'wb') as file: file.write(struct.pack('q', seconds))

    def start_server(self, node):
        """Starts a node; of a cluster as Sources/Transport/TRANSPORT.md configures it."""
        name = f'{self.folder}/node-{node}'
        routes = ', '.join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
        cluster = f'cluster {{ name: lifetrace, listen: "127.0.0.1:{self.routes[node]}", routes: [{routes}] }}\n'
        with open(f'{name}.conf', 'w') as file:
            file.write(f'listen: "127.0.0.1:{self.ports[node]}"\nserver_name: node-{node}\n'
                       f'jetstream {{ store_dir: "{name}" }}\n' + (cluster if len(self.routes) > 1 else ''))
        return self.start('nats-server', '-c', f'{name}.conf')

    def answer(self):
        def answers(port):
            try: socket.create_connection(('127.0.0.1', port), timeout=1).close()
            except OSError: return False
            return True
        for node, port in enumerate(self.ports):
            until(f'node {node} answers', lambda: answers(port))

    def asked(self, question):
        """What the servers' JetStream says to a question; None where nobody answers."""
        for port in self.ports:
            with contextlib.suppress(OSError, ValueError, IndexError):
                with socket.create_connection(('127.0.0.1', port), timeout=1) as plain:
                    file = plain.makefile('rwb')
                    file.readline()
                    file.write(b'CONNECT {"verbose":false,"pedantic":false}\r\nSUB answer 1\r\n'
                               b'PUB $JS.API.%s answer 0\r\n\r\n' % question.encode())
                    file.flush()
                    size = int(file.readline().split()[-1])
                    return json.loads(file.read(size))

    def stream(self):
        """What the server says of the stream; None while there is none, or nobody who knows."""
        facts = self.asked('STREAM.INFO.LIFETRACE-default')
        return facts if facts and 'config' in facts else None

    def has_leaders(self):
        """Whether the servers can be worked with: they answer for the stream and its consumer, be it that there
        are none. In a cluster that is once there is a leader of each, and of the servers."""
        return all(self.asked(f'{question}.INFO.LIFETRACE-default{rest}')
                   for question, rest in (('STREAM', ''), ('CONSUMER', '.lt-default')))

    def start_collector(self, store, point=None):
        self.collectors[store] = self.start(
            LT, 'collect', '--from', f'nats://127.0.0.1:{self.relays["collector"].port}', '-d', store,
            '--duplicate-window', f'{WINDOW}s', '--replicas', str(len(self.servers)), point=point)

    def start_recorder(self, point=None):
        more = {'whole': [], 'freed': ['--remove-shipped'], 'full': ['--max-size', '32KiB']}[self.spool]
        self.recorder = self.start(
            LT, 'record', '-o', self.trace, '--to', f'nats://127.0.0.1:{self.relays["recorder"].port}',
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

    def restart(self, nodes, wiped=False, away=0.0):
        for node in nodes: self.kill(self.servers[node])
        if wiped:
            for node in nodes: shutil.rmtree(f'{self.folder}/node-{node}', ignore_errors=True)
        time.sleep(away)
        for node in nodes: self.servers[node] = self.start_server(node)
        self.answer()

    # ---- What may happen

    def kill_server(self): self.restart([self.random.randrange(len(self.servers))])
    def kill_all(self): self.restart(range(len(self.servers)))
    def wipe_server(self): self.restart(range(len(self.servers)), wiped=True)
    def wipe_node(self): self.restart([self.random.randrange(len(self.servers))], wiped=True)
    def outage(self): self.restart(range(len(self.servers)), away=WINDOW + 0.5)

    def kill_leader(self):
        leader = ((self.stream() or {}).get('cluster') or {}).get('leader') or 'node-0'
        self.restart([int(leader.split('-')[1])])

    def kill_collector(self):
        store = self.random.choice(self.stores)
        self.kill(self.collectors[store])
        self.start_collector(store)

    def end_collector(self):
        store = self.random.choice(self.stores)
        self.kill(self.collectors[store])
        self.start_collector(store, self.point('collector'))

    def second_collector(self):
        if len(self.stores) == 1: self.stores.append(f'{self.folder}/second')
        if self.stores[-1] not in self.collectors: self.start_collector(self.stores[-1])

    def kill_recorder(self):
        # The front, the one that writes, or the one that sends: the app lives on.
        try: os.kill(self.random.choice(self.family()), signal.SIGKILL)
        except (ProcessLookupError, IndexError): pass

    def stop(self, pid):
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.2, self.stop_max))
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError: pass

    def stop_server(self): self.stop(self.random.choice(self.servers).pid)
    def stop_collector(self): self.stop(self.collectors[self.stores[0]].pid)
    def stop_recorder(self):
        for pid in self.family()[-1:]: self.stop(pid)

    def step_clock(self):
        """The clock of the day goes on or back, on the recorder's machine, on the collectors', or on both."""
        for who in self.random.choice([['record'], ['collect'], ['record', 'collect']]):
            seconds = self.random.choice([-86_400, -3_600, -2, 2, 3_600, 86_400])
            self.done[-1] += f'@{who}{seconds:+d}'
            self.set_clock(self.clock(who), seconds)

    def full_disk(self):
        """Nothing more fits on the disk of the recorder, or on that of the first collector."""
        ballast = f'{self.random.choice(self.disks)}/ballast'
        with open(ballast, 'wb', buffering=0) as file, contextlib.suppress(OSError):
            for size in (65_536, 256):
                with contextlib.suppress(OSError):
                    while True: file.write(b'x' * size)
        time.sleep(self.random.uniform(0.3, 1.5))
        os.remove(ballast)

    def weather(self, **faults):
        sides = self.random.choice([['recorder'], ['collector'], ['recorder', 'collector']])
        self.done[-1] += '@' + '+'.join(sides)
        for side in sides:
            for name, value in faults.items(): setattr(self.relays[side], name, value)
        time.sleep(self.random.uniform(0.3, 1.0))
        for side in sides: self.relays[side].heal()

    def heal(self):
        for relay in self.relays.values(): relay.heal()

    def drop(self): self.weather()
    def delay(self): self.weather(delay=0.02)
    def cut(self): self.weather(cut=0.05)
    def flip(self): self.weather(flip=0.05)
    def double(self): self.weather(double=0.05)
    def twin(self): self.weather(twin=0.3)
    def swap(self): self.weather(swap=0.3)
    def partition(self): self.weather(blocked={'up', 'down'})
    def half_partition(self): self.weather(blocked={self.random.choice(['up', 'down'])})

    KINDS = ['kill_server', 'kill_all', 'wipe_server', 'outage', 'kill_collector', 'end_collector',
             'second_collector', 'kill_recorder', 'stop_server', 'stop_collector', 'stop_recorder', 'drop',
             'delay', 'cut', 'flip', 'double', 'twin', 'swap', 'partition', 'half_partition', 'step_clock']
    CLUSTER_KINDS = ['kill_leader', 'wipe_node']
    DISK_KINDS = ['full_disk']

    @classmethod
    def kinds_of(cls, is_cluster, has_disks):
        return cls.KINDS + (cls.CLUSTER_KINDS if is_cluster else []) + (cls.DISK_KINDS if has_disks else [])

    def close(self):
        for process in (self.recorder, *self.collectors.values(), *self.servers):
            if process and process.poll() is None:
                with contextlib.suppress(OSError): os.kill(process.pid, signal.SIGCONT)
                self.kill(process)
        for relay in self.relays.values(): relay.close()

    def keep(self):
        """What lies on disks of this process alone goes with it: copies stay."""
        for disk in self.disks if self.has_disks else []: shutil.copytree(disk, f'{disk}.kept')

    def remove(self):
        if self.has_disks:
            for disk in self.disks: subprocess.run(['umount', '-l', disk], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
