"""Write the pins of constraints.txt with the hash of each wheel, for this platform.

python scripts/hashes.py > hashes.txt
"""

import json
import platform
import subprocess
import sys
from pathlib import Path

PINS = Path(__file__).parents[1] / "constraints.txt"
ASK = ["--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:"]


def chosen() -> list[dict]:
    """Return what pip would install, as it reports it."""
    words = [sys.executable, "-m", "pip", "install", "--quiet", *ASK, "--report", "-"]
    done = subprocess.run(
        [*words, "-r", str(PINS)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)["install"]


def line(one: dict) -> str:
    """Return a requirement with its hash, as pip reads it."""
    about, file = one["metadata"], one["download_info"]["archive_info"]
    pin = f"{about['name']}=={about['version']}"
    return f"{pin} --hash=sha256:{file['hashes']['sha256']}"


if __name__ == "__main__":
    where = f"{platform.system()}, {platform.machine()}, Python {sys.version[:4]}"
    print(f"# Wheels of constraints.txt: {where}. Installed by make locked.")
    print("\n".join(sorted(map(line, chosen()), key=str.lower)))
