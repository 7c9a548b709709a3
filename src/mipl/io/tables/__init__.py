"""CSV and Parquet tables."""
