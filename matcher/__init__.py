"""M, the match function: probability and decision for a pair, a table, a Parquet job."""
