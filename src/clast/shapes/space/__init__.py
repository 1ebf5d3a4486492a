"""What a grain is in space: `Solid`, how it is made, weighed, checked, read and written."""
