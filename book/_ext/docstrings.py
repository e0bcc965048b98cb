"""What the files of a package say of their public names, read without importing them."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Entry:
    """A public function or class.  text: its docstring.  line: where it begins.  methods: those with a docstring."""

    name: str
    signature: str
    text: str
    file: Path
    line: int
    methods: list[Entry] = field(default_factory=list)


def module_file(root: Path, name: str) -> Path:
    """The file of a module, a package's __init__.py.  Raises FileNotFoundError for one that is not there."""
    base = root.joinpath(*name.split("."))
    found = next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)
    if not found:
        raise FileNotFoundError(f"no module {name}: neither {base}.py nor {base}/__init__.py")
    return found


def module_text(file: Path) -> str:
    """The docstring of a file."""
    return _doc(ast.parse(file.read_text(encoding="utf-8")))


def entries(root: Path, name: str) -> list[Entry]:
    """The public names of a module in the order of the file; of a package, those that it hands on."""
    file = module_file(root, name)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = [made for node in tree.body if (made := _entry(node, file))]
    for node in tree.body:
        if file.name == "__init__.py" and isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            wanted = {alias.name for alias in node.names}
            found += [entry for entry in entries(root, f"{name}.{node.module}") if entry.name in wanted]
    return found


def _entry(node: ast.stmt, file: Path) -> Entry | None:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or node.name.startswith("_"):
        return None
    text = _doc(node)
    if not text:
        return None
    if not isinstance(node, ast.ClassDef):
        return Entry(node.name, _signature(node), text, file, node.lineno)
    methods = [made for each in node.body if (made := _entry(each, file))]
    return Entry(node.name, _class_signature(node), text, file, node.lineno, methods)


def _doc(node: ast.AST) -> str:
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str = "") -> str:
    """The call as one writes it: without self, broken at the commas where it is long."""
    arguments = re.sub(r"^(?:self|cls)(?:, )?", "", ast.unparse(node.args))
    arguments = re.sub(r"(: [^=,()]+)=", r"\1 = ", arguments)  # unparse writes `x: int=2`
    gives = f" -> {ast.unparse(node.returns)}" if node.returns and not name else ""
    decorators = {ast.unparse(each) for each in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return f"{name or node.name}{gives.replace(' -> ', ': ')}"
    start = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    return wrap(f"{start}{name or node.name}", arguments, gives)


def wrap(name: str, arguments: str, gives: str, width: int = 76) -> str:
    """name(arguments) -> gives, an argument a line where it would be wider than that.

    >>> print(wrap("mix", "left: dict[str, int], right: int = 0", " -> int", 30))
    mix(
        left: dict[str, int],
        right: int = 0,
    ) -> int
    """
    whole = f"{name}({arguments}){gives}"
    if len(whole) <= width:
        return whole
    pieces, depth, start = [], 0, 0
    for place, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            pieces.append(arguments[start:place].strip())
            start = place + 1
    return f"{name}(\n" + "".join(f"    {piece},\n" for piece in [*pieces, arguments[start:].strip()]) + f"){gives}"


def _class_signature(node: ast.ClassDef) -> str:
    made = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if made:
        return _signature(made, node.name)
    fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)
              and isinstance(each.target, ast.Name) and not each.target.id.startswith("_")]
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) not in ("Protocol", "NamedTuple", "ABC")]
    if fields and not bases:
        return wrap(node.name, ", ".join(fields), "")
    return f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
