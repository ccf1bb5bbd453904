"""Tables in and out, pairs checked, TOML, atomic writing."""
