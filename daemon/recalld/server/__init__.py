"""The main process: the socket, the table of methods, the children, the lifecycle. Import its modules one by one:
children import `children` alone."""
