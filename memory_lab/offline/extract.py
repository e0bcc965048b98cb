"""Facts that a sentence states outright, as subject, attribute and value: values are spans of the sentence.

Patterns in three languages for what people say of themselves: names, numbers with a label, dates, money, places,
allergies, likes and dislikes, prohibitions. What it does not do: read between the lines, resolve "it", join sentences.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .analysis import analyse
from .evidence import said
from .language import base, fold, language_of


class Statement(NamedTuple):
    """subject: "user", or whom it is of ("sister"); quote: the sentence; temporary: it holds this time only."""

    subject: str
    attribute: str
    value: str
    quote: str
    negated: bool = False
    temporary: bool = False
    retracts: bool = False


_REL = r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|child|sister|brother|mother|mum|mom|father|dad|aunt|uncle|cousin|nephew|niece|grandmother|grandfather|friend|boss|manager|colleague|doctor|dentist|dog|cat|pet|teacher|neighbou?r)"
_RELES = r"(?:mujer|esposa|marido|esposo|pareja|novia|novio|hijo|hija|hermana|hermano|madre|padre|tía|tío|prima|primo|abuela|abuelo|amiga|amigo|jefe|jefa|colega|médico|dentista|perro|perra|gato|gata|vecin[oa])"
_RELZH = r"(?:妻子|老婆|太太|丈夫|老公|先生|女朋友|男朋友|儿子|女儿|孩子|姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|母亲|父亲|奶奶|爷爷|朋友|老板|主管|经理|同事|医生|牙医|狗|猫|宠物|邻居|室友)"
_END = r"(?=[,.;!?]|$| and | but | so | because )"
_ENDES = r"(?=[,.;!?]|$| y | pero | porque )"
_CAP = r"[A-ZÀ-Þ][\w'’À-ÿ-]*(?: [A-ZÀ-Þ][\w'’À-ÿ-]*)*"
_V = rf"(?P<value>[^,.;!?]+?){_END}"
_VES = rf"(?P<value>[^,.;!?]+?){_ENDES}"
_VZH = r"(?P<value>[^,，。；;!！?？]+)"
_IS = r"(?:is|are|’s|'s|was|:|=|will be|is now|has changed to|should be)"
# (attribute, pattern); a group "subject" is whom it is of, a group "attribute" what is said to be.
_PATTERNS = {
    "en": [
        ("name", rf"\b[Mm]y (?:full |first |last )?name {_IS} (?P<value>{_CAP})"), ("name", rf"\b(?:I am|I[’']m|[Cc]all me|I go by) (?P<value>{_CAP})(?=[,.;!]|$| and )"),
        ("name", rf"\b[Mm]y (?P<subject>{_REL})(?:[’']s name {_IS}| is (?:called|named)|,| is) (?P<value>{_CAP})"), ("allergy", rf"\bI(?:[’']m| am) (?:also |very )?(?:allergic|intolerant) to {_V}"),
        ("allergy", r"\bI(?:[’']m| am) (?P<value>\w+[- ]intolerant|coeliac|celiac)"), ("diet", r"\bI(?:[’']m| am) (?:a |an )?(?P<value>vegan|vegetarian|pescatarian|diabetic)"),
        ("does not eat", rf"\bI (?:can[’']?t|cannot|don[’']?t|never|must not) (?:eat|have|drink) {_V}"), ("does not eat", rf"\bI (?:eat|drink) no {_V}"),
        ("favourite {}", rf"\b[Mm]y favou?rite (?P<attribute>[\w ]+?) {_IS} {_V}"), ("dislikes", rf"\bI (?:really )?(?:hate|dislike|can[’']t stand|cannot stand|don[’']t like|do not like|detest) {_V}"),
        ("likes", rf"\bI (?:really |also )?(?:like|love|enjoy|adore|prefer) (?!it\b|that\b|to know){_V}"), ("home", rf"\b(?:I|we) (?:now |currently )?(?:live|reside)s? (?:now )?(?:in|at|near) {_V}"),
        ("home", rf"\b(?:I|we)(?:[’']ve| have)? (?:just |recently )?moved (?:from [^,.]+? )?to {_V}"), ("lodging", rf"\b(?:staying|stay|booked(?: a \w+)?) (?:at|in|near) {_V}"),
        ("job", rf"\bI (?:now )?work as (?:an? )?{_V}"), ("employer", rf"\bI (?:now )?work (?:at|for) {_V}"), ("budget", r"\b(?:budget|spend|pay|at most|up to)\b.*?(?P<value>(?:[$€£¥] ?)?(?:\d[\d,.]*\d|\d)(?: ?(?:dollars|euros|pounds|yen|yuan|pesos|k)\b)?(?: an?? \w+)?|(?:one|two|three|four|five|six|seven|eight|nine|ten|a) (?:hundred|thousand)(?: \w+)?)"),
        ("{}", rf"\b(?:[Mm]y|[Tt]he|[Oo]ur) (?P<attribute>(?:[a-z]+ ){{0,2}}(?:number|code|id|reference|password|address|email|phone|birthday|anniversary|deadline|appointment|size|seat|flight|plan|job|car|colour|color|hotel|pin))(?: {_IS}) (?:on |at |in |to )?{_V}"),
        ("{}", rf"\b(?:[Mm]y|[Oo]ur) (?P<attribute>[a-z]+(?: [a-z]+)?) {_IS} (?:on |at |in )?{_V}"), ("email", r"(?P<value>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), ("{}", r"^(?P<attribute>[a-z][a-z ]{2,25}): (?P<value>[^.;]+)"),
        ("prohibition", r"(?:^|[,:;] |[Pp]lease )(?P<value>(?:[Pp]lease )?(?:[Nn]ever|[Dd]o not|[Dd]on[’']t|NOT) (?!know|think|worry)[^.;!]+)"),
    ],
    "es": [
        ("name", rf"\b[Mm]e llamo (?P<value>{_CAP})"), ("name", rf"\b[Mm]i nombre es (?P<value>{_CAP})"), ("name", rf"\b[Ss]oy (?P<value>{_CAP})"), ("name", rf"\b[Mm]i (?P<subject>{_RELES}) (?:se llama|es) (?P<value>{_CAP})"),
        ("allergy", rf"\b[Ss]oy (?:muy )?(?:alérgic[oa]|intolerante) (?:al? |a la |a los |a las )?{_VES}"), ("allergy", rf"\b[Tt]engo alergia (?:al? |a la |a los |a las )?{_VES}"), ("diet", r"\b[Ss]oy (?P<value>vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa])"),
        ("does not eat", rf"\b[Nn]o (?:puedo comer|como|bebo|tomo) {_VES}"), ("favourite {}", rf"\b[Mm]i (?P<attribute>[\wáéíóú]+) (?:favorit[oa]|preferid[oa]) es {_VES}"), ("dislikes", rf"\b(?:[Oo]dio|[Dd]etesto|[Nn]o me gustan?|[Nn]o soporto) {_VES}"),
        ("likes", rf"(?<![Nn]o )\b(?:[Mm]e (?:gustan?|encantan?)|[Pp]refiero|[Aa]doro) {_VES}"), ("home", rf"\b(?:[Vv]ivo|[Rr]esido|[Vv]ivimos) (?:ahora )?(?:en|cerca de) {_VES}"), ("home", rf"\b(?:me mudé|nos mudamos|me he mudado) a {_VES}"),
        ("lodging", rf"\b(?:[Mm]e alojo|[Nn]os alojamos|[Mm]e quedo|reservado (?:un|una) \w+) (?:en|cerca de) {_VES}"), ("job", rf"\b[Tt]rabajo (?:de|como) {_VES}"), ("employer", rf"\b[Tt]rabajo (?:en|para) {_VES}"),
        ("budget", r"\b(?:presupuesto|gastar|como (?:mucho|máximo)|hasta)\b.*?(?P<value>(?:\d[\d,.]*|mil|cien|(?:dos|tres|cuatro|cinco)(?:cientos| mil))(?: ?(?:euros|pesos|dólares|yenes|libras|€))?)"),
        ("{}", rf"\b(?:[Mm]i|[Ee]l|[Ll]a|[Nn]uestr[oa]) (?P<attribute>(?:número de [\wáéíóú]+|código(?: postal)?|contraseña|clave|dirección|correo|teléfono|cumpleaños|aniversario|plazo|cita|talla|asiento|vuelo|matrícula|coche|hotel|color))(?: (?:es|será|está|ahora es)|:) (?:el |en |a )?{_VES}"),
        ("email", r"(?P<value>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), ("{}", r"^(?P<attribute>[a-záéíóú][a-záéíóú ]{2,25}): (?P<value>[^.;]+)"), ("prohibition", r"(?:^|[,:;] )(?P<value>(?:[Nn]unca|[Nn]o) (?:me |lo |la |le )?\w+(?:en|an|es|as|e|a)\b[^.;!]+)"),
    ],
    "zh": [
        ("name", rf"(?:我叫|我的名字(?:其实)?是|我姓|叫我)(?P<value>[\w·]{{1,6}}?)(?=[,，。！!、]|$)"), ("name", rf"我(?:的)?(?P<subject>{_RELZH})(?:的名字(?:其实)?是|名?叫)(?P<value>[\w·]{{1,6}}?)(?=[,，。！!、]|$)"),
        ("allergy", r"对(?P<value>[^,，。；]{1,12}?)(?:严重)?(?:过敏|不耐)"), ("diet", r"我(?:是)?(?P<value>吃素|素食者|纯素|清真)"), ("does not eat", r"我(?:从)?(?:不能吃|不吃|不喝|不能喝)(?P<value>[^,，。；]{1,12})"),
        ("favourite {}", r"我?最(?:喜欢|爱)的(?P<attribute>[^,，。是]{1,6})是(?P<value>[^,，。；]+)"), ("dislikes", rf"我?(?:讨厌|不喜欢|不爱|受不了){_VZH}"), ("likes", rf"(?<!不)我?(?<!不)(?:很|最|也|特别|比较)?(?:喜欢|爱|热爱)(?!的){_VZH}"),
        ("home", r"(?:我|我们|我家)(?:现在)?住在?(?P<value>[^,，。；了]+)"), ("home", r"搬(?:到|去|家到)了?(?P<value>[^,，。；了]+)"), ("lodging", r"(?:住在|下榻|订了|旅馆在|饭店在|酒店在)(?P<value>[^,，。；]+)"), ("job", r"我?(?:的工作是|是一[名个位]|当|做)(?P<value>[^,，。；的]{2,10}?)(?=[,，。；]|$)"),
        ("employer", r"我在(?P<value>[^,，。；]{2,10}?)(?:上班|工作)"), ("budget", r"(?:预算|最多|不超过|花)[^,，。；\d一二三四五六七八九十百千万两]{0,8}(?P<value>[\d,.一二三四五六七八九十百千万两]+\s?(?:元|块|日元|日圆|欧元|美元|万元)?)"),
        ("{}", r"(?:我的?|我们的?)?(?P<attribute>订单编号|订单号|单号|电话|手机号?码?|信箱|邮箱|地址|收件地址|生日|密码|无线网络密码|截止日期|航班号?|座位|尺寸|鞋码|车牌|血型|会员号)(?:号码)?(?:是|为|：|:|在|改成|换成公司：|换成)\s?(?P<value>[^,，。；]+)"),
        ("email", r"(?P<value>[\w.+-]+@[\w-]+\.[\w.-]*\w)"), ("prohibition", r"(?P<value>(?:请)?(?:不要|别|千万别|绝对不要|禁止|不准)[^,，。；]{2,})"),
    ],
}
_COMPILED = {language: [(attribute, re.compile(pattern)) for attribute, pattern in patterns] for language, patterns in _PATTERNS.items()}
_SINGLE = frozenset("name home lodging job employer budget email diet".split())


@lru_cache(maxsize=20_000)
def statements(text: str, language: str | None = None) -> tuple[Statement, ...]:
    """The facts that a text states, in order. Questions state none but in their clauses; a value is a span of the text."""
    found = []
    for item in said(text, "user", "", ""):
        key = base(language or language_of(item.text))
        folded = fold(item.text)
        aligned = item.text if len(item.text) == len(folded) else folded
        seen: set[tuple[int, int]] = set()
        for attribute, pattern in _COMPILED[key]:
            for match in pattern.finditer(folded):
                start, end = match.span("value")
                value = aligned[start:end].strip(" ：:")
                if not value or any(start < b and a < end for a, b in seen) and attribute != "email":
                    continue
                seen.add((start, end))
                groups = match.groupdict()
                label = attribute.format(aligned[slice(*match.span("attribute"))].strip() if groups.get("attribute") else "")
                subject = aligned[slice(*match.span("subject"))].strip() if groups.get("subject") else "user"
                found.append(Statement(subject, label, value, item.text, attribute in ("dislikes", "prohibition", "does not eat") or attribute == "allergy" and item.analysis.negated,
                                       item.marks.once, item.marks.retract or item.marks.forget))
    return tuple(found)


def slots(sentence: str) -> list[tuple[str, str]]:
    """(subject, attribute) of what a sentence states that can have one value at a time."""
    return [(found.subject, found.attribute) for found in statements(sentence)
            if not found.temporary and (found.attribute in _SINGLE or found.attribute.startswith("favourite") or not analyse(found.attribute).negated and found.attribute not in (
                "likes", "dislikes", "prohibition", "allergy", "does not eat"))]
