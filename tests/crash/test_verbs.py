"""What a verb writes is the old thing or the new one, wherever it is stopped."""

import errno

import pytest
from tests.crash import verbs
from tests.crash.test_fault_points import Stopped


@pytest.mark.parametrize("name", verbs.VERBS)
def test_a_verb_on_a_full_disk_leaves_the_old_or_the_new(name, tmp_path):
    found = verbs.points(name, OSError(errno.ENOSPC, "no space left"), False, tmp_path)
    assert set(found) == {"old", "new"} and found["old"] > 1, found


@pytest.mark.slow
@pytest.mark.parametrize("name", verbs.VERBS)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("code", [None, errno.EIO, errno.EINTR, errno.EACCES])
def test_a_verb_leaves_the_old_or_the_new(name, after, code, tmp_path):
    error = Stopped() if code is None else OSError(code, "it failed")
    found = verbs.points(name, error, after, tmp_path)
    assert set(found) == {"old", "new"}, found
