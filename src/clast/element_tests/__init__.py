"""Tests on a sample of soil: biaxial, cyclic, shear, to failure; between walls or in a periodic cell."""
