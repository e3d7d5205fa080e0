# SPDX-License-Identifier: Apache-2.0
"""devices.py PORT: plays the user `watch` of the example configuration, who wants what is not its own.

Chunks of `phone` wait on the server, and a collector is there that takes none. `watch` listens wherever
it may, asks to hear what is others', and names the server's own interface as the place for answers. Says
what went wrong, and leaves with 1; words of the protocol, so that nothing of ours stands between."""
import json, socket, ssl, sys

STREAM = 'LIFETRACE-acme'


class User:
    def __init__(self, name, password):
        self.heard, self.errors = [], []
        plain = socket.create_connection(('localhost', int(sys.argv[1])), timeout=20)
        while not plain.recv(1) == b'\n': pass
        context = ssl.create_default_context(cafile='ca.pem')
        self.file = context.wrap_socket(plain, server_hostname='localhost').makefile('rwb')
        self.send('CONNECT ' + json.dumps({'user': name, 'pass': password, 'verbose': False,
                                           'pedantic': False, 'headers': True, 'no_responders': True}))
        self.settle()

    def send(self, line, body=None):
        self.file.write(line.encode() + b'\r\n' + (b'' if body is None else body + b'\r\n'))
        self.file.flush()

    def listen(self, subject): self.send(f'SUB {subject} {subject}')

    def publish(self, subject, body=b'', reply=''):
        self.send(f'PUB {subject} {reply} {len(body)}', body)

    def take(self):
        """One word of the server's; the first of its line."""
        line = self.file.readline().decode().split()
        if not line: raise SystemExit('the server has ended the connection')
        if line[0] == '-ERR': self.errors.append(' '.join(line))
        if line[0] == 'PING': self.send('PONG')
        if line[0] in ('MSG', 'HMSG'):
            self.heard.append((line[1], self.file.read(int(line[-1]))))
            self.file.readline()
        return line[0]

    def settle(self):
        """All that was sent has been looked at."""
        self.send('PING')
        while self.take() != 'PONG': pass

    def until(self, what, holds):
        while not holds(): self.take()


def refused(user, what, do):
    user.errors.clear()
    do()
    user.settle()
    if not any('Permissions Violation' in error for error in user.errors):
        raise SystemExit(f'watch may {what}')


def waiting():
    """How many chunks wait on the server, as the collector's user sees it."""
    user = User('collector', 'one')
    user.listen('_INBOX_collector.count')
    user.publish(f'$JS.API.STREAM.INFO.{STREAM}', reply='_INBOX_collector.count')
    user.until('it answers', lambda: user.heard)
    return json.loads(user.heard[0][1])['state']['messages']


before = waiting()
watch = User('watch', 'three')
for subject in ('_INBOX.>', '_INBOX_phone.>', '_INBOX_collector.>', 'lt.>', 'lt.acme.*.*.*', 'ltask.acme.*',
                '$JS.>', '>'):
    refused(watch, f'listen to {subject}', lambda: watch.listen(subject))
for subject in (f'$JS.API.STREAM.PURGE.{STREAM}', f'$JS.API.STREAM.INFO.{STREAM}', 'lthave.acme.session',
                f'$JS.ACK.{STREAM}.lt-acme.1.1.1.1.0', '_INBOX_phone.lt1.1', 'lt.other.1.session.writer'):
    refused(watch, f'send to {subject}', lambda: watch.publish(subject))
watch.errors.clear()
watch.listen('lthave.acme.*')
watch.listen('_INBOX_watch.>')
# The collector answers questions, and the server chunks, wherever who asks wants it.
places = [f'$JS.API.STREAM.PURGE.{STREAM}', f'$JS.API.STREAM.DELETE.{STREAM}',
          f'$JS.API.CONSUMER.DELETE.{STREAM}.lt-acme', '_INBOX_watch.answer']
for place in places:
    watch.publish('ltask.acme.session', json.dumps(['0' * 31 + '1']).encode(), place)
    watch.publish('lt.acme.1.session.writer', b'no chunk', place)
answers = lambda: [body for subject, body in watch.heard if subject == 'lthave.acme.session']
watch.until('the collector answers', lambda: len(answers()) == len(places))
watch.until('the server answers', lambda: any(subject == '_INBOX_watch.answer' for subject, _ in watch.heard))
watch.settle()
if any(subject == '_INBOX_watch.answer' and b'writer' in body for subject, body in watch.heard):
    raise SystemExit('the collector answers where a question wants it')
if waiting() != before + len(places): raise SystemExit(f'{before} chunks waited, now {waiting()}')
for subject, body in watch.heard:
    if b'\x2a\x4d\x18' in body: raise SystemExit(f'watch has a chunk of another device, by {subject}')
