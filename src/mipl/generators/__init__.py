"""From pictures, recordings and documents to bags: what all generators share."""
