"""What ipywidgets leaves out of its controls: names for sliders, and the looks of the explorer.

A slider's handle has no name of its own, so it takes the words of its label; sliders are made anew when their range
changes, so the script looks again. It runs before the widgets are in the page, and waits for that. It asks no host,
and knows no memory.
"""

from . import pressing

SCRIPT = pressing.SCRIPT + """
const name = root => {
  for (const slider of root.querySelectorAll(".widget-slider")) {
    const words = slider.querySelector(".widget-label").textContent;
    for (const part of slider.querySelectorAll("[role=slider], .widget-readout"))
      if (part.getAttribute("aria-label") !== words) part.setAttribute("aria-label", words);
    slider.querySelector(".widget-readout").setAttribute("role", "textbox");
  }
};
const begin = left => {
  const root = element.closest(".ml-explorer");
  if (!root) {
    if (left) setTimeout(begin, 50, left - 1);
    return;
  }
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Memory explorer");
  listen(root);
  new MutationObserver(() => name(root)).observe(root, {childList: true, subtree: true});
  name(root);
};
begin(400);
"""

STYLE = """
.ml-explorer div.ml-scroll { max-height: 21rem; overflow-y: auto; padding: .2rem .5rem;
  border: 1px solid var(--ml-line); border-radius: .3rem; }
.ml-explorer { gap: .4rem; padding: .2rem; max-width: 72rem; }
.ml-explorer .ml-panel { border: 0; padding: 0 .2rem; }
.ml-explorer :is(.ml-set, .ml-chat, .ml-ask, .ml-panels) { overflow: visible; }
.ml-explorer .widget-label { width: 11rem; flex-shrink: 0; }
.ml-explorer .ml-buttons { flex-flow: row wrap; gap: .3rem; padding-left: 11.3rem; }
.ml-explorer .ml-panels { display: grid; gap: .2rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.ml-explorer .widget-html-content { line-height: 1.45; }
.ml-explorer :is(select, input[type=text]) { min-height: 1.75rem; }
@media (max-width: 600px) {
  .ml-explorer .widget-inline-hbox { flex-wrap: wrap; height: auto; }
  .ml-explorer .widget-label { width: 100%; text-align: left; justify-content: flex-start; }
  .ml-explorer .ml-buttons { padding-left: 0; }
}
"""
