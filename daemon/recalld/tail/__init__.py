"""Reading lines by byte offset, fingerprints, and telling files apart. `docs/tailing.md` says how."""
