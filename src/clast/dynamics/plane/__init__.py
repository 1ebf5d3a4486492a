"""The plane: what bodies, contacts and motion are in two dimensions."""
