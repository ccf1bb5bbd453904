"""Known vulnerabilities of what the lock files pin: `make audit`.

Exits with 0 where every release was looked up and none is known to be vulnerable, with 1 where one is, and with
`NOT_AUDITED` where some could not be looked up: silence of a server that was not reached is no clean bill.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NOT_AUDITED = 2


def looked_up(lock: str) -> list[dict[str, Any]]:
    """What the vulnerability service says of each release that `lock` pins; ValueError, with why, where it is silent."""
    command = [Path(sys.executable).parent / "pip-audit", "--disable-pip", "--require-hashes", "--format", "json"]
    command += ["--progress-spinner", "off", "--requirement", lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["dependencies"]
    except ValueError:
        raise ValueError((done.stderr.strip().splitlines() or ["no answer"])[-1][:200]) from None


def audit(locks: list[str]) -> tuple[int, str]:
    """The exit code and what to say of the releases that `locks` pin."""
    releases = {}
    try:
        # One lock at a time: pip-audit refuses two releases of one package, which the tools and the tests may have.
        for lock in locks:
            releases |= {(release["name"], release.get("version")): release for release in looked_up(lock)}
    except ValueError as error:
        return NOT_AUDITED, f"audit: NOT AUDITED, the vulnerability service gave no answer ({error})"
    found = [
        f"{name} {version}: {known['id']}, mended in {', '.join(known['fix_versions']) or 'none'}"
        for (name, version), release in releases.items()
        for known in release.get("vulns", ())
    ]
    unknown = sum("skip_reason" in release for release in releases.values())
    if unknown:
        said = f"audit: NOT AUDITED, {unknown} of {len(releases)} releases are unknown to the service that was reached"
    else:
        said = f"audit: {len(releases)} releases looked up, {len(found)} known vulnerabilities"
    return 1 if found else NOT_AUDITED if unknown else 0, "\n".join([*found, said])


if __name__ == "__main__":
    if not sys.argv[1:] or {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    code, said = audit(sys.argv[1:])
    print(said)
    sys.exit(code)
