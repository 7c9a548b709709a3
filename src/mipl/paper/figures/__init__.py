"""The paper's figures: each file says which runs, and what is drawn of them."""
