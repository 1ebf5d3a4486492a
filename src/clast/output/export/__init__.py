"""Stored runs for other programs: tables (csv), ParaView (vtkhdf), OVITO (gsd)."""
