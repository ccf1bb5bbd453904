"""Pairs by the hundred million: Parquet to Parquet in chunks of bounded size, on all cores or many machines, resumable."""
