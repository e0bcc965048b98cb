"""The words by which an answer says less than its value: not known, not so, only asked, old, new.

Patterns on folded text (fold.py): lower case, simplified characters, no accents but ñ; English, Chinese, Spanish.

Copy with: clauses.py.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern:
    return re.compile("|".join(patterns))


NOT = r"(?:\bnot|n't)"
SAID = r"(?:been )?(?:told|mentioned|said|shared|given|specified|stated|provided|discussed|available|talked about)"
DICHO = r"(?:dicho|contado|mencionado|comentado|especificado|indicado)"

# doubts about something beside the question: no answer's "I do not know"
ASIDE = _any(rf"{NOT} (?:know|sure) (?:much|a lot|anything) about\b", r"\bno se mucho de\b", r"我不太[懂了清会]")
ABSTAIN = _any(
    r"\b(?:do|did|does|could|would) ?(?:not|n't) (?:\w+ )?(?:know|recall|remember|find|tell|say|mention|specify|state"
    r"|share|provide|give me|see (?:any|a|where))\b",
    rf"{NOT} have (?:\w+ ){{0,3}}(?:information|record|details|data|mention|memory|access)\b",
    r"\bcan(?:not| not|'t) (?:\w+ )?(?:tell|say|recall|remember|determine|answer|find|know|confirm)\b",
    rf"{NOT} (?:\w+ )?(?:sure|certain|aware|able to|in (?:our|the|this) (?:chat|conversation|context)|{SAID})\b",
    rf"{NOT} (?:think|believe) you(?:'ve| have)?(?: ever)? {SAID}\b",
    rf"\b(?:never|nobody|no one) (?:\w+ )?(?:{SAID}|knows)\b",
    r"\bno (?:mention|record|information|details|data|memory|idea)\b",
    r"\b(?:unsure|unknown|unable to)\b", r"(?<!before )(?<!lest )(?<!case )(?<!if )\bi (?:have )?forg[eo]t(?:ten)?\b",
    r"\bnothing (?:in (?:our|the|this)|about)\b", r"\bneed to (?:tell|share|know)\b",
    r"\b(?:please|could you|can you) (?:tell|share|provide|remind)\b",
    r"不知道|不晓得|不清楚|不得而知|无从|[查找]不到", r"不(?:太|能|敢|是很)?确定",
    r"[无没]法.{0,8}?(?:确定|确认|得知|知道|判断|回答)",
    r"(?:没有?|从未|未曾?|不曾)(?:有|跟我|对我|向我)?(?:提|说|告诉|讲|透露|记录|记载|分享)",
    r"我(?:已经?|可能|好像)?(?:不记得|忘(?!记?了?[之以]?前))", r"没有.{0,8}(?:信息|资讯|资料|记录|纪录|印象)",
    r"请(?:告诉我|提供)|能告诉我吗",
    r"\bno (?:lo |la )?(?:se|sabemos|sabria)(?= si\b| que\b| cua| cuan| como\b| donde\b| quien| nada\b|\s*$)",
    r"\bno lo se\b|\bno estoy segur|\bdesconozco\b|\bignoro\b|\bno (?:recuerdo|consta)\b",
    r"\bno tengo (?:\w+ )?(?:idea|informacion|datos|constancia|registro)",
    rf"\b(?:no|nunca) (?:me )?(?:lo |la )?(?:has|ha|han|habias) (?:\w+ )?{DICHO}",
    r"\b(?:no|nunca) (?:me )?(?:lo |la )?(?:contaste|mencionaste|indicaste)\b",
    r"\b(?:no|nunca) (?:me )?(?:lo |la )?dijiste(?= (?:si|que|cual|como|ningun|nada)\b|\s*$)",
    r"\bno hay (?:\w+ )?(?:informacion|mencion|registro|datos)",
    r"\bno (?:puedo|podria) (?:saber|decir|determinar|confirmar|responder)",
    r"\bno se (?:menciona|ha mencionado|indica|especifica)")
# a clause behind "I do not know" that still belongs to it, and one before
GOES_ON = _any(r"\s*(?:whether|if|or|nor|maybe|perhaps|possibly|that)\b", r"\s*(?:或|也许|可能|还是)",
               r".*(?:是否|有没有|是不是)", r"\s*(?:o|ni|si|quiza|quizas|tal vez|que)\b")
TOPIC = _any(r"\s*(?:whether|if|as for|as to|regarding|about|concerning)\b", r"\s*(?:关于|至于|对于)",
             r".*(?:是否|有没有|是不是)", r"\s*(?:en cuanto a|sobre|respecto a|si)\b")
# beside an "I do not know", what is usual is not what the person said
USUAL = _any(r"\b(?:typical|typically|usual|usually|average|common|commonly|for example|generally)\b",
             r"一般|通常|例如|比如|平均", r"\b(?:normalmente|por ejemplo|tipic[oa]|en general|habitual(?:mente)?)\b")

WHETHER = _any(r"\bwhether\b", r"是否|有没有|是不是|会不会|能不能")
QUESTION = _any(r"\s*(?:so |and |but )?(?:do|does|did|is|are|was|were|can|could|would|will|have|has|should)\b",
                r"\s*(?:what|which|who|where|when|how)\b", r"\s*(?:请问|什么|哪)")
TAG = re.compile(r"(?:对吧|对吗|是吧|没错吧|\bright|\bcorrect|\bverdad)\s*$")

# a negating word that leaves the value standing: bounds, "do not forget", prohibitions (they state what they forbid)
NEUTRAL = _any(
    r"\bnot (?:only|just|merely|to mention|until|in doubt)\b",
    r"\b(?:no|not) (?:more|over|above|less|exceed\w*)\b(?: than)?",
    r"\bno doubt\b", r"\b(?:order|number|item|room) no\b", r"\bno\. ?#?$",
    r"\b(?:do not|don't|never|can't|cannot|won't) (?:ever )?(?:forget|worry|hesitate|miss)\b",
    r"\b(?:can|could|must|should|may|shall|will|would)(?: not|n't| never)\b", r"\bcan(?:not|'t)\b",
    r"\b(?:never|do not|don't|not to) (?:eat|drink|have|order|serve|call|phone|contact|use|send|touch|take|book|buy)\b",
    r"不[只仅但能可得该宜敢用必同久错论管少]以?", r"不应该?", r"不要", r"不[超多]过?于?", r"不过(?!敏)",
    r"不[吃喝碰]", r"不好意思|不客气|不舒服|对不起|差不多|别忘|无论|非常",
    r"没有?(?:问题|[记说搞弄猜]?错|关系)", r"是不是|有没有|会不会|能不能",
    r"\bno (?:puede[ns]?|debe[ns]?|comas?|comes|bebas|llames?|uses|quieres que)\b",
    r"\bno (?:olvides|te olvides|te preocupes)\b", r"\bno (?:solo|mas de|superar?)\b")
NEGATOR = _any(r"\bno longer\b", r"\b(?:not|never|neither|nor|none|no|without)\b", r"n't\b", r"\bnon-?$",
               r"\binstead of\b", r"\brather than\b", r"\b(?:except|anything but|other than)\b",
               r"除了?", r"从[不未]", r"并?不是", r"并?没有?", r"并非", r"[不未无非]")
NEGATOR_ES = _any(r"\b(?:no|nunca|jamas|tampoco|ni|sin)\b", r"\ben (?:lugar|vez) de\b", r"\bexcepto\b")
NEGATED_AFTER = _any(r"['\"]?\s*(?:is|are|was|were|does|do)(?: not\b(?! only)|n't\b| no longer\b)",
                     r".{0,6}?(?:并|也|从来)?(?:不|没有?|未)(?:会|再)?(?:过敏|喜欢|爱吃|对)", r"(?:并|也)?不是",
                     r"['\"]?\s+(?:ya )?no (?:es|son|era|eran|te)\b")

OLD = _any(r"\b(?:used to|previously|before|earlier|originally|initially|formerly|no longer|old|first|until"
           r"|had been)\b",
           r"原本|原来|本来|之前|以前|先前|起初|最初|曾|旧|不再|当初|一开始|过去",
           r"\b(?:antes|anterior(?:mente)?|al principio|inicialmente|originalmente|ya no|solia|antigu[oa]"
           r"|previamente)\b")
OLD_JUST_BEFORE = re.compile(r"(?:\bfrom|\bde|从|由)\s*[$¥€]?$")
PAST = re.compile(r"\b(?:was|were|era|eran|fue)\b")
CURRENT = _any(r"\b(?:now|currently|new|latest|then|later|changed to|updated to|replaced by|corrected to)\b",
               r"现在|目前|如今|后来|改成|改为|变成|最新|更新为",
               r"\b(?:ahora|actual(?:mente)?|luego|despues|nuev[oa]|ultim[oa])\b")
CHANGE = _any(r"\b(?:chang|rais|increas|lower|updat|went|mov|cut|reduc|correct|switch)", r"[改升降增减调变]",
              r"\b(?:cambi|sub|baj|paso|aument)")
RETRACT = _any(r"\b(?:wait|actually|sorry|correction|i mean|i meant|scratch that|on second thought)\b",
               r"更正|不对|说错|抱歉|其实|应该是", r"\b(?:perdon|mejor dicho|en realidad|quiero decir|corrijo)\b")
