"""An empty cache and many processes at once: who builds, how long all take, whether all give the same.

python tests/terms/icd/many_at_once.py [processes]
"""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAIRS = [
    ("heart attack", "acute MI"),
    ("gout", "pseudogout"),
    ("flu", "influenza"),
    ("broken hip", "fracture of neck of femur"),
]
ONE = f"""
import hashlib, time
start = time.monotonic()
import dxmatch
from dxmatch.terms.icd import cache
save, built = cache._save, []
cache._save = lambda path, *rest: (built.append(path.name.split("-")[1]), save(path, *rest))
p = dxmatch.load().probabilities({[a for a, _ in PAIRS]!r}, {[b for _, b in PAIRS]!r})
print(hashlib.sha256(p.tobytes()).hexdigest()[:12], round(time.monotonic() - start, 1), *built)
"""


def main(processes: int) -> None:
    with tempfile.TemporaryDirectory() as cache:
        for say in (f"{processes} processes, empty cache", "the same, cache there"):
            start = time.monotonic()
            environment = {**os.environ, "DXMATCH_CACHE": cache}
            running = [
                subprocess.Popen([sys.executable, "-c", ONE], stdout=-1, stderr=-1, text=True, env=environment)
                for _ in range(processes)
            ]
            ended = [one.communicate() for one in running]
            lines = [out.split() for out, _ in ended]
            print(f"{say}: {time.monotonic() - start:.1f} s; built {dict(collections.Counter(w for l in lines for w in l[2:]))};"
                  f" results {dict(collections.Counter(l[0] for l in lines))}; codes {sorted({one.returncode for one in running})}")  # fmt: skip
            for line, count in collections.Counter(said for _, err in ended for said in err.splitlines()).items():
                print(f"   {count} x {line}")
        for path in sorted(Path(cache).iterdir()):
            found = path.stat()
            print(f"   {path.name} {oct(found.st_mode & 0o777)} {found.st_size:,} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 8)
