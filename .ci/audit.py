"""Known vulnerabilities of what the lock files pin: `make audit`.

Exits with 0 where every release was looked up and none is known to be vulnerable, with 1 where one is, and with
`NOT_AUDITED` where some could not be looked up: silence of a server that was not reached is no clean bill.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

NOT_AUDITED = 2


def audit(locks: list[str]) -> tuple[int, str]:
    """The exit code and what to say of the releases that `locks` pin."""
    command = [Path(sys.executable).parent / "pip-audit", "--disable-pip", "--require-hashes", "--format", "json"]
    asked = [argument for lock in locks for argument in ("--requirement", lock)]
    done = subprocess.run([*command, "--progress-spinner", "off", *asked], capture_output=True, text=True, check=False)
    try:
        releases = json.loads(done.stdout)["dependencies"]
    except ValueError:
        why = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return NOT_AUDITED, f"audit: NOT AUDITED, the vulnerability service was not reached ({why[:200]})"
    found = [
        f"{release['name']} {release['version']}: {known['id']}, mended in {', '.join(known['fix_versions']) or 'none'}"
        for release in releases
        for known in release.get("vulns", ())
    ]
    unknown = sum("skip_reason" in release for release in releases)
    if unknown:
        said = f"audit: NOT AUDITED, {unknown} of {len(releases)} releases are unknown to the service that was reached"
    else:
        said = f"audit: {len(releases)} releases looked up, {len(found)} known vulnerabilities"
    return 1 if found else NOT_AUDITED if unknown else 0, "\n".join([*found, said])


if __name__ == "__main__":
    code, said = audit(sys.argv[1:])
    print(said)
    sys.exit(code)
