"""All experiments in one report: what to run, what came out, as HTML and Markdown."""
