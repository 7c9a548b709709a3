"""``make bench``: every measurement of speed and memory, one after another."""

from benchmarks import growth, memory, read_mat, training_speed

if __name__ == "__main__":
    read_mat.main()
    training_speed.main()
    growth.main()
    memory.main()
