def fill(schema, messages): return {}
