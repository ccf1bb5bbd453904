"""OpenAI-compatible servers: the client, its pacing, prices."""
