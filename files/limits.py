"""What is no name of a disease, wherever it comes from: a whole document, and what a spreadsheet shows of a formula that failed."""

MAX_CHARACTERS = 10_000
"""A longer one is refused: it is a document, not a name."""
FORMULA_ERROR = r"^#(?:¡?[^a-z\s!?]{3,}!|¿?(?:NAME|NOMBRE|NOME?|ИМЯ)[?]|N/[AD]|NV|Н/Д)$"
"""#REF!, #WERT!, #NAME?, #N/A: as Python and Arrow (RE2) read it. Those with "?" are a list, for "#NOF?" is a fracture of the femur's neck in doubt."""
