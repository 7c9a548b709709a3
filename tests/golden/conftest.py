"""Golden files that are replayed once, for all tests of a class."""

import pytest
from tests.golden.golden import load

from mipl.testing import replay


@pytest.fixture(scope="class")
def replays(request):
    """Replay each file of the class, from its inputs alone."""
    return {name: replay(name, load(name)[0]) for name in request.cls.names}
