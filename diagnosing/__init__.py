"""Language models asked for diagnoses: cases x models x prompts x repeats become ranked lists."""
