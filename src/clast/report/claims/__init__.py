"""What the five founding papers claim, one by one, and how each came out of the runs.

The tables EPL08.toml … CSM10.toml hold the claims in our words, with the rows of experiments that judge them; others.toml holds
rows that are judged and are no claim of these papers.
"""
