"""dxmatch: do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel?

The public names stand in `__init__.pyi` and are resolved when they are first used, so that importing dxmatch imports nothing heavy.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
