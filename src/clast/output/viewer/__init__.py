"""A run in the browser: its arrays as compact binary, one page that draws them, and a server on this machine."""
