"""One module per kind of system; its function `runner(spec)` starts it."""
