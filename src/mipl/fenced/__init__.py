"""What runs in the child process that reads files of unknown origin.

Nothing here loads more than NumPy and h5py, so that a child starts quickly; the calling
side is ``mipl.io.fence.reading``.
"""
