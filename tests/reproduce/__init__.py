"""The papers' printed figures beside ours: `make reproduce`."""
