"""The formats in which others keep what models answered, each read into `Answer`s; `registry.py` names them."""
