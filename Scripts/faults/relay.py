# SPDX-License-Identifier: Apache-2.0
"""A TCP relay between clients and a server that does to the bytes what a seed says."""
import random, select, socket, threading, time


def messages(buffer):
    """Takes whole messages of NATS's protocol from the front of `buffer`, and whether each has a body."""
    while (end := buffer.find(b'\r\n')) >= 0:
        words = buffer[:end].split()
        has_body = bool(words) and words[0].upper() in (b'PUB', b'HPUB', b'MSG', b'HMSG')
        size = end + 2 + (int(words[-1]) + 2 if has_body else 0)
        if len(buffer) < size: return
        message = bytes(buffer[:size])
        del buffer[:size]
        yield message, has_body


class Relay:
    """Listens on a free port of this machine (`port`) and passes on to one of `targets`.

    `targets` are tried in any order: the nodes of a cluster. Faults hold for all that goes through it while
    they are set: `delay` in seconds, `flip` and `double` as chances a read, `cut` as the chance that a
    connection ends in the middle of a read; `twin` and `swap` as chances that a message comes twice, or
    behind the next one; `blocked` directions, 'up' and 'down', take nothing on.
    """

    def __init__(self, targets, seed):
        self.targets, self.random = targets, random.Random(seed)
        self.calm()
        self.ended = False
        self.pairs, self.lock = [], threading.Lock()
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.ended:
            try: client, _ = self.listener.accept()
            except OSError: return
            server = self.reach()
            if not server:
                client.close()
                continue
            pair = client, server
            with self.lock: self.pairs.append(pair)
            ways = [threading.Thread(target=self.carry, args=words, daemon=True)
                    for words in (('up', client, server), ('down', server, client))]
            for way in ways: way.start()
            threading.Thread(target=self.tidy, args=(ways, pair), daemon=True).start()

    def tidy(self, ways, pair):
        for way in ways: way.join()
        with self.lock: self.pairs = [one for one in self.pairs if one is not pair]
        for end in pair: end.close()

    def reach(self):
        for target in self.random.sample(self.targets, len(self.targets)):
            try: server = socket.create_connection(target, timeout=2)
            except OSError: continue
            server.settimeout(None)
            return server

    def carry(self, way, source, sink):
        buffer, held = bytearray(), b''
        waiting = select.poll()
        waiting.register(source, select.POLLIN)
        try:
            while not self.ended:
                readable = waiting.poll(50)
                if held and not readable:
                    sink.sendall(held)
                    held = b''
                if way in self.blocked or not readable: continue
                read = source.recv(65_536)
                if not read: break
                buffer += read
                data = b''
                for message, has_body in messages(buffer):
                    with self.lock: twin, swap = self.random.random() < self.twin, self.random.random() < self.swap
                    if not has_body: data += message
                    elif swap and not held: held = message
                    else:
                        data += message * (2 if twin else 1) + held
                        held = b''
                if not data: continue
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

    def calm(self):
        self.delay = self.flip = self.double = self.cut = self.twin = self.swap = 0
        self.blocked = set()

    def heal(self):
        """From here on it passes on what it gets."""
        self.calm()
        self.drop()

    def close(self):
        self.ended = True
        # Closing alone would leave the thread that accepts where it is.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.drop()
