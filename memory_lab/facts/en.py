"""English patterns for rules.py: what people write when they state a fact about themselves."""
# ruff: noqa: E501 - a pattern is read, compared and moved as one line

from __future__ import annotations

import re

from .rules import Rule

NAME = r"(?-i:[A-Z][\w'’-]+(?: (?:de |van |von )?[A-Z][\w'’-]+)*)"
MONTH = r"(?-i:January|February|March|April|May|June|July|August|September|October|November|December)"
DATE = (rf"(?:(?:next |this |last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? \d{{4}})?"
        rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|(?:in )?{MONTH}|\d{{4}}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}"
        r"|(?:next |this )?(?:(?<!hot )spring|summer|autumn|winter)|tomorrow|next (?:week|month|year))")
CLOCK = (r"(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d|(?<=at )(?:half past |quarter (?:to|past) )?(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine"
         r"|ten|eleven|twelve)(?: o['’]clock)?|noon|midnight)")
DIGITS = r"\d[\d.,]*(?: ?(?:k|thousand|million))?"
WORDS = (r"(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
         r"|ninety|a)(?:[- ](?:hundred|thousand|million|one|two|three|four|five|six|seven|eight|nine|and))*)")
UNIT = r"(?:euros?|pounds?|dollars?|yen|yuan|francs?|rupees|pesos|quid|bucks|eur|usd|gbp|€|£|\$)"
PER = r"(?: (?:an?|per) [a-z]+)?"
MONEY = rf"(?:[$€£¥] ?{DIGITS}|(?:{DIGITS}|{WORDS}) ?{UNIT}){PER}"
AMOUNT = rf"(?:{MONEY}|{DIGITS}{PER})"
CODE = r"#?(?=[\w/-]*\d)[A-Za-z0-9][\w/-]+(?: \d[\d-]*)*"
REL = (r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|child|baby|kids?|sister|brother|twin|mother|mum|mom|father|dad"
       r"|parents?|aunt|uncle|cousin|nephew|niece|grand(?:mother|father|ma|pa|son|daughter)|friend|flatmate|roommate|boss|manager|colleague"
       r"|assistant|doctor|dentist|teacher|landlord|neighbou?r|dog|cat|puppy|kitten|horse|rabbit|parrot|bird|pet)")
EVENT = (r"(?:dinner|lunch|breakfast|brunch|party|wedding|meeting|appointment|interview|exam|test|flight|trip|holiday|vacation|concert|game"
         r"|birthday|anniversary|check-?in|check-?out|delivery|move|surgery|operation|visit|class|course|conference|deadline|reservation)")
JOB = (r"(?:nurse|teacher|doctor|lawyer|chef|cook|pilot|student|translator|architect|vet|clerk|\w+(?:ist|eer|ician|ographer)|\w*(?:driver|designer"
       r"|developer|manager|writer|baker|farmer|builder|worker|painter|editor|director|consultant|accountant|programmer|researcher|carpenter|trainer))")
NOT_NAME = (r"(?!(?:OK|Okay|American|British|English|German|French|Spanish|Italian|Chinese|Japanese|Korean|Indian|Irish|Scottish|Welsh|Dutch"
            r"|Polish|Turkish|Russian|Mexican|Canadian|Australian|Muslim|Jewish|Christian|Catholic|Hindu|Buddhist|Not|Very|So)\b)")
NO = r"(?:do not|don't|don’t|never|under no circumstances)"
REST, LINE = r"[^,;:()\n]+", r"[^;()\n]+"
HANDLE = r"(?:leave|deliver|drop|hand|bring)\b[^;]*? (?:with|to|at|by|in|on|behind) [^;()\n]+"
START = r"(?:^|(?<=[,;:])|(?<=[,;:] )|(?<=\bplease )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bfirst )|(?<=\balso ))"

OWN = re.compile(r"^(?:my|our|the|a|an|that|this)\s+|(?-i:\s+[A-Z][\w'’-]+)+$|['’]s$", re.I)
PRONOUNS = {"he", "she", "they", "it", "him", "her", "them", "his", "its", "their"}
EMPTY = {"it", "that", "this", "them", "him", "her", "one", "some", "any", "anything", "so", "mine", "me", "not", "the", "a"}
ARTICLE = re.compile(r"^(?:the|my|our|a|an|any|all)\s+|\s+(?:ones?|things?|any ?more|please)$", re.I)
LIST = re.compile(r",\s*(?:and |or )?|\s+(?:and|or)\s+", re.I)
ITEM = re.compile(r"(?!(?:i|we|you|so|but|please|my|can|which|it|they|that|then|also)\b)[\w'’-]+(?: (?!please|so|but)[\w'’-]+){0,3}", re.I)
TAIL = re.compile(r",? (?:please|now|any ?more|these days|at the moment|by the way|though|too|as well|thanks|thank you|instead)$", re.I)
ONCE = re.compile(r"\b(?:(?:only|just) (?:this|that) (?:time|once)|(?:this|that) (?:one )?time only|just (?:this )?once|(?:only|just) for (?:this|today|now|tonight)\b"
                  r"|as an exception|exceptionally|for once)\b", re.I)
CORRECTS = re.compile(r"^(?:(?:wait|no|sorry|oops|actually|correction|I mean)[,.:]? ?)+(?:it is|it's|it’s|make (?:that|it)|I meant|that's|that should be) (?:at |on |in |to )?(?P<value>[^,;]+)", re.I)
USUAL = re.compile(r"\b(?:usual|usually|normally|always|otherwise|by default)\b", re.I)


def label(text: str) -> str:
    """A short name for an attribute: without articles, "number" said once."""
    return re.sub(r"\b(?:my|our|the|new|current)\b\s*", "", text).strip()


def _(pattern: str) -> re.Pattern:
    return re.compile(pattern, re.IGNORECASE)


ARE = r"(?: is|'s|’s| was| has to be| should be| will be|:| =)(?: actually| now| really)?"
RULES = (
    # take back
    Rule("", "allergy", _(r"\bI(?:'m|’m| am) (?:no longer|not) allergic to (?P<value>[^,;.]+)"), retract=True, about="user"),
    Rule("", "home", _(r"\bI (?:no longer|do not|don't|don’t) live (?:in|at) (?P<value>[^,;.]+)"), retract=True, about="user"),
    Rule("", "when", _(rf"\b(?P<subject>{NAME}|he|she|they|my [a-z]+) (?:will not|won't|won’t|is not|isn't|cannot|can't)[^,;]*?\b(?P<value>{DATE})\b"), retract=True),
    Rule("", "", _(rf"{START}(?<!not )(?<!n't )(?:please )?(?:forget|scrap|disregard|never mind|drop)(?: about)?(?: what I (?:said|told you)(?: about)?)? (?P<value>[^,;]+)"), retract=True),
    Rule("", "", _(r"\byou (?:may|can) (?:now )?(?P<value>[a-z]+(?: me)?)(?: [a-z]+)? (?:again|after all|from now)"), retract=True),
    Rule("cancelled", "", _(rf"(?:{START}|\bI (?:want|would like|have|need) ?(?:to )?)(?:please )?(?:cancel(?:led)?|unsubscribe (?:me )?from) (?P<value>{REST})"),
         retract=True, keep=("identifier", "name", "place", "work")),
    # names
    Rule("name", "name", _(rf"\bmy (?:full |first |last )?name{ARE} [\"“«]?(?P<value>{NAME}|(?!not\b)[\w'-]+(?=\s*(?:[,;]|$|and\b)))")),
    Rule("name", "name", _(rf"(?:^|[,;:] ?|\b(?:and|hi|hello) )(?:I am|I'm|I’m|this is|call me|I go by) {NOT_NAME}(?P<value>(?:(?:Mrs?|Ms|Dr|Miss)\.? )?{NAME})(?=\s*(?:[,;(]|$|and\b|from\b|here\b|again\b))")),
    Rule("name", "name", _(rf"\bmy (?P<subject>[a-z]+(?: [a-z]+)?)(?:'s|’s) name{ARE} (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\b(?:my|our|the name of my) (?P<subject>[a-z]+(?: [a-z]+)?) is (?:called|named) (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\bthe name of my (?P<subject>[a-z]+){ARE} (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\b(?:my|our) (?:[a-z]+ )?(?P<subject>{REL}),? (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\b(?P<subject>his|her|its|their) name{ARE} (?P<value>{NAME})")),
    # numbers with a label, and where to reach somebody
    Rule("identifier", "email", _(r"\b(?:my|me|I)\b.{0,60}?(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")),
    Rule("identifier", "phone number", _(rf"\b(?:my|our) (?:[a-z]+ )?(?:phone|mobile|cell|telephone)(?: number)?{ARE} (?P<value>\+?\(?\d[\d ()./-]{{4,}}\d)")),
    Rule("identifier", "phone number", _(r"\b(?:call|phone|reach|text|ring) me (?:on|at|under) (?P<value>\+?\(?\d[\d ()./-]{4,}\d)")),
    Rule("identifier", "{what}", _(rf"(?<!['’])\b(?P<what>(?:(?:my|our|the|new|[a-z]+) ){{0,2}}(?:number|code|id|pin|reference|password))(?: for [a-z ]+)?(?:{ARE}| changed to| is changed to) (?P<value>{CODE})")),
    Rule("identifier", "{what} number", _(rf"\b(?:my|our|the|about|for) (?P<what>order|booking|ticket|invoice|reservation|case|flight|train|room|account|policy)(?: (?:number|no\.?))?{ARE.replace('(?:', '(?:(?:', 1)})? (?P<value>{CODE})")),
    Rule("identifier", "number ending", _(r"\b(?:ending|ends) (?:in|with) (?P<value>\d{2,6})")),
    Rule("identifier", "{what} address", _(rf"\bmy (?:new )?(?P<what>home|office|work|shipping|delivery|billing|postal)? ?address{ARE} (?P<value>{LINE})")),
    Rule("identifier", "delivery address", _(rf"\b(?:send|ship|deliver|post|forward|mail)\b[^;]*?(?: to|:) (?P<value>\d+\w?,? (?-i:[A-Z]){LINE})")),
    # money
    Rule("budget", "budget", _(rf"(?:(?=.*?\b(?:budget|money) for (?:an?|the|my|our) (?P<topic>[a-z]+))|(?=.*?\b(?:the|my) (?P<subject>[a-z]+) (?:budget|money)\b)|(?=.*?\b(?:saving|looking|shopping|buy|buying) (?:up )?(?:for )?(?:an?|the|some) (?P<item>[a-z]+))|)^.*?\b(?:budget|money)\b[^;]*?(?P<value>{AMOUNT})")),
    Rule("budget", "budget", _(rf"\b(?:I|we|you) (?:can|may|could|will|want to|are allowed to|am willing to)(?: only| now)? (?:spend|pay|go up to|afford)[^;,\d]*?(?P<value>{AMOUNT})(?:[^;,]*? on (?P<subject>(?:the|my|our|an?) [a-z]+|it))?")),
    Rule("budget", "budget", _(rf"(?P<value>{MONEY})(?: at (?:the )?most| max(?:imum)?\b| is my (?:limit|maximum|budget))")),
    # health
    Rule("allergy", "allergy", _(rf"\b(?:I(?:'m|’m| am)|(?:my|our) (?P<subject>[a-z]+)(?: {NAME})? is)(?: also| very| badly| severely| highly| still| really)* allergic to (?P<value>{LINE})"), listed=True),
    Rule("allergy", "allergy", _(r"\b(?:I have|I've got) an? (?P<value>[a-z]+) allergy\b")),
    Rule("allergy", "gets sick", _(rf"\bI (?:get|feel|am)(?: always| very)? (?:sick|ill|dizzy|nauseous) (?P<value>(?:on|from|in|when|after) {REST})")),
    Rule("allergy", "diet", _(r"\bI(?:'m|’m| am)(?: an?)? (?:strict )?(?P<value>vegan|vegetarian|coeliac|celiac|diabetic|(?:lactose|gluten)[- ]intolerant|pregnant)\b")),
    Rule("allergy", "does not take", _(rf"\b(?:I|(?:my|our) (?P<subject>[a-z]+)) (?:eats?|drinks?|takes?) no (?P<value>{LINE})"), listed=True),
    Rule("allergy", "does not take", _(rf"\b(?:I|(?:my|our) (?P<subject>[a-z]+)) (?:cannot|can't|can’t|do not|don't|don’t|does not|doesn't|never|must not|may not)(?: ever)? (?:eat|drink|tolerate|have(?! to\b|n't))(?: any(?:thing)?(?: with| containing)?)? (?P<value>{LINE})"), listed=True),
    # prohibitions, in the user's whole words
    Rule("prohibition", "rule", _(rf"{START}(?P<value>(?:please )?{NO} (?!know|mind|worry|forget|hesitate|bother|be (?:sorry|afraid)|you\b|think|get me wrong|had|been|heard|seen)[a-z]+{LINE}|(?:please )?{NO} [a-z]+$)"), conditional=True),
    Rule("prohibition", "rule", _(rf"(?P<value>\b(?:you|they|nobody|no one|we) (?:must|may|should|can|are)(?: not|n't|n’t| never)?(?<=not|n't|n’t|ver) {LINE}|\b(?:nobody|no one) (?:must|may|should|can) {LINE})"), conditional=True),
    Rule("prohibition", "rule", _(r"(?:^|[,;:] ?)(?:and |but |also )?(?P<value>no (?!problem|thanks|thank|idea|rush|worries|need|way|one|doubt|matter|sun|longer)[a-z]+(?: (?:or )?[a-z]+)?)(?=,? please|$)")),
    Rule("prohibition", "rule", _(r"(?P<value>\bnot (?:the|any) [a-z]+(?: [a-z]+)?)(?:,? please)?$")),
    Rule("prohibition", "rule", _(rf"(?P<value>\bI (?:really )?(?:do not|don't|don’t|never) want (?!to (?:be|sound|seem)|it\b|that\b|them\b){REST})")),
    Rule("prohibition", "rule", _(r"(?P<value>(?:^|\bwant |\blike |\bneed )(?:(?!\b(?:I|went|left|did|was|is|am|can|live|do)\b)[^;()\n])*\bwithout (?:any )?[a-z]+)")),
    # standing wishes and habits
    Rule("rule", "rule", _(rf"(?P<value>^if [^;]*?, (?:please )?{HANDLE}|(?:{START})(?:please )?{HANDLE})"), conditional=True),
    Rule("rule", "rule", _(rf"(?P<value>(?:please )?\b(?:answer|reply|write|speak|talk)(?: to me)?(?: only)? in {NAME})")),
    Rule("rule", "rule", _(rf"(?:^|[,;:] ?|\bso |\band )(?P<value>(?:by )?[a-z]+ only(?= ?[,;]|$)|only (?!the\b|an?\b|in\b|on\b|one\b|two\b|when\b|if\b|for\b|about\b|kidding){REST}$)")),
    Rule("rule", "rule", _(r"(?P<value>^[^;]*\b(?:always|from now on|in future|usual|usually|normally|by default|whenever|every time)\b[^;]*)")),
    # where people and things are
    Rule("place", "home", _(rf"\bI(?:'m|’m| am)?(?: now| currently| still| actually)? (?:live|living|based|reside)(?: now)? (?:in|near|at) (?P<value>(?:the )?{NAME}|(?!a |an |the |my |this |that )[a-z]+(?=\s*(?:[,;]|$|now|and\b)))")),
    Rule("place", "home", _(rf"\bI(?:'ve|’ve| have| am|'m)?(?: just| recently)? mov(?:ed|ing)(?: house| back)? to (?P<value>{NAME})")),
    Rule("place", "origin", _(rf"\bI(?:'m|’m| am| come)(?: originally)? from (?P<value>{NAME})")),
    Rule("place", "lodging", _(rf"\b(?:my|our) (?:hotel|hostel|guest ?house|airbnb|apartment|accommodation|ryokan|inn|lodging|campsite)(?: is|'s|’s)(?: called)? (?P<value>{REST})")),
    Rule("place", "lodging", _(rf"\b(?:I|we)(?:'m|’m|'re| am| are|'ll be| will be)? stay(?:ing)? (?:at|in|near|close to) (?P<value>(?:the |an? )?(?:[a-z]+ )?{NAME})")),
    Rule("work", "job", _(r"\bI\b[^;]*?\bwork(?:ing)?(?: there| here| now)? as (?P<value>an? [a-z-]+(?: [a-z-]+){0,2})(?= in\b| at\b| for\b|[ ,;]*$|,)")),
    Rule("work", "job", _(rf"\bI(?:'m|’m| am)(?: now| also| still)? an? (?P<value>(?:[a-z-]+ ){{0,2}}{JOB})\b")),
    Rule("work", "job", _(rf"\bmy (?:new )?job is (?P<value>{REST})")),
    Rule("work", "employer", _(rf"\bI(?: now)? work (?:for|at) (?P<value>{NAME})")),
    # when and where things happen
    Rule("event", "when", _(rf"\b(?P<subject>(?:my|our|the) (?:[a-z]+ )?{EVENT})\b[^;]*?\b(?P<value>{DATE})\b")),
    Rule("event", "when", _(rf"\b(?P<subject>(?:my|our) [a-z]+(?: {NAME})?|{NAME}|he|she|they) (?:will|is|are|'s|turns|comes|visits|arrives|wants|plans|has|can|moved)\b(?! not)[^,;]*?\b(?P<value>{DATE})\b")),
    Rule("event", "time", _(rf"\b(?P<subject>(?:my|our|the) (?:[a-z]+ )?{EVENT})\b[^;]*?\b(?P<value>{CLOCK})(?! [a-z]+ (?:street|lane|road))")),
    Rule("event", "where", _(rf"\b(?P<subject>(?:my|our|the) (?:[a-z]+ )?{EVENT})\b[^;]*?\bin (?P<value>(?:meeting )?room [\w-]+)")),
    Rule("event", "where", _(rf"\b(?P<subject>(?:my|our|the) (?:[a-z]+ )?{EVENT})\b[^;]*?\b(?:at|in) (?P<value>(?:the )?{NAME})")),
    # what is somebody's
    Rule("detail", "favourite {what}", _(rf"\bmy favou?rite (?P<what>[a-z]+(?: [a-z]+)?) (?:is|are) (?P<value>{REST})")),
    Rule("detail", "favourite {what}", _(rf"\bthe (?P<what>[a-z]+) (?:that )?I (?:love|like|enjoy) (?:the )?(?:most|best) is (?P<value>{REST})")),
    Rule("detail", "is", _(rf"\b(?:my|our) (?:[a-z]+ )?(?P<subject>{REL}),?(?: {NAME},?)? (?P<value>(?:just |also |now |already |only )?(?:is|are|was|were|has|had|turned|got|moved|studied|cannot|can't|she|he|[a-z]{{2,}}s) (?!(?:them|it|that|called|named)\b){LINE})")),
    Rule("detail", "{attribute}", _(rf"\b(?:my|our) (?P<subject>(?!name\b|budget\b|favou?rite\b|job\b)[a-z]+(?: (?!is|are)[a-z]+)?) (?P<attribute>is|are|goe?s?|faces?|has|have|takes?|needs?|costs?|starts?|opens?) (?!(?:the|to|it|that|also|just) $)(?P<value>{REST})")),
    Rule("detail", "is", _(rf"\bmy (?P<subject>{REL})['’]s (?P<value>(?:[a-z]+ )*is {REST})")),
    Rule("detail", "is", _(rf"(?:^|[,;] |\band )(?P<subject>he|she) (?P<value>(?:just |also |now )?(?:is|was|has|turned|cannot|can't|[a-z]{{2,}}s) (?!(?:them|it|that|called|named|so)\b){LINE})")),
    Rule("detail", "problem", _(r"\b(?:the|my|our|your) (?P<subject>[a-z]+)\b[^,;]*?\b(?P<value>(?:has|is|came|arrived|was|does not|doesn't|won't) (?:an? )?(?:work|turn on|start|cracked|broken|damaged|torn|missing|faulty|scratched|bent|wrong|leaking|dead|defective|stained)\b[^,;]*)")),
    # plans, choices, wants, tastes
    Rule("plan", "plan", _(rf"(?P<value>^[^;]*\b(?:I|we|my|our|for the)\b[^;]*?\b{DATE}\b[^;]*)")),
    Rule("plan", "plan", _(rf"(?P<value>^[^;]*\b(?:I|we|my|our|for the)\b[^;]*?\b{DATE}\b)")),
    Rule("plan", "plan", _(rf"(?P<value>\b(?:I(?:'m|’m| am)|we(?:'re|’re| are)) (?:planning|going|travel+ing|flying|visiting|moving|heading|driving|expecting|getting married)\b(?! to (?:[a-z]+ )?(?:you|do|ask)\b){LINE})")),
    Rule("plan", "plan", _(rf"(?P<value>\b(?:I|we)(?:'ve|’ve| have)?(?: just| already)? (?:booked|reserved|rented) {LINE})")),
    Rule("choice", "choice", _(rf"\b(?P<value>(?:the )?{NAME}) (?:sounds|looks) (?:right|good|great|fine|perfect|lovely)")),
    Rule("trait", "about the user", _(rf"(?P<value>\bI(?:'m|’m| am)?(?: also| just| usually)? (?:drive|speak|play|study|studied|learn|learning|use|wear|ride|teach|run|take|took|paid|grew up|was born|graduated|suffer|practi[sc]e|scared of|afraid of|training|collect|weigh|sleep|swim|wake up|get up|go to bed|have (?:diabetes|asthma|a [a-z]+ condition)) (?!you\b|your\b|it\b|that\b){LINE})")),
    Rule("trait", "about the user", _(r"(?P<value>\b(?:I|we) [^,;]*\bevery (?:day|morning|evening|night|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b[^,;]*)")),
    Rule("trait", "about the user", _(rf"\bwith (?P<value>my {REL})\b")),
    Rule("number", "number given", _(r"^(?:it is |it's |sure,? |yes,? |here:? )?(?P<value>(?=[\w -]{4,14}$)(?=.*\d)[A-Z0-9][A-Z0-9-]*(?: [A-Z0-9-]+)*)$")),
    Rule("choice", "choice", _(rf"\b(?:I'll|I’ll|I will|let's|let’s|we'll|we will) (?:take|have|go with|book|choose|pick|buy|get) (?P<value>(?!a look|back|you|it\b|care)(?:the |an? )?{REST})")),
    Rule("choice", "choice", _(r"^(?:and |then |ok |yes )?(?P<value>the (?!same|answer|end)[a-z]+(?: (?!is\b|are\b|was\b|has\b|will\b|can\b)[a-z]+){0,2})(?:,? please)?$")),
    Rule("want", "wants", _(rf"\bI(?:(?: would|'d|’d)(?: rather| really)? (?:like|love|have|prefer)|(?: really| also| still)? (?:want|prefer|need)) (?P<value>(?!to\b|help|your|you\b|some help|advice){REST})")),
    Rule("want", "has", _(r"\bI(?: also| have)? (?:have|had|own|bought|ordered|chose|got) (?P<value>(?:the|an?|two|three|four|\d+) (?!question|problem|look|idea|feeling|bit|lot|few|moment|minute|note)[a-z]+(?: [a-z]+){0,2})")),
    Rule("like", "dislikes", _(rf"\bnot (?:really )?(?:a )?(?:big )?fan of (?P<value>{REST})")),
    Rule("like", "dislikes", _(rf"\bI (?:really )?(?:hate|dislike|can't stand|cannot stand|do not like|don't like|don’t like|loathe) (?P<value>(?!that\b|how\b){REST})")),
    Rule("like", "likes", _(rf"\bI (?:really |also |always )*(?:like|love|enjoy|adore) (?P<value>(?!that\b|how\b|you\b|your\b){REST})")),
)
