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
_WORDS_FOR = {
    "reaches into the notebook's machinery": "get_ipython",
    "rewrites later cells": "ast_transformers input_transformers_cleanup input_transformers_post "
                            "input_transformer_manager",
    "replaces how cells run": "run_cell run_cell_async",
    "replaces what is shown": "displayhook display_pub",
    "looks into the code that calls it": "_getframe f_globals f_locals f_back",
    "follows other code while it runs": "settrace setprofile",
    "searches for classes": "__subclasses__", "reads the grader's seed": "CLASSROOM_SEED",
    "starts processes": "forkpty", "detaches a process": "setsid", "makes links": "symlink",
    "ends its own process": "_exit exit quit", "catches all errors": "excepthook",
    "changes how modules are found": "meta_path", "changes Python's own functions": "__builtins__ builtins",
    "runs text as code": "exec eval", "asks for more rights": "unshare", "changes limits": "setrlimit",
}
_NAMES = {name: text for text, names in _WORDS_FOR.items() for name in names.split()}
_OF_OS = {"system": "runs a command", "popen": "runs a command", "fork": "starts processes", "kill": "sends signals"}
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
            of_os = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "os"
            if text := _NAMES.get(name) or (_OF_OS.get(name) if of_os else None):
                found[f"{text} ({name})"] = None
        elif isinstance(node, ast.FunctionDef) and node.name in _METHODS:
            found[f"{_METHODS[node.name]} ({node.name})"] = None
        elif isinstance(node, ast.Constant) and node.value == "CLASSROOM_SEED":
            found["reads the grader's seed (CLASSROOM_SEED)"] = None
    return list(found)
