"""One fact that a user stated, with the words that prove it; and the wish to have one forgotten.

Copy with: the folder facts/, the base, window.py, compaction.py.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..errors import SettingError

# kind -> may one subject and attribute have several values at once.  The order is the order of staying: when room is
# short, the kinds at the end go first.
KINDS = {
    "prohibition": True, "allergy": True, "identifier": False, "number": True, "rule": True, "name": False,
    "budget": False, "place": False, "work": False, "event": False, "detail": False, "plan": True, "once": True,
    "cancelled": True, "trait": True, "choice": True, "want": True, "like": True,
}
RANK = {kind: rank for rank, kind in enumerate(KINDS)}
LABEL_LENGTH = 60
_KIND_OF = {kind: re.compile(words, re.IGNORECASE) for kind, words in {
    "prohibition": r"prohibit|forbid|must not|never|do not|禁|不要",
    "allergy": r"allerg|diet|does not (?:eat|drink|take)|過敏|过敏|alergi",
    "identifier": r"number|code|\bid\b|e-?mail|phone|address|password|reference|\bpin\b|[號号]碼?$|número|código"
                  r"|dirección",
    "budget": r"budget|price|預算|预算|presupuesto", "name": r"\bname$|^名字$|^nombre$", "rule": r"\brule|always|habit",
    "place": r"^(?:home|lodging|hotel|city|origin|place)$", "work": r"^(?:job|work|employer|profession)$",
    "event": r"date|^when$|^where$|^time$|birthday|appointment|deadline|flight", "like": r"^(?:dis)?likes?$|preference",
    "want": r"^wants?$|^wish"}.items()}


@dataclass(frozen=True)
class Fact:
    """A value that a user stated.  It holds in [valid_from, valid_to), both indices of the log.

    subject: "user", or who or what is spoken of ("sister", "bicycle").  attribute: what of it ("order number").
    value: a verbatim span of quote.  quote: the sentence, verbatim.  source: log index of the message.
    valid_to: None while it holds.  kind: one of KINDS, which says who goes first.
    ended: why it no longer holds (replaced, retracted, crowded out).
    A fact of kind "once" was said for this time only: it is shown as that, and never as a rule.
    Raises SettingError for a value that is not in the quote, an unknown kind, or labels that are no short plain words.

    >>> Fact("user", "allergy", "nuts", 3, "I am allergic to nuts", 3, kind="allergy").value
    'nuts'
    """

    subject: str
    attribute: str
    value: str
    source: int
    quote: str
    valid_from: int
    valid_to: int | None = None
    kind: str = "detail"
    ended: str | None = None

    def __post_init__(self):
        if self.kind not in KINDS:
            raise SettingError(f"kind is {self.kind!r}; take one of {', '.join(KINDS)}")
        if not self.value.strip() or self.value not in self.quote:
            raise SettingError(f"the value {self.value[:60]!r} is not in the quote {self.quote[:80]!r}: "
                               "a fact is a verbatim span of what the user wrote")
        for name, word in (("subject", self.subject), ("attribute", self.attribute)):
            if not label_is_plain(word):
                raise SettingError(f"the {name} {word[:80]!r} is not a label: write at most {LABEL_LENGTH} letters, "
                                   "digits, spaces and - ' . of one line")
        for name, index in (("source", self.source), ("valid_from", self.valid_from)):
            if type(index) is not int or index < 0:
                raise SettingError(f"{name} is {index!r}; it is the index of a message in the log")
        if self.valid_to is not None and (type(self.valid_to) is not int or self.valid_to < self.valid_from):
            raise SettingError(f"valid_to is {self.valid_to!r}, before valid_from {self.valid_from}")

    @property
    def scope(self) -> str:
        """"once" for what was said for this time only, else "standing"."""
        return "once" if self.kind == "once" else "standing"

    @property
    def negated(self) -> bool:
        """Whether it says what is not wanted or no longer so."""
        return self.kind in ("prohibition", "cancelled") or self.attribute in ("does not take", "dislikes")

    def holds(self, index: int) -> bool:
        """Whether it is valid at that message of the log."""
        return self.valid_from <= index and (self.valid_to is None or index < self.valid_to)


@dataclass(frozen=True)
class Retraction:
    """The wish that something be forgotten.  source, quote: as in Fact.

    words: what the value (or, where no attribute is given, anything of the fact) has to contain; "" for any value.
    subject, attribute: None for any.  keep: kinds that this wish does not touch.
    """

    source: int
    quote: str
    words: str = ""
    subject: str | None = None
    attribute: str | None = None
    keep: tuple[str, ...] = ()


def kind_of(attribute: str) -> str:
    """The kind that an attribute's name tells of; "detail" where it tells nothing.

    >>> kind_of("order number"), kind_of("shoe size")
    ('identifier', 'detail')
    """
    return next((kind for kind, words in _KIND_OF.items() if words.search(attribute)), "detail")


def label_is_plain(text: str) -> bool:
    """Whether a text can stand in the system block unquoted: short, one line, no markup."""
    return 0 < len(text) <= LABEL_LENGTH and text == text.strip() and all(
        character in " -'’." or unicodedata.category(character)[0] in "LNM" for character in text)


def same(text: str) -> str:
    """What two ways to write one value have in common: width, case, white space, quotes and end marks aside.

    >>> same("The  Olive Tree.") == same("the olive tree")
    True
    """
    text = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return text.strip(" .,;:!?。，、；：！？\"'“”‘’«»「」『』《》〈〉") or text


def mentions(text: str, words: str) -> bool:
    """Whether a text contains each of the words, as words (as a span where words are not parted by spaces).

    >>> mentions("a red town bicycle", "red bicycle"), mentions("a credit card", "red")
    (True, False)
    """
    text = same(text)
    for word in same(words).split():
        found = re.search(rf"(?<!\w){re.escape(word)}(?:e?s)?(?!\w)", text) if word.isascii() else word in text
        if not found:
            return False
    return True
