"""Metrics, one file a family: what each is, and its value for every case and rater."""

# each declares its metrics; this is the order in which they are listed
from . import relative  # noqa: F401  # isort: skip
from . import agreement  # noqa: F401  # isort: skip
from . import weighted  # noqa: F401  # isort: skip
from . import ranking  # noqa: F401  # isort: skip
from . import hierarchical  # noqa: F401  # isort: skip
from . import recall  # noqa: F401  # isort: skip
from . import choice  # noqa: F401  # isort: skip
from . import reasoning  # noqa: F401  # isort: skip
