"""Words that say nothing of what a question is about: never a content word (STOP), or hardly one (LIGHT)."""

from __future__ import annotations

STOP = {
    "en": frozenset("""a an the this that these those there here it its itself he she they them his her hers their theirs i me my mine
        myself you your yours yourself we us our ours is am are was were be been being isn’t wasn’t aren’t do does did done doing
        has had having have i’m i’ve i’d i’ll you’re you’ve you’d we’re we’ve it’s what’s that’s who’s where’s let’s there’s he’s she’s what which who whom whose
        when where why how if whether or and but nor so yet to of in on at by for with about into through during from up down out over
        under as than then too very just only also again once both each few more most other some such own same can could will would
        shall may might ought please remind remember recall tell told say said says know knew known mention mentioned ok okay
        well oh hi hello hey thanks thank yes any anything something everything all now currently ly still actually really exactly instead
        right already ever one ones thing stuff d ll s t ve re m because while until since upon let give gave given earlier previously
        moment  bit little lot talk talked talking chat conversation noted share shared don’t_ didn’t doesn’t_ would’ve could’ve
        speak asked ask question answer sure course sorry though although however anyway maybe perhaps quite think thought guess
        suppose believe gonna wanna going use uses information info detail details be is’nt whats im ive dont_ hadn’t hasn’t haven’t inform state stated
        specify specified describe described according discuss discussed discussing quick quickly much many""".split()),
    "es": frozenset("""el la los las un una unos unas de del al a ante con contra desde en entre hacia para por segun sin sobre tras que
        quien quienes cual cuales cuando donde adonde como cuanto cuanta cuantos cuantas y o u e ni pero mas si no_ mi mis tu tus su sus me te se nos
        lo le les yo el ella ellos ellas nosotros usted ustedes este esta esto estos estas ese esa eso esos esas aquel aquella es son soy eres era
        eran fue fui ser sido sea estar esta esto estoy estan estaba estas he ha has han hemos habia haber hay muy ya tambien tan solo
        asi porque pues entonces luego ahora aun todavia mismo misma dije dijiste dicho decir dime di recuerdame recuerdas recordar
        acuerdas acuerda repite mencione mencionado conte contado comente sabes saber sabe favor hola gracias bueno vale claro algo nada
        todo toda todos todas cada otro otra otros otras puedes podrias puede podria pueden a_ exactamente actualmente momento
        cosa cosas uno eras d mio mia mios tuyo suyo tal hacer hago hace haces hice hizo voy vas va vamos ir actual pregunta
        respuesta dices digas digo aqui alli ahi antes_ tengo_ tendre tenia tenian estare sera seran indique indicado unas fuese parte oye perdona refresca memoria cierto
        conversacion hablamos hablado comentado comente informacion dato datos detalle detalles hablar_ acaso""".split()),
    "zh": tuple(sorted("""的 了 吗 呢 吧 啊 呀 我 你 您 他 她 它 我们 你们 他们 是 在 有 和 与 跟 也 都 就 还 很 把 被 让 给 对 从 向 往 为 以 及 或 或者 但 但是
        而 而且 所以 因为 如果 的话 这 那 这个 那个 这些 那些 什么 甚么 啥 哪 哪个 哪些 哪里 哪儿 哪家 哪种 哪一 哪一个 哪一种 哪位 谁 怎么 怎样 怎么样 如何 为什么 多少 几 几个 一个 一 个
        请 请问 告诉 告诉我 记得 还记得 记不记得 提醒 提醒我 说 说过 刚才 之前 刚刚 提到 提过 提及 讲过 知道 一下 现在 目前 当前 到底 究竟 会 能 可以 应该 要 需要 想 得 不会 嗯 哦 好 好的 谢谢 你好
        过 着 地 之 其 其实 自己 我的 你的 时 里 上 中 下 些 种 位 件 家 只 台 部 条 次 用 呐 嘛 是不是 有没有 是否 再 又 才 最近 平时 一般 通常 具体 大概 关于 样 叫什么 叫甚么
        什么时候 何时 何处 什么地方 哪天 哪一天 几点 几号 多大 多久 多长 来着 麻烦 能不能 可不可以 信息 事情 事 说的 曾 曾经 对吧 没错 那么 就是 跟我 和我 对我 为我 给我 帮我 替我 我是 你说 我说
        被 该 由 于 至 到 将 已 已经 正在 正 没 没有 来 一些 一点 有点 比较 非常 真的 特别 最 本 这次 一共 总共 问 问题 回答 所 另 另外 请你""".split(), key=lambda word: -len(word))),
}

LIGHT = {
    "en": frozenset("""get got getting take taking need want wanted kind sort type use using go going went gone make made making
        plan planning planned particular should topic best most favorite_ special certain specific item way come supposed have normally usual usually
        typically work_ happen turn set put find look looking try keep first new current latest set-up person people someone place main
        prefer_ whole total able must practise practice receive received arrive got one two three four five six seven eight nine ten eleven twelve call_ regular regularly ultimately final finally agreed do other actual""".split()),
    "es": frozenset("""tener tengo tiene tienes tenemos querer quiero quiere quieres necesito necesita necesitas tipo clase forma modo usar uso
        poner pongo quedar nuevo nueva actual especial concreto concreta determinado debo debe deberia debes persona gente lugar
        gustaria normalmente suelo sueles habitual suele hacerlo llevar llevo lleva llevas primero ultimo ultima final dos tres cuatro cinco seis siete ocho nueve diez once doce media mil tomar practico practicas recibi recibir recibido elegir suelen mejor forma ponerse ponerte pongan llevas ira iran vendra vendran deben debes conmigo contigo""".split()),
    "zh": frozenset("需要 想要 打算 类型 使用 东西 新 做 用 计划 安排 特别 第一 最新 去 走 玩 到 人 喜欢的 方式 时候 时间点 地方 具体 能 可以 应该 必须 最后 最终".split()),
}

NEGATORS = {
    "en": frozenset("not never no don’t doesn’t didn’t can’t cannot won’t isn’t aren’t wasn’t shouldn’t mustn’t couldn’t wouldn’t "
                    "dont cant without neither nor hardly".split()),
    "es": frozenset("no nunca jamas tampoco sin ni".split()),
    "zh": frozenset("不 没 别 未 勿".split()),
}
# A negator turns the first concept into the second when the word follows within a few words.
NEGATED = {"like": "dislike", "eat": "cannot_eat", "diet": "cannot_eat", "food": "cannot_eat", "drink": "avoid", "reaction": "reaction"}
