def call_for(messages, tools, choice): return None
