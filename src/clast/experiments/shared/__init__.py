"""What several experiments are made with: running one, samples of soil, series of tests, numbers with errors."""
