"""What a spreadsheet shows of a formula that failed: #N/A, #REF!, #NAME?, and in other languages #NV, #WERT!, #NOM?"""

FORMULA_ERROR = r"^#(?:\S+!|¿?(?:NAME|NOM|NOMBRE|NOME|ИМЯ|NAZWA)[?]|N/[ABD]|NV|Н/Д)$"
"""As Python and Arrow (RE2) read it. A list of what ends in "?", for "#NOF?" is a fracture of the femur's neck in doubt."""
