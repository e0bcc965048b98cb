"""The replay as one HTML file that asks for nothing: tables, live figures, and the turns that hurt.

    figures.py   the live figures: price, limit, call by call
    html.py      the page around them
"""

from .html import page

__all__ = ["page"]
