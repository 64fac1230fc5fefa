"""recall: the thin client of recalld. Importing it costs little; the heavy parts are imported where they are used."""

__version__ = "0.1.0"
