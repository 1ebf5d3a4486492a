"""Scenes as TOML files: their keys, from keys to scenes, runs of them. What only solids need is in `space`."""
