"""The HDF5 library, where it is installed."""

from mipl.errors import MissingExtra

try:
    import h5py
except ImportError:
    raise MissingExtra.of("a file of HDF5 or MATLAB", "h5py", "files") from None

__all__ = ["h5py"]
