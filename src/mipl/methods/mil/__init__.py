"""Multi-instance methods: bags with true labels."""
