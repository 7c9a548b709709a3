"""``make bench``: every measurement of speed and memory, one after another."""

from benchmarks import growth, memory, read_mat

if __name__ == "__main__":
    read_mat.main()
    growth.main()
    memory.main()
