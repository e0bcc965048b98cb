"""The house: what README, Makefile, requirements and configuration say about one another is true."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
OFFLINE = ROOT / "book/_static/offline"
VENDORED = ROOT / "tests/vendor"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pyproject() -> dict:
    return tomllib.loads(text("pyproject.toml"))


def targets() -> set[str]:
    return set(re.search(r"^\.PHONY:(.*)$", text("Makefile"), re.MULTILINE)[1].split())


def code_lines(name: str) -> list[str]:
    blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text(name).replace("\\\n", ""),
                        re.MULTILINE | re.DOTALL)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.split("#")[0].strip()]


def requirements() -> dict[str, tuple[Requirement, str]]:
    lines = [line for line in text("requirements.txt").splitlines() if line and not line.startswith("#")]
    split = [(Requirement(line.partition(" #")[0].strip()), line.partition(" #")[2].strip()) for line in lines]
    return {canonicalize_name(requirement.name): (requirement, reason) for requirement, reason in split}


def pins() -> dict[str, str]:
    lines = [line for line in text("constraints.txt").splitlines() if line and not line.startswith("#")]
    loose = [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)]
    assert not loose, f"constraints.txt has lines that are no exact pin: {loose}"
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "book/_src/intro.md", "book/teaching.md"])
def test_every_command_exists(name: str) -> None:
    scripts = pyproject()["project"]["scripts"]
    inline = [code for code in re.findall(r"`(\w[^`\n]*)`", text(name)) if code.split()[0] in {"make", *scripts}]
    commands = [line.split() for line in [*code_lines(name), *inline]]
    for command, *arguments in commands:
        tool = Path(command).name
        assert tool == "make" or tool in scripts, f"{name}: no such command: {command}"
        if tool == "make" and arguments:
            assert arguments[0] in targets(), f"{name}: no such target: make {arguments[0]}"
    assert commands or name == "CONTRIBUTING.md"


def test_every_target_has_a_rule_and_a_line_of_help() -> None:
    makefile = text("Makefile")
    for target in targets():
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"no rule for make {target}"
        assert re.search(rf"^#.*make {target}\b", makefile, re.MULTILINE), f"make {target} is not in the list on top"


def test_tree_in_readme_is_the_tree() -> None:
    tree = re.search(r"^```\n(README\.md.*?)^```", text("README.md"), re.MULTILINE | re.DOTALL)[1]
    named = {line.split()[0].rstrip("/") for line in tree.splitlines()}
    ignored = {line.strip("/\n") for line in text(".gitignore").splitlines()} | {"build"}
    folders = {path.name for path in ROOT.iterdir()
               if path.is_dir() and path.name[0] != "." and path.name not in ignored and path.suffix != ".egg-info"}
    assert not folders - named, f"not in README's tree: {sorted(folders - named)}"
    gone = {name for name in named if not (ROOT / name).exists()}
    assert not gone, f"in README's tree, but not here: {sorted(gone)}"


def test_readme_has_a_place_for_the_headline_table() -> None:
    assert re.search(r"<!-- headline -->\n.+\n<!-- /headline -->", text("README.md"), re.DOTALL)


def test_requirements_have_a_range_and_a_reason_and_a_pin() -> None:
    pinned = pins()
    for name, (requirement, reason) in requirements().items():
        assert requirement.specifier, f"{name}: no range"
        assert len(reason.split()) >= 2, f"{name}: no reason"
        assert name in pinned, f"{name} is not in constraints.txt: make constraints"
        assert requirement.specifier.contains(pinned[name]), f"{name}: {pinned[name]} is outside its range"


def test_the_package_needs_nothing_that_requirements_leave_out() -> None:
    project = pyproject()["project"]
    listed = requirements()
    for line in project["dependencies"]:
        needed = Requirement(line)
        assert canonicalize_name(needed.name) in listed, f"{needed.name} is not in requirements.txt"
        assert needed.specifier == listed[canonicalize_name(needed.name)][0].specifier, needed.name
    for extra in ("lab", "long"):
        for line in project["optional-dependencies"][extra]:
            needed = Requirement(line)
            assert needed.specifier.contains(pins()[canonicalize_name(needed.name)]), f"extra {extra}: {line}"


def test_constraints_bind_any_machine() -> None:
    assert not {"torch", "memory-lab", "pip"} & set(pins())
    assert not re.search(r"/opt|file:|--|@", text("constraints.txt"))


@pytest.mark.parametrize("package", ["memory_lab", "classroom"])
def test_one_file_is_one_sitting(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files, package
    long = {str(path.relative_to(ROOT)): lines for path in files
            if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 240}
    assert not long, f"over 240 lines: {long}"


def test_one_version_everywhere() -> None:
    config = yaml.safe_load(text("_config.yml"))["sphinx"]["config"]
    ours = pyproject()["project"]["version"]
    assert {ours, config["version"], config["release"], version("memory-lab")} == {ours}, "make test reinstalls"


def test_vendored_files_have_their_licences() -> None:
    folders = [path for path in (*OFFLINE.iterdir(), *VENDORED.iterdir()) if path.is_dir()]
    assert folders
    for folder in folders:
        assert (folder / "LICENSE").stat().st_size > 500, f"no licence text in {folder}"


def test_licences_are_whole() -> None:
    assert text("LICENSE").startswith("MIT License")
    assert "Creative Commons Attribution 4.0" in text("LICENSE-text")
    assert "Section 8 -- Interpretation" in text("LICENSE-text")


def test_ci_runs_both_suites_and_the_workflow_runs_ci() -> None:
    script = text(".ci/run")
    assert "set -euo pipefail" in script
    assert re.search(r"^make test </dev/null\nmake test-long </dev/null$", script, re.MULTILINE)
    assert "bash .ci/run" in text(".github/workflows/ci.yml")
