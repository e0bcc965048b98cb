"""The offline model's own sentences, by language: plain, and never a value of their own."""

from __future__ import annotations

_PHRASES = {
    "user": {"en": 'You said: "{}"', "es": "Dijiste: «{}»", "zh-Hant": "你說過：「{}」", "zh-Hans": "你说过：“{}”"},
    "notes": {
        "en": 'The notes say: "{}"',
        "es": "Las notas dicen: «{}»",
        "zh-Hant": "記錄中寫著：「{}」",
        "zh-Hans": "记录中写着：“{}”",
    },
    "tool": {
        "en": 'The tool reports: "{}"',
        "es": "La herramienta indica: «{}»",
        "zh-Hant": "工具的結果是：「{}」",
        "zh-Hans": "工具的结果是：“{}”",
    },
    "assistant": {"en": 'I said: "{}"', "es": "Dije: «{}»", "zh-Hant": "我說過：「{}」", "zh-Hans": "我说过：“{}”"},
    "excluded": {
        "en": 'You ruled this out: "{}"',
        "es": "Descartaste esto: «{}»",
        "zh-Hant": "你要避開的是：「{}」",
        "zh-Hans": "你要避开的是：“{}”",
    },
    "at_most": {
        "en": 'At most this, you said: "{}"',
        "es": "Como mucho, dijiste: «{}»",
        "zh-Hant": "你說過，最多：「{}」",
        "zh-Hans": "你说过，最多：“{}”",
    },
    "other": {
        "en": 'You also said: "{}"',
        "es": "También dijiste: «{}»",
        "zh-Hant": "你還說過：「{}」",
        "zh-Hans": "你还说过：“{}”",
    },
    "unknown": {
        "en": "I don't know. It is not in our conversation.",
        "es": "No lo sé. No aparece en nuestra conversación.",
        "zh-Hant": "我不知道，對話中沒有提到。",
        "zh-Hans": "我不知道，对话中没有提到。",
    },
    "noted": {
        "en": "Noted, thank you.",
        "es": "Anotado, gracias.",
        "zh-Hant": "好的，記下了。",
        "zh-Hans": "好的，记下了。",
    },
    "ready": {"en": "Ready.", "es": "Listo.", "zh-Hant": "準備好了。", "zh-Hans": "准备好了。"},
}


def say(phrase: str, language: str, quote: str = "") -> str:
    """The phrase in that language, around the quote."""
    return _PHRASES[phrase]["zh-Hans" if language == "zh" else language].format(quote)
