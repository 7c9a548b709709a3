"""The methods by their ids, with what was published of them."""
