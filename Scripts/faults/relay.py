# SPDX-License-Identifier: Apache-2.0
"""A TCP relay between clients and a server that does to the bytes what a seed says."""
import random, select, socket, threading, time


class Relay:
    """Listens on a free port of this machine (`port`) and passes on to `target`.

    Faults hold for all that goes through it while they are set: `delay` in seconds, `loss`, `flip` and
    `double` as chances a read, `cut` as the chance that a connection ends in the middle of a read;
    `blocked` directions, 'up' and 'down', take nothing on.
    """

    def __init__(self, target, seed):
        self.target, self.random = target, random.Random(seed)
        self.delay = self.flip = self.double = self.cut = 0
        self.blocked, self.ended = set(), False
        self.pairs, self.lock = [], threading.Lock()
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.ended:
            try: client, _ = self.listener.accept()
            except OSError: return
            try: server = socket.create_connection(self.target, timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self.lock: self.pairs.append((client, server))
            for way, source, sink in (('up', client, server), ('down', server, client)):
                threading.Thread(target=self.carry, args=(way, source, sink), daemon=True).start()

    def carry(self, way, source, sink):
        try:
            while not self.ended:
                readable, _, _ = select.select([source], [], [], 0.05)
                if way in self.blocked or not readable: continue
                data = source.recv(65_536)
                if not data: break
                with self.lock: draws = [self.random.random() for _ in range(4)]
                if self.delay: time.sleep(self.delay * draws[0])
                if draws[1] < self.flip:
                    at = int(draws[0] * len(data))
                    data = data[:at] + bytes([data[at] ^ 1 << int(draws[2] * 8)]) + data[at + 1:]
                if draws[2] < self.double: data += data
                if draws[3] < self.cut:
                    sink.sendall(data[:int(draws[0] * len(data))])
                    break
                sink.sendall(data)
        except OSError: pass
        for end in (source, sink):
            try: end.shutdown(socket.SHUT_RDWR)
            except OSError: pass

    def drop(self):
        """Ends every connection."""
        with self.lock: pairs, self.pairs = self.pairs, []
        for end in (end for pair in pairs for end in pair):
            try: end.shutdown(socket.SHUT_RDWR)
            except OSError: pass

    def heal(self):
        """From here on it passes on what it gets."""
        self.delay = self.flip = self.double = self.cut = 0
        self.blocked = set()
        self.drop()

    def close(self):
        self.ended = True
        self.listener.close()
        self.drop()
