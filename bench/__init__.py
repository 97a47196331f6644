"""Numbers: what Tablefold costs, next to its peers; `python -m bench --help`."""
