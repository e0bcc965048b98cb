"""Things in a student's code that an exercise has no use for: advice to a teacher, never a verdict.

The walls hold whether or not a trick is recognised here; this names the trick so that a person can talk about it.
"""

from __future__ import annotations

import ast
import re

_MODULES = {
    **dict.fromkeys(("socket", "urllib", "requests", "httpx", "http", "ssl"), "opens network connections"),
    "subprocess": "starts processes",
    "multiprocessing": "starts processes", "ctypes": "calls the C library", "gc": "searches the interpreter's memory",
    "inspect": "looks into other code while it runs", "pickle": "pickles", "signal": "handles signals",
    "resource": "changes limits", "threading": "starts threads", "atexit": "runs code at the end",
}
_NAMES = {
    "get_ipython": "reaches into the notebook's machinery", "ast_transformers": "rewrites later cells",
    "input_transformers_cleanup": "rewrites later cells", "input_transformers_post": "rewrites later cells",
    "input_transformer_manager": "rewrites later cells", "run_cell": "replaces how cells run",
    "_getframe": "looks into the code that calls it", "settrace": "follows other code while it runs",
    "setprofile": "follows other code while it runs", "f_globals": "looks into the code that calls it",
    "f_locals": "looks into the code that calls it", "f_back": "looks into the code that calls it",
    "__subclasses__": "searches for classes", "CLASSROOM_SEED": "reads the grader's seed",
    "system": "runs a command", "popen": "runs a command", "fork": "starts processes", "forkpty": "starts processes",
    "setsid": "detaches a process", "kill": "sends signals", "_exit": "ends its own process",
    "exit": "ends its own process", "quit": "ends its own process", "excepthook": "catches all errors",
    "meta_path": "changes how modules are found", "displayhook": "replaces what is shown",
    "settrace_all_threads": "follows other code while it runs", "__builtins__": "changes Python's own functions",
    "builtins": "changes Python's own functions", "exec": "runs text as code", "eval": "runs text as code",
    "display_pub": "replaces what is shown", "events": "hooks into the notebook's machinery", "symlink": "makes links",
    "unshare": "asks for more rights", "setrlimit": "changes limits", "find_withheld": "looks for what is withheld",
}
_METHODS = {"__eq__": "defines its own equality", "__ne__": "defines its own equality",
            "__repr__": "defines what it shows", "__del__": "runs code when it is forgotten"}
_PATHS = re.compile(r"(^|[\"'\s(])(/(etc|proc|root|home|work|stage|connection|dev|sys)\b|\.\./|~/)")
_WORDS = re.compile(r"memory_lab[./](\w+)\.py|solutions?/|grades\.(csv|json)|manifest\.json|results/")
_MARKS = re.compile(r"#\s*(NBVAL_\w+|PYTEST_VALIDATE_IGNORE_OUTPUT)")
_SHELL = re.compile(r"^\s*(![^=]|%%?\w+)", re.MULTILINE)


def suspicions(source: str) -> list[str]:
    """What stands out in a cell, each once.

    >>> suspicions("import socket\\nsocket.create_connection(('x', 80))")
    ['opens network connections (socket)']
    >>> suspicions("def mean(values):\\n    return sum(values) / len(values)")
    []
    """
    found: dict[str, None] = {}
    for pattern, text in ((_MARKS, "a mark that would tell nbval to look away"), (_SHELL, "a shell or magic command"),
                          (_PATHS, "a path outside its folder"), (_WORDS, "a path of the course or of the grader")):
        if match := pattern.search(source):
            found[f"{text} ({' '.join(match[0].split())[:40]})"] = None
    plain = "\n".join("pass" if _SHELL.match(line) else line for line in source.split("\n"))
    try:
        tree = ast.parse(plain)
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return list(found)
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                if text := _MODULES.get(name.partition(".")[0]) or _NAMES.get(name):
                    found[f"{text} ({name})"] = None
        elif isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if text := _NAMES.get(name):
                found[f"{text} ({name})"] = None
        elif isinstance(node, ast.FunctionDef) and node.name in _METHODS:
            found[f"{_METHODS[node.name]} ({node.name})"] = None
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _NAMES:
            found[f"{_NAMES[node.value]} ({node.value!r})"] = None
    return list(found)
