"""A trained match function on disk: save, verify, load; and the ones that ship, each with its model card."""
