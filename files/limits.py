"""What is no name of a disease, wherever it comes from: a whole document, and what a spreadsheet shows of a formula that failed."""

MAX_CHARACTERS = 10_000
"""A longer one is refused: it is a document, not a name."""
FORMULA_ERROR = (
    r"^#(?:¡?[A-ZÀ-ÞА-Я][A-ZÀ-ÞĀ-ŽА-Я/_0]+!|¿?(?:NAME|NOM|NOMBRE|NOME|NAAM|NAZWA|NAMN|ИМЯ)[?]|N/[ABD]!?|NV|Н/Д)$"
)
"""As Python and Arrow (RE2) read it: #REF!, #WERT!, #N/A; a question mark only after words for a name, since "#NOF?" is a fracture of the femur's neck in doubt."""
