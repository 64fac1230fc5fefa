"""The client's side of hooks: the launcher that agents call, and where it lies. Light on purpose."""
