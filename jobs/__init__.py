"""Pairs in Parquet by the hundred million: a job in chunks that resumes, on this machine or on a Ray cluster."""
