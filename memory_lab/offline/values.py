"""Kinds of value that a sentence holds (a date, a price, a place ...), and spans of each kind."""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER_EN = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|" \
             r"forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|once|twice|both|pair|couple)"
_NUMBER_ES = r"(?:uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veinte|treinta|cuarenta|cincuenta|" \
             r"sesenta|setenta|ochenta|noventa|cien|ciento|doscientos|trescientos|quinientos|mil|millón|docena|media|veintiún|" \
             r"veintid[oó]s|veintitr[eé]s|veinticuatro|veinticinco|dieciséis|diecisiete|dieciocho|diecinueve)"
_MONTHS = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|april?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_MONTHS_ES = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)"
_HAN = r"[零〇一二两三四五六七八九十百千万亿半几]"
_CAPITAL = r"[A-ZÀ-Þ][a-zà-ÿ][\w'’À-ÿ-]*"

PATTERNS = {
    "email": r"[\w.+-]+@[\w-]+\.[\w.-]*\w",
    "phone": r"(?<![\w.])\+?\(?\d[\d\s().-]{5,}\d(?!\w)",
    "money": rf"(?:US\$|NT\$|HK\$|[$€£¥￥])\s?\d[\d,.]*|\d[\d,.]*\s?(?:k\b|[$€£¥]|dollars?|bucks|euros?|pounds?|quid|yen|yuan|rmb|usd|eur|gbp|twd|"
             rf"pesos?|soles|dólares|libras|yenes|coronas)|\b{_NUMBER_EN}(?:[\s-](?:and\s)?{_NUMBER_EN})*\s(?:dollars?|euros?|pounds?|yen|bucks|quid|yuan)|"
             rf"\b{_NUMBER_ES}(?:\s(?:y\s)?{_NUMBER_ES})*\s(?:euros?|pesos?|dólares|yenes|libras|soles)|"
             rf"(?:\d[\d,.]*\s?|{_HAN}+)[百千万]?\s?(?:元|块|日元|日圆|欧元|美元|台币|新台币|人民币|英镑|港币|円|圆)",
    "time": rf"\b\d{{1,2}}[:：.h]\d\d\b|\b\d{{1,2}}\s?(?:am|pm|a\.m|p\.m)\b|o[’']clock|\b(?:noon|midday|midnight|mediodía|medianoche)\b|"
            rf"\bhalf past\b|\bquarter (?:to|past)\b|\bat (?:\d{{1,2}}|{_NUMBER_EN})\b(?!\s(?:\w+\s)?(?:street|road|avenue|days?|people|euros|dollars))|"
            rf"\ba las? (?:\d{{1,2}}|{_NUMBER_ES})\b|(?:\d{{1,2}}|{_HAN}{{1,3}})点|\b(?:between|entre las) \w+ (?:and|y) \w+|中午|正午|半夜|"
            rf"\b(?:\d{{1,2}}|{_NUMBER_EN}|{_NUMBER_ES}) (?:in the morning|in the evening|in the afternoon|at night|de la (?:mañana|tarde|noche))|"
            rf"\b(?:las|la) (?:\d{{1,2}}|{_NUMBER_ES})(?: y (?:media|cuarto))?\b(?= (?:de|en punto|y))",
    "date": rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}\b|\b{_MONTHS}\.? \d{{1,2}}|\b(?:in|on|by|until|since|every|next|last|early|late|this|mid) {_MONTHS}\b|"
            rf"\b{_MONTHS_ES}\b|\b\d{{1,4}}[/-]\d{{1,2}}(?:[/-]\d{{1,4}})?\b|\bthe \d{{1,2}}(?:st|nd|rd|th)\b|"
            rf"\b(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|twentieth) of {_MONTHS}|"
            r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:tomorrow|yesterday|today|tonight|weekend)\b|"
            r"\b(?:next|last|this|coming) (?:week|month|year|spring|summer|autumn|fall|winter|weekend)\b|\bin (?:19|20)\d\d\b|"
            r"\b(?:spring|summer|autumn|winter|christmas|easter|primavera|verano|otoño|invierno|navidad|semana santa)\b|"
            r"\b(?:lunes|martes|miércoles|miercoles|jueves|viernes|sábados?|sabado|domingos?)\b|\b(?:hoy|ayer|pasado mañana)\b|\bmañana\b(?<!la mañana)|"
            r"(?:próxim[oa]|pasad[oa]|que viene|este|esta) (?:semana|mes|año|verano|invierno)|\bel (?:día )?\d{1,2}\b|\ben (?:19|20)\d\d\b|"
            rf"(?:\d{{1,2}}|{_HAN}{{1,3}})月(?:(?:\d{{1,2}}|{_HAN}{{1,3}})[日号]?)?|(?:周|星期|礼拜)[一二三四五六日天末]|"
            rf"[明今昨后]天|[下上这]个?(?:周|月|星期|礼拜)|[明今去]年|(?<![\d路街巷弄段\s])(?:[12]?\d|3[01]|{_HAN}{{1,3}})[号日](?!线)|\d{{4}}年|[春夏秋冬][天季]|圣诞|春节|元旦|中秋|端午|除夕|过年",
    "duration": rf"(?:\d+|\b{_NUMBER_EN}|\ba|\ban)(?:[\s-](?:and a half|more))?[\s-](?:day|night|week|month|year|hour|minute|second)s?\b|"
                rf"(?:\d+|\b{_NUMBER_ES})\s(?:días?|noches?|semanas?|mes(?:es)?|años?|horas?|minutos?)|"
                rf"(?:\d+|{_HAN}+)个?半?(?:天|晚|周|星期|礼拜|月|年|小时|分钟|钟头)",
    "code": r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z-])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+\b|\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{3,}\b|\b\d{4,}\b|#\d+",
    "number": rf"\d|\b{_NUMBER_EN}\b|\b{_NUMBER_ES}\b|{_HAN}+(?:[个位只名条件张本号人间辆杯次瓶天岁口双排层楼棵块元点]|[百千万])|第{_HAN}",
    "place": rf"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Tt]o|[Ff]rom|[Oo]n|[Bb]y|[Bb]eside|[Bb]ehind|[Uu]nder|[Oo]utside|[Tt]owards|[Oo]ff|[Ii]nto|[Vv]isit(?:ing)?|[Aa]round) "
             rf"(?:the |my |our |a |an )?(?:[a-z-]+ )?(?!Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|January|Febru|March|April|June|July|August|Septem|Octo|Novem|Decem)(?:{_CAPITAL}|\d+ {_CAPITAL})|"
             rf"\b(?:[Ee]n|[Aa]|[Dd]e|[Dd]esde|[Hh]acia|[Hh]asta|[Pp]or|[Cc]erca de|[Ff]rente a|[Jj]unto a) (?:el |la |los |las |mi |un |una )?(?:[\w-]+ )?{_CAPITAL}|"
             r"\b(?:in|at|under|behind|on|near|inside|next to|above|below|by) (?:the|my|our|a|an)\s\w+|\b(?:en|bajo|detrás de|debajo de|encima de|dentro de|junto a[l]?) (?:el|la|mi|un|una|los|las)\s?\w+|"
             r"(?:在|住|去|到(?!星期|周|礼拜|[一二三四五六七八九十\d明后下今])|从|来自|于|搬|离|放)\w{2,}|\w(?:市|县|镇|路|街|站|区|村|楼|馆|园|寺|厅|店|院|校|广场|机场|大厦|中心|旁边|附近|里面|下面|上面|抽屉|门口)",
    "selfname": rf"\b(?:[Mm]y (?:\w+ )?name|[Cc]all me|[Nn]ame’?'?s|I go by|[Uu]ser(?:’s|'s)? (?:\w+ )?name|[Uu]ser is called)\b|^[Nn]ame\s?[:=]|\b(?:I am|I['’]m|[Tt]his is|[Ss]oy|[Hh]abla) (?!I\b){_CAPITAL}|"
                r"\b[Mm]e llam(?:o|a|é|an)\b|\b[Mm]i (?:nombre|apellido)|\b[Ll]lám[ae]nme|[Ll]lámame|[Uu]suari[oa] se llama|^[Nn]ombre\s?:|我叫|我的?名字|我姓|叫我|称呼我|我的?(?:姓名|小名|昵称)|(?:用户|客户|使用者)的?(?:叫|姓|名)|^(?:姓名|名字)[:：]|我是\w{2,3}(?=[,，。!！]|$)",
    "address": r"\b\d+\w?,? (?!Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|Jan|Feb|March|April|May|June|July|August|Septem|Octo|Novem|Decem)[A-Z]\w+(?: [A-Z]\w+)? ?(?:Street|St|Road|Rd|Lane|Avenue|Ave|Drive|Way|Close|Square|Court|Row|Terrace|Boulevard|Crescent)?\b|\b(?:[Cc]alle|[Aa]venida|[Pp]laza|[Pp]aseo|C/) .{2,30}?\d|[路街巷道][^,，。]{0,8}\d+\s?号",
    "name": rf"(?<![.!?]\s)(?<! in )(?<! at )(?<! to )(?<! from )(?<! near )(?<! en )(?<! de )(?<=\s)(?!I\b|I’|I'|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|June|July|August|September|October|November|December)\b){_CAPITAL}|(?:叫|名字(?:其实|应该)?是|名叫|姓|称呼我)(?!什么|我)\w{{1,4}}|[「“\"《]\w",
}
_COMPILED = {kind: re.compile(pattern, 0 if kind in ("place", "name", "selfname", "address") else re.IGNORECASE) for kind, pattern in PATTERNS.items()}


_PROPER = re.compile(rf"(?<=[^.!?¿¡\s]\s)(?!I\b|I’|I'){_CAPITAL}|[「《“]|公司|先生|小姐|女士")


@lru_cache(maxsize=100_000)
def kinds(folded: str) -> frozenset[str]:
    """Kinds of value in a sentence (in simplified characters): names of PATTERNS."""
    found = {kind for kind, pattern in _COMPILED.items() if pattern.search(folded)}
    if _PROPER.search(folded):
        found.add("proper")
    if found & {"money", "date", "time"} and "code" in found:
        rest = folded
        for kind in ("email", "money", "time", "date"):
            rest = _COMPILED[kind].sub(" ", rest)
        if not _COMPILED["code"].search(rest):
            found.discard("code")
    if "number" in found:  # a number of its own, not the digits of a time or a price
        rest = folded
        for kind in ("email", "phone", "money", "time", "date"):
            if kind in found:
                rest = _COMPILED[kind].sub(" ", rest)
        if not _COMPILED["number"].search(rest):
            found.discard("number")
        if re.search(r"\d", rest):
            found.add("digits")
    return frozenset(found)


def spans(folded: str, kind: str) -> list[tuple[int, int]]:
    """Where values of that kind stand in the text."""
    return [match.span() for match in _COMPILED[kind].finditer(folded)]
