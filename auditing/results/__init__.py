"""What an audit and an explanation found, as data: knows no page and no chart."""
