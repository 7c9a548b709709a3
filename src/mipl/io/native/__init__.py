"""The native file ``*.bags.h5``."""
