def asks_for_summary(messages): return False
def summary(messages, room, count): return ""
