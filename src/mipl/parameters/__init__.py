"""The arguments of a class, declared once: what checks, documents and searches them."""

from mipl.parameters.declared import (
    Declared,
    anything,
    choice,
    flag,
    integer,
    integers,
    learnt,
    number,
    parameters,
    part,
    processes,
    redeclared,
    seed,
)
from mipl.parameters.kinds import COUNT, THREADS, Integer, Number, Parameter, Part

__all__ = [
    "COUNT",
    "THREADS",
    "Declared",
    "Integer",
    "Number",
    "Parameter",
    "Part",
    "anything",
    "choice",
    "flag",
    "integer",
    "integers",
    "learnt",
    "number",
    "parameters",
    "part",
    "processes",
    "redeclared",
    "seed",
]
