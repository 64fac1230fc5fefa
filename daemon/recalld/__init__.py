"""recalld: watches the session files of coding agents, indexes what is appended, and answers over a Unix socket."""

from recall import __version__ as __version__
