"""Is it a question, and what does it ask for: kinds of value wanted, whose, past or present."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .language import base, fold, language_of

_ASKS = {
    "en": re.compile(
        r"^(?:(?:so|and|but|ok|okay|hey|hi|well|now|also|by the way|btw|remind me|tell me|please|sorry|quick question|again|one more thing)[,: ]+)*"
        r"(?:(?:what|whats|what’s|which|who|whom|whose|when|where|why|how)\b|"
        r"(?:is|are|am|was|were|do|does|did|can|could|will|would|should|have|has|had|may)(?:n’t)? (?:i|you|we|he|she|it|they|my|your|our|the|this|that|there|any|his|her)\b)"
        r"|\b(?:remind me|tell me|do you (?:remember|recall|know)|can you (?:remind|recall|tell)|i (?:forgot|forget)(?! to)|i can[’']t (?:remember|recall)|"
        r"repeat my|list (?:my|all|the)|give me (?:my|the)|what(?:’s| is| was) my)\b", re.IGNORECASE),
    "es": re.compile(
        r"¿|\b(?:dime|recuérdame|recuerdame|repíteme|dígame|me recuerdas|te acuerdas|recuerdas|sabes|me dices|me repites|no recuerdo|refréscame)\b"
        r"|^(?:(?:y|pero|bueno|oye|hola|entonces|a ver|por cierto|perdona)[,: ]+)*(?:qué|cuál|cuáles|quién|quiénes|cuándo|dónde|adónde|cómo|cuánt[oa]s?|por qué|"
        r"a qué|en qué|de qué|con qu[ée]|para qué|a quién|con quién|de quién|desde cuándo)\b", re.IGNORECASE),
    "zh": re.compile(r"[吗呢嘛][？?。]?$|什么|哪[里儿个些家天位种一]|哪(?=[年月国类款班])|谁|多少|几[点个号岁月天位楼次晚年]|怎么|如何|为什么|何时|何处|多[大久长高重]|"
                     r"是不是|有没有|能不能|可不可以|告诉我|提醒我|还记得|记不记得|星期几|周几|请问|第几|说说看|念一下|复述"),
}
_REQUEST = {
    "en": re.compile(r"^(?:(?:so|and|ok|hi|hello|please)[, ]+)*(?:can|could|would|will) you (?:please |kindly )?(?!remind|tell|recall|remember|recommend|suggest|give|explain|repeat|say|list|check)"
                     r"(?:[a-z]+)\b", re.IGNORECASE),
    "es": re.compile(r"^¿?\s*(?:puede[sn]?|podría[sn]?|me puedes|me podrías) (?!recordar|decir|recomendar|sugerir|repetir|dar)\w+", re.IGNORECASE),
    "zh": re.compile(r"(?:帮我|请|麻烦)(?!问|告诉|提醒|推荐|介绍|说)"),
}
_WANTS = {
    "en": [("selfname", r"\bmy (?:full |first |last |given |family |sur)?name\b|\bam i called|\bdo i (?:go by|call myself)|\b(?:call|address) me\b|\bwho am i\b"),
           ("phone", r"\b(?:phone|mobile|cell|telephone|contact) number|\bmy (?:phone|mobile|cell)\b"), ("email", r"\be-?mail\b.*(?:address|\?)$|\bmy e-?mail"), ("code", r"\b(?:number|code|reference|id|plate)\b"),
           ("time", r"\bwhat time|\bwhich hour|\bat what (?:time|hour)|\bhow early|\bhow late"), ("duration", r"\bhow long\b|\bhow many (?:days|nights|weeks|months|years|hours|minutes)"),
           ("age", r"\bhow old|\bwhat age"), ("frequency", r"\bhow often|how frequently"), ("number", r"\b(?:which|what) (?:room|floor|gate|platform|size)|\bhow many|\bhow (?:tall|heavy|big|high|far|large|wide)\b|\bwhat size|\bwhich number|what number"),
           ("amount", r"\bhow much|\bwhat price|\bbudget\b|\bprice\b|\bsalary\b|\bcost\b"), ("date", r"\bwhen\b|\b(?:what|which) (?:day|date|month)|\bwhat(?:’s| is) the date"),
           ("place", r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|street|station|address)"), ("person", r"\bwho(?:m|se)?\b|\bname of\b|\bcalled\b|’s name|\bname\b")],
    "es": [("selfname", r"\bcómo me llam|\bmi (?:nombre|apellido)|\bllamarme|dirigirte a mí|\bquién soy|\bme llamo"),
           ("phone", r"\bnúmero de (?:teléfono|móvil|celular)|\bmi (?:teléfono|móvil|celular)"), ("email", r"\bmi (?:e-?mail|correo)|dirección de correo"), ("code", r"\b(?:número|código|referencia|matrícula)\b"),
           ("time", r"\ba qué hora|\bqué hora"), ("duration", r"\bcuánto tiempo|\bcuánt[oa]s (?:días|noches|semanas|meses|años|horas)(?! tien)|\bcuánto dura"),
           ("age", r"\bqué edad|\bcuántos años"), ("frequency", r"cada cuánto|con qué frecuencia"), ("number", r"\bcuánt[oa]s\b|\bcuánto (?:mido|peso|mide|pesa)|\bqué (?:talla|altura|sala|habitación|piso|planta|puerta|andén|aula)"), ("amount", r"\bcuánto\b|\bpresupuesto\b|\bprecio\b|\bsueldo\b"),
           ("date", r"\bcuándo\b|\bqué (?:día|fecha|mes)|\bcuál es la fecha"), ("place", r"\bdónde\b|\badónde\b|\b(?:qué|cuál) (?:ciudad|país|lugar|calle|estación)"),
           ("person", r"\bquién(?:es)?\b|cómo (?:me|se|te) llam|\bnombre\b")],
    "zh": [("selfname", r"我的?(?:叫什么|名字|姓名|大名|怎么称呼|姓什么|是谁|全名)|称呼我|叫我什么|我.?(?:叫|姓)(?:什么|啥)"), ("phone", r"(?:电话|手机)号?码?(?:是|多少|几|$|？)"), ("email", r"邮箱|信箱|email|电子邮件地址"), ("code", r"(?:编号|单号|号码|代码|车牌|识别码)"),
           ("time", r"几点|什么时间|何时(?=开)"), ("duration", r"多久|多长时间|几天|几晚|几年|几个月|多少天"), ("age", r"多大|几岁|多少岁|年纪|年龄"), ("frequency", r"多久一次|几次|频率"),
           ("amount", r"多少|预算|价"), ("number", r"哪[间个一]?[^，。]{0,3}(?:室|房间?|楼|登机口|站台)|几号(?:房|楼|桌|线)|多[高重大]|尺[寸码]|几[个位只名条本杯口层楼]|第几|号码"), ("date", r"什么时候|何时|哪[一]?天|几号|几月|星期几|周几|礼拜几|哪个月|什么日子|日期|哪年"),
           ("place", r"(?<!身体)哪里(?!不|有问题|有毛病)|哪儿|什么地方|何处|哪个(?:城市|国家|地方|站)|地点|在哪|去哪|住哪"), ("person", r"谁|哪位|叫什么|名字|姓什么|称呼")],
}
MET_BY = {"selfname": {"selfname"}, "phone": {"phone"}, "email": {"email"}, "code": {"code", "digits", "phone"}, "time": {"time"}, "duration": {"duration"}, "age": {"number", "duration"}, "frequency": {"number", "date", "duration"}, "number": {"number", "code"},
          "amount": {"money", "number"}, "date": {"date", "time"}, "place": {"place", "address"}, "person": {"name"}}
_PAST = {"en": r"\bbefore\b|\bold\b(?! (?:is|am|are|was|will|do|does))|\bprevious\b|\boriginal(?:ly)?\b|\bused to\b|\bformer\b|\bin the past\b|\bat first\b|\binitially\b",
         "es": r"\bantes\b(?! de)|\banterior\b|\bviejo\b|\boriginal\b|\bal principio\b|\bprevio\b|\bsolía", "zh": r"以前|之前的|原来|原本|旧|一开始|最初|从前|本来"}
_ONCE = {"en": r"\bthis time|\bthis once|\bjust once|\btoday\b|\bthis order|\bfor now\b", "es": r"esta vez|por una vez|hoy\b|este pedido", "zh": r"这次|这一次|今天|本次|这回"}
_YOU = {"en": r"\byou(?:’ve|r)?\b(?!.*\b(?:remember|recall|know|remind|tell)\b.*\b(?:i|my|me)\b)", "es": r"\b(?:recomendaste|sugeriste|prometiste|dijiste tú|propusiste|aconsejaste|usted recomendó)\b",
        "zh": r"你(?:推荐|建议|答应|承诺|提议|说过|保证)"}
_ADVICE = re.compile(r"\b(?:did you|you(?:’ve)?) (?:\w+ )?(?:recommend|suggest|promise|propose|advise|offer|say|book|find|pick|tell|told|give|gave)|have you (?:recommended|suggested|promised|booked)|"
                     r"your (?:suggestion|recommendation|advice|proposal)", re.IGNORECASE)
_YESNO = {"en": r"^(?:(?:so|and|but|ok|well|also)[, ]+)*(?:is|are|am|was|were|do|does|did|can|could|will|would|should|have|has|had)\b(?! you (?:remember|recall|know|tell|remind))",
          "es": r"^¿?(?:es|soy|son|tengo|tiene|puedo|me gusta|he |ha )\b", "zh": r"[吗嘛][？?。]?$|是不是|有没有|能不能"}

_NEGATED = {"en": r"n’t\b|\b(?:not|never|cannot|no|nobody|without|avoid|dislike|hate|refuse|allergic|forbidden|banned|stand)\b", "es": r"\b(?:no|nunca|nadie|sin|evitar|odio|detesto|alérgic\w|prohibid\w)\b",
            "zh": r"不|没|别|忌|避|讨厌|禁|过敏"}
_MINE = {"en": r"\b(?:i|my|me|mine|we|our|us)\b", "es": r"\b(?:mi|mis|me|yo|nos|nuestr[oa]s?|conmigo|soy|tengo)\b", "zh": "我|咱"}


class Question(NamedTuple):
    """wants: kinds of value asked for; mine: does it speak of the asker; named: is it about a speaker by name; past: the earlier value; once: what holds this time only; about: whose words."""

    wants: tuple[str, ...]
    past: bool
    once: bool
    about: str
    yes_no: bool
    mine: bool
    negated: bool
    named: bool = False


@lru_cache(maxsize=50_000)
def is_question(sentence: str) -> bool:
    """Does the sentence ask for information?"""
    text = fold(sentence).strip().strip("\"'”」").replace("'", "’")
    if text.endswith(("?", "？")):
        return True
    return bool(_ASKS[base(language_of(sentence))].search(text)) and not _statement(text)


def _statement(text: str) -> bool:
    # "Can't stand olives" and "When I was six, I moved" begin like questions.
    return bool(re.match(r"(?:(?:so|and|but)[, ]+)?(?:when|where|how|what|why|whatever|whenever) (?:i|we|my|he|she|they|it) .+,", text, re.IGNORECASE)
                or re.match(r"(?:have a|may is|may \d|will is|what a )", text, re.IGNORECASE)
                or re.search(r"无论|不管|没什么|什么都|怎么都|不知道|谁都|哪里都", text))


@lru_cache(maxsize=50_000)
def is_request(sentence: str) -> bool:
    """Does the sentence ask for something to be done ("Could you change it to Friday?"): words that also state."""
    return bool(_REQUEST[base(language_of(sentence))].search(fold(sentence)))


@lru_cache(maxsize=10_000)
def read_question(sentence: str, language: str) -> Question:
    """What the question asks for."""
    key, text = base(language), fold(sentence).replace("'", "’")
    wants = tuple(kind for kind, pattern in _WANTS[key] if re.search(pattern, text, re.IGNORECASE))
    if "selfname" in wants:
        wants = ("selfname",)
    if "phone" in wants or "email" in wants:
        wants = tuple(kind for kind in wants if kind in ("phone", "email"))
    if "age" in wants or "duration" in wants or "frequency" in wants:
        wants = tuple(kind for kind in wants if kind not in ("number", "amount"))
    past, once = (bool(re.search(marks[key], text, re.IGNORECASE)) for marks in (_PAST, _ONCE))
    mine = _ADVICE.search(text) if key == "en" else re.search(_YOU[key], text, re.IGNORECASE)
    return Question(wants, past, once, "assistant" if mine else "user", bool(re.search(_YESNO[key], text, re.IGNORECASE)),
                    bool(re.search(_MINE[key], text, re.IGNORECASE)), bool(re.search(_NEGATED[key], text, re.IGNORECASE)))
