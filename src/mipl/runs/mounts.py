"""Whether a file lies on another machine, where locks cannot be relied upon."""

from __future__ import annotations

from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")  # Linux; elsewhere nothing is known.
_REMOTE = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ceph lustre glusterfs gpfs beegfs ocfs2 gfs2 "
    "fuse.sshfs fuse.glusterfs fuse.ceph fuse.s3fs fuse.rclone".split()
)


def remote_kind(path: Path, table: Path = _TABLE) -> str:
    """Return the kind of network file system that a path lies on; "" for none.

    Examples
    --------
    >>> remote_kind(Path("/proc/self"))
    ''
    """
    try:
        lines = table.read_text().splitlines()
    except OSError:
        return ""
    place, nearest, kind = path.resolve(), -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = Path(before.split()[4].replace("\\040", " "))
        if place.is_relative_to(mount) and len(mount.parts) >= nearest:
            nearest, kind = len(mount.parts), after.split()[0]
    return kind if kind in _REMOTE else ""
