"""Linear algebra keeps to one thread inside, and gets its threads back."""

from threadpoolctl import threadpool_info

from mipl.nn.one_thread import one_thread


def threads():
    return [
        one["num_threads"] for one in threadpool_info() if one["prefix"] != "libgomp"
    ]


def test_there_is_one_thread_inside_and_as_many_as_before_after():
    before = threads()
    with one_thread():
        assert set(threads()) == {1}
    assert threads() == before
