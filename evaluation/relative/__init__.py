"""RPAD and RRAD: how an algorithm agrees with a panel, relative to how its experts agree among themselves."""
