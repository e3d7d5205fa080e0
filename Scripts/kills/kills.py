#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills.py KIND MODE RUNS SEED: SIGKILLs at random moments; the trace accounts for every event.
KIND app | recorder | both | recovery; MODE plain | max-size | last-bytes | last-time"""
import glob, json, os, random, re, shutil, signal, struct, subprocess, sys, tempfile, time
LT = os.environ['LT']; EM = os.environ['EMITTER']
kind, mode, runs, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rnd = random.Random(f'{kind} {mode} {seed}')
THREADS = 3
LINE = re.compile(rb' mark (?:"[^"]*"|\S+) t=(\d+) i=(\d+)')

def children(pid):
    found = []
    try:
        for task in os.listdir(f'/proc/{pid}/task'):
            found += [int(x) for x in open(f'/proc/{pid}/task/{task}/children').read().split()]
    except OSError: pass
    return found

def kill(pid):
    try: os.kill(pid, 9)
    except OSError: pass

def ledger(path):
    raw = open(path, 'rb').read() if os.path.exists(path) else b''
    if len(raw) < 4096: return None
    lane = lambda n: struct.unpack_from('<8Q', raw, 64 * n)
    head = lane(0)
    if not head[2]: return None     # never joined
    return head[3], [lane(t + 1)[:2] for t in range(THREADS)], bool(head[1])

def run(number):
    base = tempfile.mkdtemp(prefix='k.', dir='/dev/shm'); os.chmod(base, 0o700)
    env = dict(os.environ, XDG_RUNTIME_DIR=base)
    trace, book = f'{base}/x.lifetrace', f'{base}/book'
    options = {'plain': [], 'max-size': ['--max-size', rnd.choice(['32KiB', '64KiB', '200KiB'])],
               'last-bytes': ['--last', rnd.choice(['64KiB', '200KiB'])], 'last-time': ['--last', '100ms']}[mode]
    events = rnd.choice([2_000, 20_000, 60_000])
    wait = rnd.uniform(0.005, 0.35)
    out = open(f'{base}/err', 'wb')
    front = subprocess.Popen([LT, 'record', '-o', trace, *options, '--', EM, book, str(THREADS), str(events), str(rnd.choice([0, 300, 2000]))],
                             stderr=out, stdout=out, env=env)
    end = time.time() + wait
    note = ''
    if rnd.random() < 0.85:       # most kills after the join
        limit = time.time() + 10
        while time.time() < limit and front.poll() is None:
            if ledger(book) is not None: break
            time.sleep(0.0005)
        end = time.time() + wait
    time.sleep(max(0, end - time.time()))
    kids = children(front.pid)
    recorders = [front.pid] + kids
    grand = [g for k in kids for g in children(k)]
    if mode.startswith('last') and rnd.random() < 0.5:
        for k in kids:
            try: os.kill(k, signal.SIGUSR1)
            except OSError: pass
    recoveries = 0
    if kind == 'app':
        state = ledger(book)
        if state: kill(state[0])
    else:
        who = rnd.choice([recorders, kids, kids]) if kind != 'both' else recorders + grand
        for pid in who: kill(pid)
        if kind == 'both':
            state = ledger(book)
            if state: kill(state[0])
    try: front.wait(60)
    except subprocess.TimeoutExpired: note = 'HUNG'; front.kill()
    # An app that goes on without its recorder ends by itself.
    state = ledger(book)
    if state:
        limit = time.time() + 60
        while time.time() < limit:
            try:
                if open(f'/proc/{state[0]}/stat').read().rsplit(')', 1)[1].split()[0] == 'Z': break
            except OSError: break
            time.sleep(0.002)
    for k in kids:                 # a back that outlives its front ends by itself too
        limit = time.time() + 30
        while time.time() < limit and os.path.exists(f'/proc/{k}'):
            try:
                if open(f'/proc/{k}/stat').read().rsplit(')', 1)[1].split()[0] == 'Z': break
            except OSError: break
            time.sleep(0.002)
    rounds = rnd.randint(1, 3) if kind == 'recovery' else 0
    while rounds:
        sessions = [s for s in glob.glob(base + '/lifetrace-*') if os.path.isdir(s)]
        if not sessions: break
        p = subprocess.Popen([LT, 'record', '--recover', sessions[0]], stdout=out, stderr=out, env=env)
        time.sleep(rnd.uniform(0.001, 0.06))
        kill(p.pid); p.wait(); rounds -= 1; recoveries += 1
    for session in glob.glob(base + '/lifetrace-*'):
        if not os.path.isdir(session): continue
        r = subprocess.run([LT, 'record', '--recover', session], capture_output=True, env=env, timeout=120)
        recoveries += 1
        if r.returncode != 0: note += f' recover rc {r.returncode} {r.stderr[-300:]}'
    left = [os.path.basename(p) for p in glob.glob(base + '/*') if os.path.basename(p) not in ('x.lifetrace', 'book', 'err')]
    result = dict(ok=False, emitted=0, present=0, lost=0, letgo=0, recoveries=recoveries, joined=False, note=note)
    state = ledger(book)
    result['joined'] = state is not None
    if state is None:
        result['ok'] = not note
    else:
        _, lanes, _ = state
        least, most = sum(l[1] for l in lanes), sum(l[0] for l in lanes)
        dump = subprocess.run([LT, 'dump', '--where', 'mark', trace], capture_output=True, env=env)
        check = subprocess.run([LT, 'verify', '--json', trace], capture_output=True, env=env)
        try: facts = json.loads(check.stdout)
        except ValueError: facts = {}; note += f' verify {check.returncode} {check.stderr[-200:]}'
        per = [[] for _ in range(THREADS)]
        for t, i in LINE.findall(dump.stdout): per[int(t)].append(int(i))
        present = sum(map(len, per))
        doubled = sum(len(p) - len(set(p)) for p in per)
        lost, letgo = facts.get('lostInAll') or 0, facts.get('letGo') or 0
        false = sum(1 for p, l in zip(per, lanes) for i in p if i >= l[0])
        missing = sum(len(set(range(l[1])) - set(p)) for p, l in zip(per, lanes))
        # lostInAll and letGo count all kinds; the writer's other events are few and kept or counted too.
        if mode == 'plain': ok = missing == 0 and lost == 0 and letgo == 0
        else: ok = least <= present + lost + letgo <= most + slack(mode)
        ok = ok and doubled == 0 and false == 0 and not note
        result.update(ok=ok, emitted=least, most=most, present=present, lost=lost, letgo=letgo, missing=missing, doubled=doubled, rc=check.returncode)
    # What a kill has left beside the trace is no harm where the next recording names it.
    if left:
        again = subprocess.run([LT, 'record', '-f', '-o', trace, '--', 'true'], capture_output=True, env=env)
        hidden = [name for name in left if name.encode() not in again.stderr]
        if hidden: note += f' left without a word {hidden}'; result['ok'] = False
    result['note'] = note
    result['options'] = options + [events]
    if not result['ok'] and os.environ.get('KEEP'): shutil.copytree(base, f"{os.environ['KEEP']}/{kind}-{mode}-{seed}-{number}", dirs_exist_ok=True)
    shutil.rmtree(base, ignore_errors=True)
    return result

# In --last and --max-size other events than marks (start, join, exit ...) may be let go or lost as well.
def slack(mode): return 12

total = dict(emitted=0, present=0, lost=0, letgo=0, recoveries=0); joined = bad = 0
for n in range(runs):
    r = run(n)
    joined += r['joined']
    for k in total: total[k] += r[k]
    if not r['ok']:
        bad += 1
        print('CHECK', kind, mode, seed, n, r, flush=True)
print(f'{kind:9} {mode:10} seed {seed} runs {runs} joined {joined} wrong {bad} {total}', flush=True)
