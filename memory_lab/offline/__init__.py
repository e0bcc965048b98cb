"""The offline model: a deterministic stand-in for a chat model, in this process, behind the real openai client.

It answers only from the context that it is sent: change the context, and the answer changes. It reads all positions
alike, knows nothing of the world, and its embeddings are lexical. See server.py for what it speaks, reader.py for how
it answers, summariser.py and filler.py for its two other tasks. Loaded by memory_lab.client; chapters 4 to 9 use it.
"""
