"""Damaged and hostile inputs by the thousand."""
