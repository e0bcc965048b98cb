"""Units and currencies beside a number, by class: 1000 yen is not 1000 dollars, 3 nights are not 3 days.

Copy with: numerals.py, words.py, fold.py.
"""

from __future__ import annotations

import re

# 元, 块 and ¥ are said of more than one currency: they carry no class, and so agree with each
NAMES = {
    "yen": "日圆 日元 日币 円 yen yenes jpy", "twd": "新台币 台币 ntd nt$ twd", "yuan": "人民币 rmb cny yuan yuanes",
    "dollar": "美元 美金 dollar dollars dolar dolares usd us$ $", "euro": "欧元 euro euros eur €",
    "pound": "英镑 pound pounds libra libras gbp £", "": "元 块 ¥ 个 只 份 项 次 张 条",
    "%": "% percent 趴", "day": "天 日 day days dia dias", "night": "晚 夜 night nights noche noches",
    "hour": "小时 钟头 hour hours hora horas", "minute": "分钟 minute minutes minuto minutos",
    "week": "周 星期 week weeks semana semanas", "month": "个月 month months mes meses",
    "year": "年 岁 year years año años", "person": "人 位 名 person persons people guest guests persona personas",
    "km": "公里 km kilometer kilometers kilometre kilometres kilometro kilometros",
    "m": "公尺 米 m meter meters metre metres metro metros", "kg": "公斤 千克 kg kilo kilos",
    "g": "克 g gram grams gramos",
    "clock": "点 am pm",
}
CLASS = {word: name for name, words in NAMES.items() for word in words.split()} | {"per cent": "%", "por ciento": "%"}


def _either(words) -> str:
    longest = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(w) + (r"(?![a-zñ])" if w[-1].isascii() and w[-1].isalpha() else "") for w in longest)


AFTER = re.compile(rf"\s?(?:de )?({_either(CLASS)})")
BEFORE = re.compile(r"(?<![a-z])(nt\$|us\$|usd|jpy|ntd|twd|eur|gbp|cny|rmb|新?台币|日[币圆元]|美元|人民币|[$¥€£])\s?$")


def unit_of(text: str, start: int, end: int) -> tuple[str, int, int]:
    """(class, first, last): the class of the unit beside a number, and where number and unit together begin and end."""
    after, before = AFTER.match(text, end), BEFORE.search(text, max(0, start - 6), start)
    last = after.end() if after else end
    first = before.start() if before else start
    name = CLASS[after[1]] if after else ""
    return name or (CLASS[before[1]] if before else ""), first, last
