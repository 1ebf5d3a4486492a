"""What a run leaves behind: the store on disk and, built on it, everything a person looks at."""
