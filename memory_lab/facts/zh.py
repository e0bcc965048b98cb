"""Chinese patterns for rules.py, for traditional and simplified characters."""
# ruff: noqa: E501 - a pattern is read, compared and moved as one line

from __future__ import annotations

import re

from .rules import Rule

NAME = r"(?:[\u3400-\u9fff·]{2,4}|[A-Za-z][\w'-]+(?: [A-Z][\w'-]+)*)"
BRIEF = r"(?:[\u3400-\u9fff·]{2,4}?|[A-Za-z][\w'-]+(?: [A-Z][\w'-]+)*)"
NICK = r"(?:[阿小老][\u3400-\u9fff]{1,2}?|[A-Z][\w'-]+)"
HAN_DIGIT = "[一二兩两三四五六七八九十百千萬万零〇]"
DAY = (rf"(?:(?:下|這|这|本)?(?:個|个)?(?:星期|禮拜|礼拜|週|周)[一二三四五六日天]|(?:\d{{1,2}}|{HAN_DIGIT}{{1,3}})月(?:份|底|初|(?:\d{{1,2}}|{HAN_DIGIT}{{1,3}})[日號号])?"
       r"|(?:今年|明年|去年)?[春夏秋冬](?:天|季)|明天|後天|后天|下(?:個|个)?月|明年|下(?:週|周)|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})")
CLOCK = rf"(?:早上|上午|中午|下午|晚上)?(?:\d{{1,2}}(?::\d\d)?|{HAN_DIGIT}{{1,3}})(?:點|点)半?"
AMOUNT = rf"(?:\d[\d,.]*(?: ?[千萬万])?|{HAN_DIGIT}+) ?(?:多)?(?:元|塊錢|块钱|塊|块|日圓|日圆|日元|日幣|美元|美金|歐元|欧元|英鎊|英镑|人民幣|人民币|台幣|台币|円|圓|圆)"
CODE = r"#?(?=[\w/-]*\d)[A-Za-z0-9][\w/-]+(?: \d[\d-]*)*"
REL = (r"(?:太太|妻子|老婆|先生|丈夫|老公|男朋友|女朋友|男友|女友|兒子|儿子|女兒|女儿|孩子|小孩|寶寶|宝宝|妹妹|姐姐|姊姊|哥哥|弟弟|媽媽|妈妈|母親|母亲|爸爸|父親|父亲"
       r"|爺爺|爷爷|奶奶|外公|外婆|叔叔|阿姨|姑姑|舅舅|表哥|表姐|表弟|表妹|堂哥|堂姐|同事|同學|同学|朋友|室友|老闆|老板|主管|醫生|医生|老師|老师|鄰居|邻居|狗|貓|猫|寵物|宠物)")
EVENT = (r"(?:聚餐|晚餐|午餐|早餐|聚會|聚会|派對|派对|婚禮|婚礼|會議|会议|開會|开会|約會|约会|面試|面试|考試|考试|航班|班機|旅行|旅遊|旅游|演唱會|演唱会"
         r"|生日|手術|手术|看診|看诊|課程|课程|預約|预约|訂位|订位|入住|退房|截止日期?|期限)")
JOB = (r"[\u3400-\u9fffA-Za-z]{0,5}?(?:工程師|工程师|[教老律醫厨廚技設设會会藥药][師师计計]|師|师|員|员|編輯|编辑|記者|记者|醫生|医生|護士|护士|作家|畫家|画家|學生|学生"
       r"|策展人|經理|经理|助理|主管|司機|司机|教練|教练|翻譯|翻译|顧問|顾问)")
REST, LINE = r"[^，,。；;：:！!\n]+", r"[^。；;！!\n]+"
START = r"(?:^|[，,：:] ?|請|请)"

OWN = re.compile(r"^(?:我們|我们|我|咱們|咱们)?的?")
PRONOUNS = {"他", "她", "它", "他們", "她們"}
EMPTY = {"了", "的", "這個", "这个", "那個", "那个", "它", "這", "那", "是", "什麼"}
ARTICLE = re.compile(r"(?<=.)的$|了$")
LIST = re.compile(r"[、，,]|以及|(?<=.)[和與与跟及](?=.)")
ITEM = re.compile(r"(?!請|请|所以|但|可以|我|你|麻煩)[^，。]{1,12}")
TAIL = re.compile(r"(?<=..)(?:了|吧|喔|哦|啦|謝謝|谢谢)$")
ONCE = re.compile(r"(?:只有|就|只|僅|仅)[限這这]?(?:這|这|此)?一?次(?:就好|而已)?|下不為例|下不为例|(?:這|这)次(?:破例|例外)|(?:這|这)一?次(?=先|就|請|请|用|改|可以)")
CORRECTS = re.compile(r"(?:^|，)(?:等等|不對|不对|更正|說錯了|说错了)[，,：:]?(?:應該|应该)?是(?P<value>[^，。]+?)(?:才對|才对)?$")
USUAL = re.compile(r"平常|平時|平时|通常|一般|總是|总是|原本")


def label(text: str) -> str:
    """The attribute as it is: Chinese has no articles to drop."""
    return text


_ = re.compile
RULES = (
    # take back
    Rule("", "allergy", _(r"(?:不再|已經不|已经不)(?:會|会)?[對对](?P<value>[^，。]+?)(?:過敏|过敏)"), retract=True, about="user"),
    Rule("", "allergy", _(r"[對对](?P<value>[^，。]+?)(?:已經|已经)?(?:不再|不)(?:會|会)?(?:過敏|过敏)"), retract=True, about="user"),
    Rule("", "when", _(rf"(?P<subject>{NAME}?|他|她)(?P<value>{DAY})(?:不|沒辦法|没办法|不能)(?:來|来|去|到|回)"), retract=True),
    Rule("", "", _(rf"{START}(?:不要|別要)(?!再)(?P<value>[^，。；]{{1,8}}?)了(?=$|[，。])"), retract=True),
    Rule("", "", _(r"(?:忘掉|忘了|忘記|忘记|別管|别管)(?:我)?(?:剛才|刚才|之前)?(?:說過?的|说过?的)?(?:關於|关于)?(?P<value>[^，。；]+)"), retract=True),
    Rule("", "", _(r"(?:可以|能)再?(?P<value>[^，。]{2,8}?)(?:我)?了$"), retract=True),
    Rule("cancelled", "", _(rf"(?<!不)(?:取消|退訂|退订)(?:了)?(?P<value>{REST})"), retract=True, keep=("identifier", "name", "place", "work")),
    # names
    Rule("name", "name", _(rf"(?:我叫|我的名字(?:其實|其实)?(?:是|叫)|(?<![\u3400-\u9fff])叫我)(?:做)?(?P<value>{BRIEF})(?=$|[，,、]|吧|就好|就行|，)")),
    Rule("name", "name", _(rf"(?:^|[，,])我是(?P<value>{NICK})(?=$|[，,])")),
    Rule("name", "name", _(rf"(?:我的?|^|[，,])(?P<subject>{REL})(?:的名字)?(?:其實|其实)?(?:名叫|叫做|叫作|叫|(?<=名字)是|(?<=其實)是|(?<=其实)是)(?P<value>{BRIEF})(?=$|[，,、]|今年|現在|现在)")),
    Rule("name", "name", _(rf"我的?(?P<subject>{REL})(?P<value>{NICK})(?=住|在|也|要|會|会|喜|花|說|说|今年|明天|做|是|有)")),
    # numbers with a label
    Rule("identifier", "email", _(r"(?P<value>[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")),
    Rule("identifier", "phone number", _(r"(?:電話|手機|电话|手机)(?:號碼|号码)?(?:改|換|换)?[是為为成：: ]*(?P<value>\+?\d[\d -]{5,}\d)")),
    Rule("identifier", "{what}", _(rf"(?P<what>(?:訂單|订单|護照|护照|會員|会员|客戶|客户|訂位|订位|預約|预约|車牌|帳號|账号|航班|房間|房间|門|门|身分證|身份证|卡|追蹤|(?:無線|无线)?(?:網路|网路|网络)|wifi|[Ww]i-?[Ff]i)(?:的)?(?:號碼|号码|編號|编号|代碼|代码|密碼|密码|號|号)?)(?:其實|其实)?(?:改|換|换)?[是為为成：: ]*(?P<value>{CODE})")),
    Rule("identifier", "number ending", _(r"(?:末|尾|後|后)(?:四碼|四码|碼|码|號|号|數|数)?(?:四位)?[是為为： ]*(?P<value>\d{2,6})")),
    Rule("identifier", "address", _(rf"(?:我|我家|公司|寄送|收件)?的?(?:新)?地址(?:其實|其实)?(?:改|換|换)?(?:是|為|为|成|在|：|:)(?P<value>{LINE})")),
    Rule("identifier", "delivery address", _(r"(?:寄到|寄去|送到|送去)(?P<value>[^，。]*\d+[號号][^，。]*)")),
    # money
    Rule("budget", "budget", _(rf"(?:[買买](?:一)?[台臺個个件輛辆部支張张間间]?(?P<topic>[\u3400-\u9fff]{{1,4}}?)，[^。]*)?(?:(?P<subject>[\u3400-\u9fff]{{2}})的)?(?:預算|预算)[^。；]*?(?P<value>{AMOUNT})")),
    Rule("budget", "budget", _(rf"(?:最多|頂多|顶多|不超過|不超过|至多)(?:只)?(?:能|可以|可|想)?(?:花|付|用|出)?(?P<value>{AMOUNT})")),
    # health
    Rule("allergy", "allergy", _(rf"(?:我的?(?P<subject>{REL})|我)?(?:也|還|还)?[對对](?P<value>[^，。；]+?)(?:嚴重|严重|會|会|很|也|非常)*(?:過敏|过敏)"), listed=True),
    Rule("allergy", "does not take", _(rf"(?:我的?(?P<subject>{REL})|我)(?:完全|從來|从来|都)?(?:不能|不可以|不|從不|从不|沒辦法|没法)(?:吃|喝|碰)(?P<value>[^，。；]+)"), listed=True),
    Rule("allergy", "diet", _(r"我(?:是|都)?(?P<value>全?素食者?|吃?全素|吃素|奶素|蛋奶素|純素|纯素)")),
    Rule("allergy", "gets sick", _(r"我(?P<value>(?:會|会)?暈[車船機]|(?:會|会)?晕[车船机]|坐[^，。]{1,4}(?:會|会)(?:吐|暈|晕|不舒服))")),
    # prohibitions, in the user's whole words
    Rule("prohibition", "rule", _(rf"{START}(?P<value>(?:絕對|绝对|千萬|千万|一定|拜託|麻煩|請|请|你們|你们|也|都|以後|以后)*(?:不要|不准|不可以|不得|禁止|勿|別|别)(?!擔心|担心|客氣|客气|緊|紧|忘|的|人|[^，。再]{{0,8}}了(?:$|[，。])){LINE})"), conditional=True),
    Rule("prohibition", "rule", _(rf"(?P<value>我(?:絕對|绝对)?(?:不想要|不要|不希望|拒絕|拒绝){REST})")),
    Rule("prohibition", "rule", _(rf"(?P<value>^[^，。]*(?:不要|別|别|勿)(?:打|吵|叫|按|寄|放|給|给){LINE})"), conditional=True),
    # standing wishes and habits
    Rule("rule", "rule", _(rf"{START}(?P<value>(?:把)?[^，。]*(?:放在|交給|交给|留給|留给|寄到|送到){LINE})"), conditional=True),
    Rule("rule", "rule", _(r"(?P<value>(?:(?<=^)|(?<=，))[^，。]*(?:(?:寄|傳|传|用|寫|写)[^，。]*就好|一律|總是|总是|以後都|以后都|從現在起|从现在起|平常|平時|平时|通常|永遠|永远|每次都)[^。；]*)")),
    Rule("rule", "rule", _(rf"(?:^|，)(?P<value>(?:只能|只要|只用|請用|请用){REST})$")),
    # where people and things are
    Rule("place", "home", _(r"(?:^|[，,]|我)(?:現在|现在|目前|家|剛|刚|已經|已经|人)*(?:住在|住|搬到|搬去|搬來|搬来)(?:了)?(?P<value>(?!院|的|一)[^，。；！,了]{2,10}?)(?:了)?(?=$|[，,。！])")),
    Rule("place", "lodging", _(rf"我?們?的?(?:旅館|旅馆|酒店|飯店|饭店|民宿|賓館|宾馆|住處|住处|住宿)(?:就)?(?:在|是|叫|訂在|订在)(?P<value>{REST})")),
    Rule("place", "origin", _(r"我(?:是)?(?:來自|来自|從|从)(?P<value>[^，。來来]{2,8})(?=來|来|$|，)")),
    Rule("work", "job", _(rf"(?:^|[，,]|我)(?:現在|现在|目前)?(?:在[^，。]*?)?(?:當|当|擔任|担任|做|是一[名位個个])(?P<value>{JOB})(?=$|[，,。])")),
    Rule("work", "job", _(rf"我是(?P<value>{JOB})(?=$|[，,。])")),
    Rule("work", "job", _(rf"我的?(?:工作|職業|职业)(?:其實|其实)?是(?P<value>{REST})")),
    # when and where things happen
    Rule("event", "when", _(rf"(?:我的?|我們的?|我们的?)?(?P<subject>{EVENT})[^。；]*?(?P<value>{DAY})")),
    Rule("event", "when", _(rf"(?P<subject>我的?{REL}|他|她)(?:{NICK})?(?:要|會|会|改成|改|將|将|打算|說|说|在|於)*(?P<value>{DAY})(?!不)(?:要|會|会|才|就|再)*(?:來|来|到|回|去|過|过|生)")),
    Rule("event", "time", _(rf"(?P<subject>{EVENT})[^。；]*?(?P<value>{CLOCK})")),
    Rule("event", "where", _(rf"(?P<subject>{EVENT})[^。；]*?(?P<value>[A-Za-z]?\d+ ?(?:號|号)?(?:會議室|会议室|教室|包廂|包厢))")),
    Rule("event", "where", _(r"(?P<subject>" + EVENT + r")[^。；]*?(?:在|到)[「『《]?(?P<value>(?!星期|週|周|禮拜)[^，。；」』》0-9]{2,12}?)[」』》]?(?:吃|見|见|舉行|举行|辦|办)?(?=$|[，。」』》])")),
    # what is somebody's
    Rule("detail", "favourite {what}", _(rf"我最(?:喜歡|喜欢|愛|爱)的(?P<what>[^，。是]{{1,6}}?)是(?P<value>{REST})")),
    Rule("detail", "is", _(rf"我的?(?P<subject>{REL})(?:{NICK})?(?P<value>(?:住|在|是|有|喜|花|也|要|會|会|不能|做|當|当|今年)[^。；]+)")),
    Rule("detail", "is", _(rf"我的?(?P<subject>{REL})(?:叫|是)[^，。；]+，(?P<value>(?:今年|她|他)?[^。；]+)")),
    Rule("detail", "{attribute}", _(rf"我的(?P<subject>[\u3400-\u9fff]{{2,5}}?)(?P<attribute>是|在|叫|有|用|走)(?P<value>{REST})")),
    # plans, choices, wants, tastes
    Rule("plan", "plan", _(rf"(?P<value>(?:我|我們|我们)[^。；]*?{DAY}[^。；]*)")),
    Rule("plan", "plan", _(rf"(?P<value>^(?:已經|已经)?[訂订][了好](?!單|单){LINE})")),
    Rule("plan", "plan", _(rf"(?P<value>^{EVENT}(?:會有|会有|有){REST})")),
    Rule("trait", "about the user", _(rf"(?P<value>我(?:家)?(?:也|正在|在|每天|平時|平时)*(?:開|开|說|说|會說|会说|學|学|用|戴|騎|骑|彈|弹|練|练|養|养|怕|付|穿|睡|起床|有糖尿病|有氣喘|吃|從事|从事|讀|读|收集|坐)(?!的){LINE})")),
    Rule("trait", "about the user", _(rf"(?:跟|和|與|与)(?P<value>我的?{REL})一起")),
    Rule("trait", "about the user", _(rf"(?P<value>我每天(?:早上|晚上)?{CLOCK}[^，。；]+)")),
    Rule("number", "number given", _(r"^(?P<value>(?=[\w -]{4,14}$)(?=.*\d)[A-Z0-9][A-Z0-9-]*)$")),
    Rule("want", "wants", _(rf"我(?:想要|改要|要|比較想要|需要|想買|想买|選|选)(?P<value>(?!求|怎|去|的)(?:{REST}))")),
    Rule("like", "dislikes", _(rf"我(?:很|最|非常|真的)?(?:不喜歡|不喜欢|討厭|讨厌|不愛|不爱)(?:吃|喝|看|聽|听)?(?P<value>{REST})")),
    Rule("like", "likes", _(r"我(?:也|很|最|非常|真的|特別|特别)*(?:喜歡|喜欢|愛|爱)(?:吃|喝|看|聽|听)?(?P<value>(?!的)[^，。；]{1,20})")),
)
