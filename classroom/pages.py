"""The one look of the pages that `classroom` writes: a file each, no script, nothing fetched from elsewhere."""

from __future__ import annotations

import html
import re

_STYLE = """
:root { color-scheme: light dark; --ink: #1b2733; --soft: #5b6b7a; --line: #d8dfe6; --back: #fff; --good: #1a7f4b;
  --bad: #b3261e; --shade: #f4f6f8; --bar: #3b6ea5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --soft: #9db0c0; --line: #34424f; --back: #131a21;
  --good: #6fd39b; --bad: #ff9b93; --shade: #1c262f; --bar: #7fb0e6; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.sub { color: var(--soft); margin-top: 0; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; }
th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.c { white-space: nowrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.ok { color: var(--good); font-weight: 600; white-space: nowrap; } .no { color: var(--bad); font-weight: 600;
  white-space: nowrap; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .8rem; overflow-x: auto;
  font-size: .85rem; }
details { margin: .5rem 0; } summary { cursor: pointer; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.bar { fill: var(--bar); } .axis { stroke: var(--line); }
.soft { color: var(--soft); font-weight: 400; } .id { color: var(--soft); font-size: .85rem; white-space: nowrap; }
.share { display: block; height: .6rem; margin-top: .45rem; background: var(--bar); border-radius: 2px; }
table.parts { table-layout: fixed; } .parts th:nth-child(1) { width: 25%; } .parts th:nth-child(2) { width: 30%; }
.parts th:nth-child(4) { width: 5rem; }
@media (max-width: 40rem) { .id { display: none; } table.parts { table-layout: auto; }
  .parts th:nth-child(n) { width: auto; } }
@media print { body { margin: 0; max-width: none; } tr, pre { break-inside: avoid; } }
"""
_INVISIBLE = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def text(value: object) -> str:
    """A value as HTML text: escaped, without control characters and marks that turn the direction of writing.

    >>> text("<b>")
    '&lt;b&gt;'
    """
    return html.escape(_INVISIBLE.sub("\ufffd", str(value)))


def page(title: str, body: str) -> str:
    """A whole HTML file."""
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n")


def plain(value: object) -> str:
    """A value as Markdown text: nothing in it is markup.

    >>> plain("a *b* | <i>")
    'a \\\\*b\\\\* \\\\| &lt;i&gt;'
    """
    line = " ".join(_INVISIBLE.sub("\ufffd", str(value)).split())
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", html.escape(line, quote=False))


def fenced(code: str) -> str:
    """Code as a Markdown block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{_INVISIBLE.sub(chr(0xFFFD), code)}\n{fence}"
