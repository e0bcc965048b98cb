"""Facts that must not be lost: what the user stated, with proof, history, retraction; and a memory that sends them.

    fact.py       Fact, Retraction         one statement and its verbatim quote
    table.py      FactTable                current values, their history, who goes first when room is short
    rules.py      extract_rules            facts by patterns (en.py, es.py, zh.py), without a model
    extract.py    extract_model            facts by a model and a JSON schema, each one verified
    carried.py    CarriesFacts             the table as a part of any other memory
    memory.py     FactTableMemory          facts in the system message, then the newest whole turns that fit

Chapter 7.
"""

from .carried import CarriesFacts
from .extract import Extraction, extract_model
from .fact import KINDS, Fact, Retraction
from .memory import FactTableMemory
from .rules import extract_rules
from .table import FactTable

__all__ = ["KINDS", "CarriesFacts", "Extraction", "Fact", "FactTable", "FactTableMemory", "Retraction", "extract_model",
           "extract_rules"]
