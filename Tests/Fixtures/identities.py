# SPDX-License-Identifier: Apache-2.0
"""identities.py: makes, in this folder, an nkey of a user, and an operator, an account and credentials.

    nkey.seed nkey.public       of a user that a server lists
    operator.conf user.creds    a server of an operator's, and who may come: JWTs, as `nsc` would make them

With openssl alone, so that tests need no program of the server's makers."""
import base64, json, os, subprocess, time

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0 << 3, 20 << 3, 18 << 3


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8): crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xffff
    return crc.to_bytes(2, 'little')


def text(raw): return base64.b32encode(raw + crc16(raw)).decode().rstrip('=')
def plain(raw): return base64.urlsafe_b64encode(raw).decode().rstrip('=')


class Key:
    def __init__(self, name, kind):
        self.file = f'{name}.key'
        run = lambda *words: subprocess.run(['openssl', *words], check=True, capture_output=True).stdout
        run('genpkey', '-algorithm', 'ed25519', '-out', self.file)
        seed = run('pkey', '-in', self.file, '-outform', 'DER')[-32:]
        public = run('pkey', '-in', self.file, '-pubout', '-outform', 'DER')[-32:]
        self.public = text(bytes([kind]) + public)
        self.seed = text(bytes([SEED | kind >> 5, (kind & 31) << 3]) + seed)

    def sign(self, data):
        with open('claims', 'wb') as file: file.write(data)
        return subprocess.run(
            ['openssl', 'pkeyutl', '-sign', '-inkey', self.file, '-rawin', '-in', 'claims'],
            check=True, capture_output=True).stdout

    def vouch(self, other, name, claims):
        head = plain(json.dumps({'typ': 'JWT', 'alg': 'ed25519-nkey'}).encode())
        body = plain(json.dumps({
            'jti': name, 'iat': int(time.time()), 'iss': self.public, 'name': name, 'sub': other.public,
            'nats': {**claims, 'version': 2}}).encode())
        return f'{head}.{body}.{plain(self.sign(f"{head}.{body}".encode()))}'


def write(name, lines):
    with open(name, 'w', opener=lambda path, flags: os.open(path, flags, 0o600)) as file: file.write(lines)


listed = Key('nkey', USER)
write('nkey.seed', listed.seed + '\n')
write('nkey.public', listed.public + '\n')

operator, system, account, user = Key('operator', OPERATOR), Key('system', ACCOUNT), Key('account', ACCOUNT), Key('user', USER)
limits = {'subs': -1, 'conn': -1, 'leaf': -1, 'imports': -1, 'exports': -1, 'data': -1, 'payload': -1,
          'wildcards': True, 'mem_storage': -1, 'disk_storage': -1, 'streams': -1, 'consumer': -1}
none = {'mem_storage': 0, 'disk_storage': 0, 'streams': 0, 'consumer': 0}
write('operator.jwt', operator.vouch(operator, 'operator', {'type': 'operator', 'system_account': system.public}))
write('operator.conf', f'''operator: "operator.jwt"
system_account: {system.public}
resolver: MEMORY
resolver_preload: {{
  {system.public}: {operator.vouch(system, 'system', {'type': 'account', 'limits': {**limits, **none}})}
  {account.public}: {operator.vouch(account, 'account', {'type': 'account', 'limits': limits})}
}}
jetstream {{ store_dir: "js" }}
''')
claims = {'type': 'user', 'subs': -1, 'data': -1, 'payload': -1, 'pub': {}, 'sub': {}}
write('user.creds', f'''-----BEGIN NATS USER JWT-----
{account.vouch(user, 'user', claims)}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
{user.seed}
------END USER NKEY SEED------
''')
