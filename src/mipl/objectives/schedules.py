"""Schedules over the epochs t = 1..T."""

from mipl.errors import MiplError


def falling_alpha(t: int, epochs: int, lag: int) -> float:
    """Return (T - t + lag) / T: lag 0 is the papers' schedule, 1 the programs'.

    Examples
    --------
    >>> [falling_alpha(t, 2, lag=0) for t in (1, 2)]
    [0.5, 0.0]
    >>> [falling_alpha(t, 2, lag=1) for t in (1, 2)]
    [1.0, 0.5]
    """
    return (epochs - t + lag) / epochs


def falling_tau(t: int, start: float, least: float, decay: float, lag: int) -> float:
    """Return max(least, start decay^(t - lag)).

    Examples
    --------
    >>> [falling_tau(t, 5.0, 0.1, 0.95, lag=0) for t in (0, 1)]
    [5.0, 4.75]
    """
    if start < least:
        raise MiplError(f"tau {start} must not lie below tau_min {least}.")
    return max(least, start * decay ** (t - lag))
