"""ICD-10: the tree of its codes, the index of their names, and the way from free text to a code.

>>> tree = open_tree("icd10cm")                                    # doctest: +SKIP
>>> [tree.codes[node] for node in tree.ancestors(tree.find("I21.9"))]          # doctest: +SKIP
['I21', 'I20-I25', '9']
"""

from .index import IcdIndex
from .sources import open_tree
from .tree import IcdTree

__all__ = ["IcdIndex", "IcdTree", "open_tree"]
