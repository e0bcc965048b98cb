"""The whole book as one PDF: A4, tagged, with an outline, every question and solution opened.

    python tools/pdf.py [OUT]     needs Chromium (Debian: apt-get install chromium)

Sphinx makes one page of the book, Chromium prints it; no TeX, no other host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 900  # seconds for the print: a busy machine, some hundred pages


def chromium() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        raise SystemExit(f"pdf: no browser to print with (looked for {', '.join(BROWSERS)}): apt-get install chromium")
    return found


def one_page(work: Path) -> Path:
    """The book as one page of HTML, warnings as errors.  work: a folder for it."""
    subprocess.run([str(Path(sys.executable).with_name("jupyter-book")), "build", str(ROOT), "--all", "-W", "-n",
                    "--keep-going", "--builder", "singlehtml", "--path-output", str(work)], check=True)
    site = work / "_build/singlehtml"
    # Its links to _static are those of a page at the top, yet the first page of the book lies in a folder.
    text = (site / "book/intro.html").read_text(encoding="utf-8")
    style = (ROOT / "tools/print.css").read_text(encoding="utf-8")
    page = site / "book.html"
    page.write_text(for_paper(text).replace("</head>", f"<style>{style}</style></head>", 1), encoding="utf-8")
    return page


def for_paper(text: str) -> str:
    """The page with all that a reader would open opened, in the light.

    >>> for_paper('<html data-theme="auto"><details class="a"><details open>')
    '<html data-theme="light"><details open class="a"><details open>'
    """
    text = re.sub(r"<details(?![^>]*\bopen)", "<details open", text)
    return text.replace('data-theme="auto"', 'data-theme="light"')


def print_page(page: Path, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium(), "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
                   f"--user-data-dir={profile}", "--virtual-time-budget=60000", "--no-pdf-header-footer",
                   "--generate-pdf-document-outline", f"--print-to-pdf={out}", page.as_uri()]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium refuses to start as root with it
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    if not out.is_file():
        raise SystemExit(f"pdf: {command[0]} ended well, but wrote no {out}")


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "_build/memory-lab.pdf").resolve()
    chromium()
    work = ROOT / "_build/pdf"
    shutil.rmtree(work, ignore_errors=True)
    print_page(one_page(work), out)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
