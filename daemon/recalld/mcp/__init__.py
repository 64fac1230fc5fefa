"""The MCP child: the official SDK in a process of its own, over connections that the main process hands to it.

Nothing but this package imports the SDK, which takes half a second and 55 MB. It reads no index: it asks the daemon
over its socket, as every client does.
"""
