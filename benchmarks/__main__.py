"""``make bench``: every measurement of speed and memory, one after another."""

from benchmarks import read_mat

if __name__ == "__main__":
    read_mat.main()
