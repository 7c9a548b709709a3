"""The paper's tables: each file says which runs, which rows and which columns."""
