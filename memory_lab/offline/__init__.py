"""The offline model: a deterministic stand-in for a chat model, in this process, behind the real openai client.

It answers only from the context that it is sent: change the context, and the answer changes. It reads all positions
alike and knows nothing of the world. Words it matches by rules and word lists, meaning by a small sentence encoder
(meaning.py); how both count was fitted (features.py, decide.py, tools/reader). It misses some paraphrases, and answers
some near misses: a guess. Its embeddings are lexical all the same. See server.py for what it speaks, reader.py for how
it answers, summariser.py and filler.py for its two other tasks. Loaded by memory_lab.client; chapters 4 to 9 use it.
"""
