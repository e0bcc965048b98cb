"""The style of the page: the book's colours and letters, light or dark as the reader's system is."""

PAGE = """
:root { color-scheme: light dark; --lab-accent: #0f766e; --pst-color-background: #fff; --pst-color-text-base: #222832;
  --pst-color-text-muted: #48566b; --pst-color-border: #d1d5da; --paper: #f3f4f5; }
@media (prefers-color-scheme: dark) {
  :root { --lab-accent: #5eead4; --pst-color-background: #14181e; --pst-color-text-base: #ced6dd;
    --pst-color-text-muted: #9ca4af; --pst-color-border: #48566b; --paper: #222832; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--pst-color-background); color: var(--pst-color-text-base); line-height: 1.6;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, "PingFang TC",
    "Microsoft JhengHei", "Noto Sans CJK TC", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 2.1rem; font-weight: 650; letter-spacing: -.01em; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.5rem; font-weight: 650; line-height: 1.25; margin: 2.4rem 0 .6rem; }
.lede { font-size: 1.1rem; color: var(--pst-color-text-muted); margin: 0 0 1rem; }
.advice { border: 1px solid var(--lab-accent); border-left-width: 6px; border-radius: .5rem; padding: .8rem 1.2rem; }
.advice h2 { margin: 0 0 .4rem; color: var(--lab-accent); }
.wide { overflow-x: auto; margin: .8rem 0; }
.wide:focus-visible, summary:focus-visible { outline: 3px solid var(--lab-accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; min-width: 100%; }
caption { text-align: left; color: var(--pst-color-text-muted); padding-bottom: .3rem; }
:is(th, td) { padding: .3rem .5rem; text-align: right; vertical-align: bottom; }
:is(th, td):first-child, .hurt :is(th, td) { text-align: left; vertical-align: top; }
thead { border-bottom: 2px solid var(--lab-accent); }
tbody tr + tr { border-top: 1px solid var(--pst-color-border); }
table { overflow-wrap: normal; }
td { white-space: nowrap; }
tbody th { white-space: nowrap; font-weight: 600; }
.hurt { padding-left: 1.5rem; }
.hurt tbody th { white-space: normal; min-width: 9rem; overflow-wrap: anywhere; }
.hurt td:last-child { white-space: normal; min-width: 14rem; }
.hurt summary { cursor: pointer; font-weight: 600; min-height: 1.75rem; }
blockquote { margin: .4rem 0; padding: .4rem .8rem; border-left: 4px solid var(--pst-color-border);
  background: var(--paper); }
footer { margin-top: 3rem; border-top: 1px solid var(--pst-color-border); color: var(--pst-color-text-muted); }
.ml-live { margin: 1rem 0; }
.ml-live ul { padding: 0; display: grid; gap: 0 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
"""
