"""Submissions that attack the machine, the grader or other students. name -> Attack (see cheats.py).

PORT, SECRET and MARK are put in by the test: a server that listens on this machine, a word in the grader's environment,
a word by which a process that was left behind is found.
"""

from __future__ import annotations

from tests.attacks.cheats import Attack, first
from tests.attacks.course import MEAN, SLUG

_LEAK = '''
import glob, os
found = []
for pattern in %r:
    for path in glob.glob(pattern, recursive=True)[:200]:
        try:
            text = open(path, errors="replace").read()
        except OSError:
            continue
        if "BEGIN SOLUTION" in text or "hidden-check" in text or "max_points" in text:
            found.append(path)
raise RuntimeError("LEAK" + repr(found) if found else "nothing there")
'''
_DAEMON = '''
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)  # MARK"])
    os._exit(0)
'''
_ALL = ["/work/*", "/work/main/*", "/work/main/classroom/*", "/work/main/solutions/**", "/stage/**", "/tmp/**",
        "/home/**", "/proc/*/root/work/main/solutions/**", "/data/**", "/connection/**", "/root/*", "/mnt/**"]
_GRADES = ["/*/grades.json", "/tmp/**/grades.*", "/stage/**/*.json", "/home/**/manifest.json", "/tmp/**/results/*.json"]
_RIGHTS = '''
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
got = []
for name, call in {
    "user namespace": lambda: libc.unshare(0x10000000), "mount": lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None),
    "unmount": lambda: libc.umount2(b"/stage", 2), "chroot": lambda: libc.chroot(b"/tmp"),
    "root": lambda: libc.setuid(0), "trace": lambda: libc.ptrace(16, 1, 0, 0),
}.items():
    if call() == 0:
        got.append(name)
try:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)); got.append("limits")
except (ValueError, OSError):
    pass
for path in ("/usr/x", "/work/main/memory_lab/x.py", os.__file__, "/proc/sys/kernel/core_pattern", "/dev/sda", "/dev/x",
             "/x", "/root/x", "/stage/x"):
    try:
        open(path, "a").close()
        got += [path] if path != "/stage/x" else []  # its own empty folder, gone with it
    except OSError:
        pass
raise RuntimeError("GOT" + repr(got) if got else "nothing allowed")
'''


def with_mean(source: str, **more: object) -> Attack:
    """Honest about the mean, harmful behind it."""
    return Attack(first(source, answers={"01-mean-1": MEAN}).body, **more)


HARMS: dict[str, Attack] = {
    "connects to this machine": with_mean(
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), timeout=2)", points=2,
        word="network connections"),
    "connects elsewhere": with_mean("import socket\nsocket.create_connection(('1.1.1.1', 53), timeout=2)", points=2,
                                    word="nreachable"),
    "asks for a name": with_mean("import socket\nsocket.getaddrinfo('example.org', 80)", points=2, word="gaierror"),
    "fetches a page": with_mean("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/', timeout=2)",
                                points=2, word="URLError"),
    "a socket file of the system": with_mean(
        "import socket, glob\nfor p in glob.glob('/run/**/*.sock', recursive=True) + ['/var/run/docker.sock']:\n"
        "    socket.socket(socket.AF_UNIX).connect(p)", points=2, word="FileNotFoundError"),
    "reads solutions": with_mean(_LEAK % (_ALL,), points=2, word="nothing there"),
    "reads grades": with_mean(_LEAK % (_GRADES,), points=2, word="nothing there"),
    "reads the grader's memory": with_mean(
        "import os\nfor p in os.listdir('/proc'):\n    if p.isdigit() and int(p) != os.getpid():\n"
        "        raise RuntimeError('LEAK ' + open(f'/proc/{p}/cmdline').read())\nraise RuntimeError('alone')",
        points=2, word="alone"),
    "reads the environment": with_mean(
        "import os\nraise RuntimeError(' '.join(sorted(os.environ, reverse=True)) + open('/proc/self/environ').read())",
        points=2, word="TMPDIR"),
    "asks for rights": with_mean(_RIGHTS, points=2, word="nothing allowed"),
    "writes over the course": with_mean("import memory_lab, os\nopen(memory_lab.__file__, 'w')", points=2,
                                        word="OSError"),
    "leaves a process": with_mean(_DAEMON, points=2, word="detaches a process"),
    "leaves a process by the shell": with_mean("!(setsid sleep 600 MARK &) ; true", points=2, word="shell or magic"),
    "leaves a thread": with_mean(
        "import threading, time\nthreading.Thread(target=lambda: [time.sleep(.01) for _ in iter(int, 1)]).start()",
        points=2, word="starts threads"),
    "kills everything it can": with_mean("import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(os.getppid(), 9)",
                                         points=2, word="sends signals"),
    "ends its process": with_mean("import os\nos._exit(0)", state="killed", word="ended its own kernel"),
    "exit()": with_mean("exit()", points=(0, 2), state=("killed", "graded"), word="ends its own process"),
    "raises SystemExit": with_mean("raise SystemExit", points=2, word="SystemExit"),
    "crashes the interpreter": with_mean("import ctypes\nctypes.string_at(0)", state="killed", word="crashed"),
    "calls itself for ever": with_mean("import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()",
                                       points=(0, 2), state=("killed", "graded", "timed out"), word=""),
    "many processes": with_mean("import os, time\nfor _ in range(500):\n    if os.fork() == 0: time.sleep(60)",
                                points=(0, 2), state=("graded", "killed"), word="starts processes"),
    "much memory": with_mean("x = bytearray(64 << 30)", points=2, word="MemoryError"),
    "memory in many processes": with_mean(
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        b = b'x' * (700 << 20)\n"
        "        time.sleep(60)\ntime.sleep(60)", state="killed",
        word="GB of memory"),
    "fills the disk": with_mean("import tempfile\nplace = tempfile.gettempdir()\nfor n in range(40):\n"
                                "    with open(f'{place}/{n}', 'wb') as f: f.write(b'x' * (8 << 20))",
                                points=2, word="No space left"),
    "one large file": with_mean("f = open('big', 'wb')\nfor _ in range(64): f.write(b'x' * (1 << 20)); f.flush()",
                                points=(0, 2), state=("graded", "killed"), word=""),
    "prints without end": with_mean("for _ in range(400): print('x' * 1_000_000)", points=2, word="printed more"),
    "prints without end, past Python": with_mean(
        "import os\nfor _ in range(400): os.write(1, b'x' * 1_000_000)", points=(0, 2),
        state=("graded", "killed"), word=""),
    "shows without end": with_mean(
        "from IPython.display import display\nclass H:\n    def _repr_html_(self): return 'x' * 50_000_000\n"
        "display(H())",
        state=("killed", "timed out"), word=""),
    "leaves word for the next": with_mean(
        "import os\nplaces = ['/', '/dev', '/tmp', '/home', '/stage', '/connection', '/data', '/dev/shm', '/var/tmp']\n"
        "seen = [p for p in places if os.path.exists(p + '/word')]\nfor p in places:\n    try: open(p + '/word', 'w')\n"
        "    except OSError: pass\nraise RuntimeError('GOT' + repr(seen) if seen else 'no word')", points=2,
        word="no word"),
    "asks for input": with_mean("input('password: ')", points=2, word="StdinNotImplemented"),
    "links out of its folder": with_mean("import os\nos.symlink('/etc/passwd', '/connection/passwd')\n"
                                         "os.symlink('/', '/tmp/root')", points=2, word="makes links"),
    "HTML and formulas in what it says": Attack(
        first("raise ValueError('=cmd|calc!A1 <script>alert(1)</script> ` | [x](javascript:1)')").body, 0,
        word="<script>"),
    "pickle of its own": with_mean(
        "import pickle, os\nclass P:\n    def __reduce__(self): return (os.system, ('touch /tmp/owned-MARK',))\n"
        "open('p', 'wb').write(pickle.dumps(P()))\nP()", points=2, word="pickles"),
}
HARMS["finds the word of another"] = HARMS["leaves word for the next"]
HARMS["finds the word of a third"] = HARMS["leaves word for the next"]
SLOW: dict[str, Attack] = {
    "runs for ever": with_mean("while True: pass", points=2, state="timed out", word="extra cell 1"),
    "runs for ever, deaf": with_mean("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
                                     state="timed out", word="extra cell 1"),
    "sleeps": with_mean("import time\ntime.sleep(10**6)", points=2, state="timed out", word="extra cell 1"),
    "runs for ever in its answer": Attack(
        first("pass", answers={"01-mean-1": "def mean(v):\n    while True: pass", "01-mean-3": MEAN.replace(
            "mean(values)", "levels(values)")}).body, 0, state="timed out", word="01-mean-1"),
    "catches every interrupt": with_mean(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass", points=(0, 2),
        state="timed out",
        word="extra cell 1"),
    "waits for a lock in C": with_mean(
        "import threading\nl = threading.Lock(); l.acquire(); l.acquire()", points=(0, 2),
                                       state="timed out", word="extra cell 1"),
}
__all__ = ["HARMS", "SLOW", "SLUG"]
