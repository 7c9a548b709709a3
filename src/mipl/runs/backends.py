"""Where runs are computed: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import joblib

from mipl.errors import MiplError, MissingExtra
from mipl.methods.catalogue.method_row import MethodRow
from mipl.methods.catalogue.registered import keep, registered

_PATIENCE = 10  # Seconds to wait for a cluster to answer.


class WorkerDied(MiplError):
    """A process that computed is gone."""


@dataclass(frozen=True)
class WorkerPool:
    """Applies a function to items in other processes.

    Attributes
    ----------
    workers : int
        How many items are worked on at a time.
    deadly : kind of error
        What joblib raises where a worker is gone.
    """

    workers: int
    deadly: type[Exception] = BrokenProcessPool

    def __call__(
        self, work: Callable[[Any], Any], items: Iterable[Any]
    ) -> Generator[Any, None, None]:
        """Yield what the function returns as it is done, in any order.

        An item is asked for only when a worker is free for it.
        """
        parallel = joblib.Parallel(
            return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
        )
        try:
            yield from parallel(
                joblib.delayed(_knowing)(registered(), work, item) for item in items
            )
        except self.deadly as error:
            raise WorkerDied(
                "the system ended the process that computed this, perhaps for lack of "
                "memory; give fewer workers."
            ) from error


def _knowing(own: tuple[MethodRow, ...], work: Callable[[Any], Any], item: Any) -> Any:
    """Work in a process that knows the methods registered where it was asked for."""
    keep(own)
    return work(item)


@contextmanager
def processes(workers: int) -> Iterator[WorkerPool]:
    """Give processes of one thread each; a single worker is this very process."""
    with (
        warnings.catch_warnings(),
        joblib.parallel_config(backend="loky", n_jobs=workers, inner_max_num_threads=1),
    ):
        # A larger data set is no leak; joblib replaces the process and goes on.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs")
        yield WorkerPool(workers)


@contextmanager
def cluster(address: str) -> Iterator[WorkerPool]:
    """Give the workers of the Dask cluster whose scheduler has this address."""
    try:
        from dask.distributed import Client, KilledWorker  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.of("a Dask cluster", "dask", "cluster") from None
    try:
        client: Any = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise MiplError(
            f"no Dask scheduler answers at {address}: {error}; start one with: "
            "dask scheduler."
        ) from None
    with client:
        threads: dict[str, int] = client.nthreads()
        _check_workers(address, threads)
        with joblib.parallel_config(backend="dask", client=client, n_jobs=-1):
            yield WorkerPool(len(threads), KilledWorker)


def _check_workers(address: str, threads: dict[str, int]) -> None:
    start = f"dask worker {address} --nthreads 1"
    if not threads:
        raise MiplError(f"the cluster at {address} has no workers; start some: {start}")
    if max(threads.values()) > 1:
        raise MiplError(
            f"a worker of {address} has {max(threads.values())} threads, and torch's "
            f"settings are for one run at a time; start workers with: {start}"
        )
