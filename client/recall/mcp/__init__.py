"""The client's side of MCP: the relay that agents start. `relay.py` stands alone and is not imported from here."""
