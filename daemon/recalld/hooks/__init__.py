"""What recalld says to an agent of its own accord, and when."""
