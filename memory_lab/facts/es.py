"""Spanish patterns for rules.py."""
# ruff: noqa: E501 - a pattern is read, compared and moved as one line

from __future__ import annotations

import re

from .rules import Rule

NAME = r"(?-i:[A-ZÁÉÍÓÚÑ][\wáéíóúñü'’-]+(?: (?:de |del |la )*[A-ZÁÉÍÓÚÑ][\wáéíóúñü'’-]+)*)"
W = r"[a-záéíóúñü]+"
MONTH = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre)"
DATE = (rf"(?:(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?: que viene)?|\d{{1,2}} de {MONTH}(?: de \d{{4}})?|(?:en )?{MONTH}|\d{{4}}-\d\d-\d\d"
        r"|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|primavera|verano|otoño|invierno|mañana|(?:la semana|el mes|el año) que viene)")
CLOCK = r"(?:a )?las? (?:\d{1,2}(?::\d\d)?|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b(?: y (?:media|cuarto))?"
DIGITS = r"\d[\d.,]*(?: ?(?:mil|millones))?"
WORDS = r"(?:(?:un|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|doscientos|trescientos|quinientos|mil)(?: (?:mil|y|cien|ciento|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|millones))*)"
UNIT = r"(?:euros?|libras?|dólares|yenes|pesos|soles|francos|eur|usd|€|\$)"
PER = rf"(?: por {W}| al (?:día|mes|año))?"
MONEY = rf"(?:[$€] ?{DIGITS}|(?:{DIGITS}|{WORDS}) ?(?:de )?{UNIT}){PER}"
CODE = r"#?(?=[\w/-]*\d)[A-Za-z0-9][\w/-]+(?: \d[\d-]*)*"
REL = (r"(?:esposa|esposo|mujer|marido|pareja|novi[oa]|hij[oa]s?|niñ[oa]|bebé|herman[oa]|madre|mamá|padre|papá|padres|tí[oa]|prim[oa]|sobrin[oa]"
       r"|abuel[oa]|niet[oa]|amig[oa]|compañer[oa]|jef[ea]|médic[oa]|vecin[oa]|casero|perr[oa]|gat[oa]|mascota)")
EVENT = (r"(?:cena|comida|almuerzo|desayuno|fiesta|boda|reunión|cita|entrevista|examen|vuelo|viaje|concierto|cumpleaños|aniversario|entrega|mudanza"
         r"|operación|visita|clase|curso|reserva|vacaciones)")
JOB = (r"(?:enfermer[oa]|maestr[oa]|profesora?|médic[oa]|abogad[oa]|ingenier[oa]|cociner[oa]|camarer[oa]|arquitect[oa]|estudiante|traductora?|\w+ista"
       r"|diseñadora?|escritora?|contable|conductora?|programadora?|investigadora?|panader[oa]|carpinter[oa]|bombero|policía|fotógraf[oa])")
REST, LINE = r"[^,;:()\n]+", r"[^;()\n]+"
START = r"(?:^|(?<=[,;:])|(?<=[,;:] )|(?<=\by )|(?<=\bpero )|(?<=\btambién )|(?<=\bpor favor )|(?<=\bprimero ))"
IMPERATIVE = rf"(?:(?:me|nos|le|les|lo|la) )?(?!(?:tengo|quiero|puedo|sé|soy|estoy|como|bebo|hay|es|está|son|tiene|me|importa|pasa|recuerdo|creo|conozco|vivo)\b){W}(?:en|an|es|as|e|a)(?:me|nos|lo|la|le|les)?"

OWN = re.compile(r"^(?:mis?|nuestr[oa]s?|el|la|los|las|un|una)\s+|(?-i:\s+[A-ZÁÉÍÓÚÑ][\wáéíóúñ'’-]+)+$", re.I)
PRONOUNS = {"él", "ella", "ellos", "ellas"}
EMPTY = {"lo", "la", "eso", "esto", "ese", "esa", "uno", "una", "nada", "el", "que", "me", "no", "los", "las"}
ARTICLE = re.compile(r"^(?:el|la|los|las|un|una|mi|mis|lo de|lo del)\s+|\s+por favor$", re.I)
LIST = re.compile(r",\s*(?:y |o |ni )?|\s+(?:y|e|o|ni)\s+(?:a |al )?", re.I)
ITEM = re.compile(r"(?!(?:yo|por favor|así|pero|que|mi|puede|es|también)\b)[\w'’áéíóúñ-]+(?: (?!por favor|así|pero)[\w'’áéíóúñ-]+){0,3}", re.I)
TAIL = re.compile(r",? (?:por favor|ahora|gracias|también|ya)$", re.I)
ONCE = re.compile(r"\b(?:(?:solo|sólo|solamente|únicamente) (?:por )?(?:esta|esa) (?:vez|ocasión)|(?:por )?esta (?:única )?vez|por una vez|solo por hoy|excepcionalmente"
                  r"|(?:solo|sólo|solamente) (?:por|para) (?:esta?|hoy)\b)", re.I)
CORRECTS = re.compile(r"^(?:(?:perdón|espera|espere|no|digo|en realidad|corrección)[,.:]? ?)+(?:es |son |quise decir |mejor )?(?P<value>(?:el|la|las?|los|a las?) [^,;]+|[^,;]*\d[^,;]*)$", re.I)
USUAL = re.compile(r"\b(?:normalmente|siempre|habitual(?:mente)?|de costumbre|por defecto)\b", re.I)


def label(text: str) -> str:
    """A short name for an attribute, without articles and "my"."""
    return re.sub(r"\b(?:mis?|el|la|nuestr[oa]|nuev[oa])\b\s*", "", text).strip()


def _(pattern: str) -> re.Pattern:
    return re.compile(pattern, re.IGNORECASE)


ARE = r"(?: ahora| en realidad| ya)?(?: es| era| será|:| son| está en)(?: ahora| en realidad)?(?: de)?"
RULES = (
    # take back
    Rule("", "allergy", _(r"\b(?:ya no soy|no soy) alérgic[oa] (?:a l[oa]s? |al? )(?P<value>[^,;.]+)"), retract=True, about="user"),
    Rule("", "home", _(rf"\bya no vivo en (?P<value>{NAME})"), retract=True, about="user"),
    Rule("", "when", _(rf"\b(?P<subject>{NAME}|él|ella|mi {W}) (?:al final |ya )?no (?:viene|vendrá|llega|va a venir|puede)[^,;]*?\b(?P<value>{DATE})\b"), retract=True),
    Rule("", "", _(rf"{START}(?<!no )(?:olvid[ae]n?|olvídense|olvídate|olvídese) (?:de )?(?:lo que (?:dije|te dije|les dije) (?:de|sobre) )?(?P<value>[^,;]+)"), retract=True),
    Rule("", "", _(r"\b(?:ya )?(?:pueden?|puedes) (?:volver a )?(?P<value>[a-záéíóúñ]+?)(?:me|nos)? (?:de nuevo|otra vez|ya)"), retract=True),
    Rule("cancelled", "", _(rf"(?:{START}|\bquiero )(?:cancel(?:ar?|en?|o|é)|an[uú]l(?:ar?|en?)) (?:la |el |mi )?(?P<value>{REST})"),
         retract=True, keep=("identifier", "name", "place", "work")),
    # names
    Rule("name", "name", _(rf"\b(?:me llamo|mi nombre{ARE}|llámame|llámenme) [\"“«]?(?P<value>{NAME}|{W}(?=\s*(?:[,;]|$|y\b)))")),
    Rule("name", "name", _(rf"(?:^|[,;:] ?|\b(?:y|hola|días|tardes|noches),? )soy (?P<value>(?:(?:el|la) (?:señora?|doctora?) )?{NAME})(?=\s*(?:[,;]|$|y\b|de\b))")),
    Rule("name", "name", _(rf"\b(?:mi|nuestr[oa]) (?P<subject>{W})(?: en realidad)? se llama(?: en realidad)? (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\bel nombre de mi (?P<subject>{W}){ARE} (?P<value>{NAME})")),
    Rule("name", "name", _(rf"\b(?:mi|nuestr[oa]|a la|al) (?P<subject>{REL}),? (?P<value>{NAME})")),
    Rule("name", "name", _(rf"(?:^|[,;] )se llama (?P<value>{NAME})(?P<subject>)")),
    # numbers with a label, and where to reach somebody
    Rule("identifier", "email", _(r"\b(?:mi|me|es|prefiero)\b.{0,60}?(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")),
    Rule("identifier", "phone number", _(rf"\bmi (?:número de )?(?:teléfono|móvil|celular)(?: nuevo)?{ARE} (?:el )?(?P<value>\+?\(?\d[\d ()./-]{{4,}}\d)")),
    Rule("identifier", "{what}", _(rf"\b(?P<what>(?:número|código|referencia|pin|clave|contraseña|pedido)(?: (?:de|del) (?:la |el |mi )?{W})?){ARE} (?:el |la )?(?P<value>{CODE})")),
    Rule("identifier", "número de {what}", _(rf"\b(?:mi|el|del|nuestr[oa]) (?P<what>pedido|reserva|factura|vuelo|tren|habitación|cuenta|póliza)(?: (?:número|n\.?º|es(?: el)?))? (?P<value>{CODE})")),
    Rule("identifier", "number ending", _(r"\b(?:termina|acaba|terminada|acabada) en (?P<value>\d{2,6})")),
    Rule("identifier", "address", _(rf"\bmi (?:nueva )?dirección(?: de (?:envío|casa|entrega))?{ARE} (?P<value>(?!correo){LINE})")),
    Rule("identifier", "delivery address", _(r"\b(?:env[ií]\w+|mand\w+|entreg\w+)\b[^;]*?(?: a|:) (?P<value>(?:la )?(?:calle|avenida|av\.|plaza|paseo|c/)[^;]+)")),
    # money
    Rule("budget", "budget", _(rf"(?:(?=.*?\bpresupuesto (?:de|del|para) (?:el |la |mi |un |una )?(?P<topic>(?!mil\b)[a-záéíóúñ]+)\b)|(?=.*?\b(?:comprar|busco|ahorr\w+ para) (?:un|una|el|la) (?P<subject>{W}))|)^.*?\bpresupuesto\b[^;]*?(?P<value>{MONEY}|{DIGITS})")),
    Rule("budget", "budget", _(rf"\b(?:puedo|podemos|pueden|puede|quiero) (?:gastar|pagar)(?:me|se)?[^;,\d]*?(?P<value>{MONEY}|{DIGITS})(?:[^;,]*? en (?P<subject>(?:el|la|mi) {W}))?")),
    Rule("budget", "budget", _(rf"\b(?:como máximo|a lo sumo|no más de|hasta) (?P<value>{MONEY})")),
    # health
    Rule("allergy", "allergy", _(rf"\b(?:soy|mi (?P<subject>{W}) es)(?: muy| también)? alérgic[oa]s? (?:a l[oa]s? |al? )(?P<value>{LINE})"), listed=True),
    Rule("allergy", "allergy", _(rf"\btengo alergia (?:a l[oa]s? |al? )(?P<value>{LINE})"), listed=True),
    Rule("allergy", "diet", _(r"\bsoy (?P<value>vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa]|intolerante [^,;]+)")),
    Rule("allergy", "does not take", _(rf"(?:^|[,;] ?|\byo )no (?:puedo )?(?:como|bebo|tomo|comer|beber|tomar) (?:nada con )?(?P<value>{LINE})"), listed=True),
    Rule("allergy", "gets sick", _(rf"\bme mareo (?P<value>(?:en|con|cuando) {REST})")),
    # prohibitions, in the user's whole words
    Rule("prohibition", "rule", _(rf"{START}(?P<value>(?:por favor,? )?(?:no|nunca|jamás) (?!se preocup|te preocup|olvid|pasa\b|importa\b|hace\b|hay\b|era\b|fue\b|voy\b|vas\b|va\b|iba\b|ten\w+ prisa){IMPERATIVE}\b{LINE}|(?:no|nunca) {IMPERATIVE}$)"), conditional=True),
    Rule("prohibition", "rule", _(rf"(?P<value>\b(?:no|nunca) (?:deben?|debes|pueden?|puedes) {LINE})"), conditional=True),
    Rule("prohibition", "rule", _(rf"(?P<value>\b(?:nadie|en ningún caso) {LINE})"), conditional=True),
    Rule("prohibition", "rule", _(rf"(?P<value>\b(?:ya )?no quiero (?!que me\b|ser\b){REST})")),
    Rule("prohibition", "rule", _(rf"^(?P<value>(?:el|la|los|las) {W} no)(?:,? por favor)?$")),
    Rule("prohibition", "rule", _(rf"^(?:y )?(?P<value>(?:nada de|sin) {W}(?: ni {W})?)(?:,? por favor)?$")),
    Rule("prohibition", "rule", _(rf"(?P<value>(?:^|\bquiero |\bnecesito )(?:(?!\b(?:salí|fui|vivo|estoy|fue|era)\b)[^;()\n])*\bsin (?:ningún |ninguna )?{W})")),
    # standing wishes and habits
    Rule("rule", "rule", _(rf"(?P<value>(?:^si [^;]*?, )?\b(?:dej(?:e|en|a|ad)(?:l[oa]s?)?|entreg(?:ue|uen|a)(?:l[oa]s?)?)\b[^;]*? (?:a|al|con|en|detrás) {LINE})"), conditional=True),
    Rule("rule", "rule", _(rf"(?P<value>\b(?:responde|respóndeme|responda|respóndanme|escribe|escríbeme|habla|háblame)(?: siempre)? (?:en|con) {W})")),
    Rule("rule", "rule", _(rf"(?:^|[,;:] ?)(?P<value>(?:solo|sólo|solamente|únicamente) (?:por )?(?!el\b|la\b|los\b|las\b|una?\b|quería|dos\b|cuando\b|si\b|para\b){REST})$")),
    Rule("rule", "rule", _(r"(?P<value>^[^;]*\b(?:siempre|a partir de ahora|normalmente|habitualmente|por costumbre|cada vez)\b[^;]*)")),
    # where people and things are
    Rule("place", "home", _(rf"\b(?:vivo|resido)(?: ahora| actualmente)? en (?P<value>{NAME}|{W}(?=\s*(?:[,;]|$|y\b)))")),
    Rule("place", "home", _(rf"\b(?:me (?:he mudado|mudé|mudo|he trasladado|trasladé)|nos (?:mudamos|hemos mudado)) a (?P<value>{NAME})")),
    Rule("place", "origin", _(rf"\b(?:soy de|vengo de) (?P<value>{NAME})")),
    Rule("place", "lodging", _(rf"\b(?:mi|nuestro) (?:hotel|hostal|apartamento|alojamiento|albergue)(?: se llama| es| está)(?: en)? (?P<value>{REST})")),
    Rule("place", "lodging", _(r"\b(?:me alojo|me hospedo|nos alojamos|me quedo|estoy alojad[oa]) (?:en|cerca de) (?P<value>[^,;]+)")),
    Rule("work", "job", _(rf"\btrabajo(?: allí| aquí| ahora)? (?:de|como) (?P<value>{W}(?: {W})?)")),
    Rule("work", "job", _(rf"\bsoy (?:un |una )?(?P<value>{JOB}(?: (?!y\b|en\b|de\b){W})?)")),
    Rule("work", "employer", _(rf"\btrabajo (?:en|para) (?P<value>{NAME})")),
    # when and where things happen
    Rule("event", "when", _(rf"\b(?P<subject>(?:mi|nuestr[oa]|el|la) {EVENT})\b[^;]*?\b(?P<value>{DATE})\b")),
    Rule("event", "when", _(rf"\b(?P<subject>mi {REL}(?: {NAME})?|{NAME}|él|ella) (?!no\b)(?:viene|vendrá|llega|cumple|me visita|va|irá|regresa|vuelve)[^,;]*?\b(?P<value>{DATE})\b")),
    Rule("event", "time", _(rf"\b(?P<subject>(?:mi|nuestr[oa]|el|la) {EVENT})\b[^;]*?\b(?P<value>{CLOCK})")),
    Rule("event", "where", _(rf"\b(?P<subject>(?:mi|nuestr[oa]|el|la) {EVENT})\b[^;]*?\ben (?P<value>(?:la |el )?(?:sala|aula) [\w-]+)")),
    Rule("event", "where", _(rf"\b(?P<subject>(?:mi|nuestr[oa]|el|la) {EVENT})\b[^;]*?\ben (?P<value>(?:el |la )?{NAME})")),
    # what is somebody's
    Rule("detail", "favourite {what}", _(rf"\bmi (?P<what>{W}) (?:favorit[oa]|preferid[oa]) es (?P<value>{REST})")),
    Rule("detail", "favourite {what}", _(rf"\b(?:el|la) (?P<what>{W}) que más me gusta es (?P<value>{REST})")),
    Rule("detail", "is", _(rf"\bmi (?P<subject>{REL}),?(?: {NAME},?)? (?P<value>(?:ya |también |ahora |acaba de )?(?:es|está|no puede|nació|estudió|acaba|cumplir|[a-zí]{{2,}}[ae]) {LINE})")),
    Rule("detail", "{attribute}", _(rf"\b(?:mis?|nuestr[oa]s?) (?P<subject>(?!nombre\b|presupuesto\b){W}(?: (?!es\b|está\b|son\b|va\b|van\b){W})?) (?P<attribute>es|son|está|están|va|van|tiene|tienen|cuesta|llega|da) (?P<value>{REST})")),
    Rule("detail", "problem", _(rf"\b(?:el|la|mi) (?P<subject>{W})\b[^,;]*?\b(?P<value>(?:está|llegó|vino|tiene|es) (?:un |una )?(?:rot[oa]|roto|dañad[oa]|grieta|defectuos[oa]|rajad[oa]|equivocad[oa])\b[^,;]*)")),
    # plans, choices, wants, tastes
    Rule("plan", "plan", _(rf"(?P<value>^[^;]*\b(?:voy|vamos|necesito|quiero|salgo|salimos|viaj\w+|llego|llegamos|vuelvo|volvemos|tengo|tenemos|mi|me|nos|nuestr[oa])\b[^;]*?\b{DATE}\b[^;]*)")),
    Rule("plan", "plan", _(rf"(?P<value>^[^;]*\b(?:voy|vamos|necesito|quiero|salgo|salimos|viaj\w+|llego|llegamos|vuelvo|volvemos|tengo|tenemos|mi|me|nos|nuestr[oa])\b[^;]*?\b{DATE}\b)")),
    Rule("plan", "plan", _(rf"(?P<value>\b(?:estoy|estamos) (?:preparando|planeando|organizando|buscando) {LINE})")),
    Rule("plan", "plan", _(rf"(?P<value>\b(?:he|hemos) (?:reservado|alquilado) {LINE})")),
    Rule("plan", "plan", _(rf"(?P<value>\bvendrán {LINE})")),
    Rule("trait", "about the user", _(rf"(?P<value>\b(?:conduzco|hablo|toco|estudio|estudié|uso|llevo|corro|tomo|pagué|nací|crecí|peso|me levanto|me acuesto|hago|practico|me dan? miedo|estoy aprendiendo|tengo (?:diabetes|asma|miedo)|juego|colecciono) {LINE})")),
    Rule("trait", "about the user", _(rf"(?P<value>\b(?:voy|me|hago|juego|nado|corro)\b[^,;]*\b(?:todos los|todas las|cada) {W}[^,;]*)")),
    Rule("trait", "about the user", _(rf"\bcon (?P<value>mi {REL})\b")),
    Rule("number", "number given", _(r"^(?:es |sí,? |claro,? )?(?P<value>(?=[\w -]{4,14}$)(?=.*\d)[A-Z0-9][A-Z0-9-]*(?: [A-Z0-9-]+)*)$")),
    Rule("choice", "choice", _(rf"^(?:y |entonces )?(?P<value>(?:el|la|los|las) (?!mism[oa]\b){W}(?: (?!es\b|está\b|son\b|tiene\b|va\b|no\b){W}){{0,2}})(?:,? por favor)?$")),
    Rule("choice", "choice", _(rf"\b(?:me quedo con|prefiero|elijo|tomo|reservo) (?P<value>{REST})")),
    Rule("want", "wants", _(rf"\b(?:quiero|quisiera|me gustaría|necesito) (?P<value>(?!que\b|saber\b|ayuda\b|\w+[aei]r(?:me|lo|la)?\b)(?:un|una|el|la|los|las|\d+)?{REST})")),
    Rule("like", "dislikes", _(rf"\bno me gustan? (?:nada )?(?P<value>{REST})")),
    Rule("like", "likes", _(rf"(?<!no )(?<!más )\bme (?:gustan?|encantan?) (?:mucho |más )?(?P<value>(?!que\b|es\b){REST})")),
)
