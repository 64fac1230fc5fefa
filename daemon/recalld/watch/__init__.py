"""Where to look: the scan, which is the truth, and the watcher, which is a hint."""
