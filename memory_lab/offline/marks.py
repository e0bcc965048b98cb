"""Marks in a sentence that change how it counts: an update, a retraction, "only this time", "also", a guess."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .language import fold

_UPDATE = re.compile(
    r"\bactually\b|\bcorrection\b|\binstead\b|\bchang(?:e|ed|ing)\b|\bscratch that\b|\bi meant?\b|\bi mean\b|\bmake (?:it|that)\b|\bupdated?\b|\bno longer\b|\bany ?more\b|\bmove (?:it|the|our|my)\b|"
    r"\bturns out\b|\bsorry\b|\bwait\b|\bfrom now on\b|\bnew\b|\bmoved\b|\bswitch(?:ed)?\b|\bresched\w+|\bpostponed\b|\bpushed\b|\bmistake\b|\bmisspoke\b|\brather than\b|\bnow\b|\bno,|"
    r"\bnot .{1,25} but\b|\bi was wrong\b|\bbrought forward\b|\braised\b|\blower(?:ed)?\b|\bgoes (?:up|down)\b|\bincreased?\b|\brather (?:have|not)\b|\bbumped\b|\bcut to\b|\bgot (?:it )?wrong\b|\bon second thought|"
    r"\ben realidad\b|\bcorrecci[óo]n\b|\bcorrijo\b|\bmejor\b|\bcambi(?:o|ó|é|ado|amos|ar|a|e)\b|\bme equivoqu[ée]\b|\bquise decir\b|\bya no\b|\bahora\b|\bperd[óo]n\b|\ben vez\b|\ben lugar\b|"
    r"\bal final\b|\bactualiz\w+|\bnuev[oa]\b|\bme mud[ée]\b|\bpospuest\w|\baplaz\w+|\badelant\w+|\bpensándolo|\bsino\b|\bresulta que\b|\ba partir de\b|\bs[úu]b\w+ a\b|\bbaj\w+ a\b|"
    r"改|更正|其实|实际上|不对|说错|搞错|记错|弄错|换成|换了|变成|变了|调整|更新|不再|现在|搬到|搬去|搬了|搬家|推迟|延后|提前|延期|提高|降到|降低|增加|而是|新的|新手机|抱歉|等等|算了|还是|从今以后|最后决定|纠正", re.IGNORECASE)
_FORGET = re.compile(
    r"\b(?:forget|delete|erase|remove|disregard|ignore|discard|don[’']?t (?:store|keep|save|remember))\b(?! to\b)|\bnever ?mind\b|\bscrap (?:that|what)\b|"
    r"\bolvid[ae]\w*|\bborra\w*|\belimin\w+|\bignora\w*|\bdescarta\w*|忘掉|忘了我|忘记我|请忘|删除|删掉|抹去|别记|不要记|当我没说|别管我?说", re.IGNORECASE)
_RETRACT = re.compile(
    r"\bcancel\w*|\bcalled off\b|\bcall off\b|\bno longer\b|\bnot .*\bany ?more\b|n[’']t .*\bany ?more\b|\bstopped\b|\bgave up\b|\bquit\b|\bnot going (?:ahead|after all)\b|\boutgr[eo]w\w*|"
    r"\bcancel\w+|\banul\w+|\bya no\b|\bdej[ée] de\b|取消|不再|作废|不去了|不办了|不要了|不用了|不养了|不喜欢了|戒了|退掉|放弃", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:only |just )?(?:for |on )?this (?:one )?(?:time|once|order)\b|\bjust (?:for )?(?:once|today|tonight)\b|\bonly (?:for )?(?:today|tonight|once)\b|\bone[- ]off\b|\bas an exception\b|\b(?:just|only) for this\b|\bfor now only\b|"
    r"\b(?:solo |sólo )?(?:por )?esta vez\b|\bpor una vez\b|\bs[óo]lo (?:por )?hoy\b|\bexcepcionalmente\b|\buna excepción\b|\bs[óo]lo para est[ae]\b|这[一]?次|这回|仅此一次|就这一次|破例|只有今天|就今天|今天例外|下不为例", re.IGNORECASE)
_ALSO = re.compile(r"\balso\b|\btoo\b[.!]?|\bas well\b|\banother\b|\bin addition\b|\bplus\b|\btambi[ée]n\b|\badem[áa]s\b|\botr[oa]\b|也|还|另外|以及", re.IGNORECASE)
_GUESS = re.compile(
    r"\b(?:i )?(?:do not|don[’']?t) (?:know|remember)\b|\bi wonder\b|\bnot sure\b|\bno idea\b|\bperhaps\b|\bmaybe\b|\bi(?:[’']m| am) guessing\b|\bmight be\b|\bi forgot\b(?! to)|\bif i (?:had|were|was)\b|"
    r"\bno s[ée]\b|\bquiz[áa]s?\b|\btal vez\b|\ba lo mejor\b|\bno recuerdo\b|\bno estoy segur\w|不知道|不确定|不清楚|也许|可能|说不定|如果我|不记得|忘了(?=[。吗]?$|是|什么)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|they|his|her|hers|its|their|him|them|the (?:\w+ )?one|that one|this one|the other one)\b|\bit\b(?! (?:is|was|will|has|would)\b|[’']s)|\b(?:él|ella|ellos|ellas|le|su|sus)\b|[他她它牠]", re.IGNORECASE)


_GOES_ON = re.compile(r"\binstead\b|[,;] (?:i[’']?ll|we[’']?ll|i[’']d|i (?:would|want|prefer|need|am|will)|make|use)\b|en su lugar|en cambio|改|换", re.IGNORECASE)  # "forget the boots, I'll buy a tent"


class Marks(NamedTuple):
    update: bool
    forget: bool
    retract: bool
    once: bool
    also: bool
    guess: bool
    pronoun: bool


@lru_cache(maxsize=100_000)
def marks(sentence: str) -> Marks:
    """How the sentence counts beside others on its matter."""
    text = fold(sentence)
    found = Marks(*(bool(pattern.search(text)) for pattern in (_UPDATE, _FORGET, _RETRACT, _ONCE, _ALSO, _GUESS, _PRONOUN)))
    return found._replace(forget=False) if found.forget and _GOES_ON.search(text) else found


# What a correction turns down, cut from the quote so that the answer does not bring the old value back.
_STALE = [(re.compile(pattern, re.IGNORECASE), keep) for pattern, keep in (
    (r"(?:,| and) (?:and )?not (?:on |at |in |to |the |with )?[^,.;]{1,40}(?=[.,;!]|$)(?<!any more)(?<!anymore)", ""),
    (r",? (?:instead of|rather than) [^,.;]{1,40}", ""),
    (r"\b(from) [^,.;]{1,30}? (?=to )", ""),
    (r"^(.{0,40}?)\bnot [^,.;]{1,30}?, ?(?:but |it[’']s |i[’']m )", r"\1"),
    (r",? (?:y |pero )?no (?:el |la |en |a |al )?(?:[\wÀ-ÿ:.-]+ ?){1,4}(?=[.;!]?$)", ""),
    (r",? (?:en vez|en lugar) de[l]? [^,.;]{1,40}", ""),
    (r"\bno (?:es |el |la |en |a )?[^,.;]{1,30},? sino ", ""),
    (r"\bde(?:l)? [^,.;]{1,25}? (?=al? (?:las? )?[A-ZÀ-Þ\d])(?<=\b(?:cambi|pas)\w{0,4} .{0,30})", ""),
    (r"^[^,，。]{0,12}不\w{0,3}了[,，]\s*(?=[^。]*(?:改|换|要))", ""), (r"^(?:forget|not) [^,;]{1,30}[,;] (?=i (?:want|would|will|prefer|need)|i[’']|let|make)", ""),
    (r"不是[^,，。；]{1,15}[,，]?\s*(?:而?是)", "是"), (r"[,，]\s*(?:而?不是|并非)[^,，。；]{1,20}", ""),
    (r"从[^,，。；]{1,12}?(?=(?:改|换|搬|推迟|提前|延|调)\w{0,2}(?:到|成|为|去))", ""), (r"把[^,，。；]{1,14}?(?=改成|换成|改为|改到)", ""),
) if "(?<=\\b(?:cambi" not in pattern]


def without_stale(sentence: str) -> str:
    """The sentence without the value that it says is no longer so; the whole sentence if too little is left."""
    text = sentence
    for pattern, keep in _STALE:
        text = pattern.sub(keep, text)
    return text.strip() if len(text.strip()) >= max(4, len(sentence) // 4) else sentence
