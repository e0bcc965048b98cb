"""The style and the script of the live figures: kept in the page, so that it asks for nothing.

Both are well-formed inside XML (no bare < and no &&). Colours come from the book's theme or JupyterLab's, and carry
nothing by themselves: each state is a word, and what is gone is struck through.
"""

SCRIPT = """
for (const figure of document.querySelectorAll(".ml-live:not([data-on])")) {
  const data = figure.querySelector("script[type]");
  if (!data) continue;
  figure.dataset.on = "";
  const all = what => [...figure.querySelectorAll(what)];
  const {words, steps} = JSON.parse(data.textContent);
  const slots = all("[data-slot]"), controls = all("[data-size]"), marks = all("[data-mark]");
  const put = {
    text: (slot, word) => { if (slot.textContent !== word) slot.textContent = word; },
    state: (slot, word) => { put.text(slot, word); slot.parentNode.dataset.state = word; },
    bar: (slot, word) => { slot.style.width = word; },
    say: (slot, word) => { slot.setAttribute("aria-valuetext", word); }
  };
  const show = step => {
    const said = steps[step].flatMap((word, at, run) => at % 2 ? [] : Array(run[at + 1]).fill(words[word]));
    slots.forEach((slot, at) => put[slot.dataset.slot](slot, said[at]));
    all("[data-panel]").forEach(panel => { panel.hidden = Number(panel.dataset.panel) !== step; });
    marks.forEach(mark => { mark.dataset.state = Number(mark.dataset.mark) === step ? "shown" : ""; });
  };
  const pick = () => show(controls.reduce((step, each) => step * each.dataset.size + Number(each.value), 0));
  controls.forEach(each => each.addEventListener("input", pick));
  for (const mark of marks)
    for (const kind of ["focus", "click", "pointerenter"])
      mark.addEventListener(kind, () => show(Number(mark.dataset.mark)));
  pick();
}
"""

CSS = """
.ml-live { --ml-accent: var(--lab-accent, var(--jp-brand-color1, #0f766e));
  --ml-line: var(--pst-color-text-muted, var(--jp-content-font-color2, #666));
  --ml-paper: var(--pst-color-background, var(--jp-layout-color0, #fff));
  border: 1px solid var(--ml-line); border-radius: .5rem; padding: .8rem 1rem; font-size: .92rem; line-height: 1.45;
  color: inherit; overflow-wrap: anywhere; text-align: left; }
.ml-live p { margin: .4rem 0; }
.ml-live .ml-title { font-weight: 650; font-size: 1.05rem; margin-top: 0; }
.ml-live .ml-note { font-size: .85rem; color: var(--ml-line); margin-bottom: 0; }
.ml-live .ml-controls { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.ml-live .ml-controls label { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: center; margin: 0; }
.ml-live .ml-slider { flex: 1 1 14rem; }
.ml-live input[type=range] { flex: 1 1 9rem; min-width: 0; height: 1.75rem; margin: 0; accent-color: var(--ml-accent); }
.ml-live select { max-width: 100%; min-height: 1.75rem; font: inherit; color: inherit; background: var(--ml-paper);
  border: 1px solid var(--ml-line); border-radius: .25rem; }
.ml-live .ml-value { display: inline-block; min-width: 6.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.ml-live :is(input, select, summary, g, ol):focus-visible { outline: 3px solid var(--ml-accent); outline-offset: 2px; }
.ml-live .ml-status { border-left: 4px solid var(--ml-accent); padding-left: .6rem; font-weight: 550;
  font-variant-numeric: tabular-nums; }
.ml-live .ml-columns { display: grid; gap: .5rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
.ml-live .ml-head { font-weight: 600; }
.ml-live :is(ol, ul) { list-style: none; margin: 0; padding: 0; }
.ml-live li { margin: .2rem 0; }
.ml-live ol.ml-scroll { max-height: 21rem; overflow-y: auto; padding: .2rem .5rem; position: relative;
  border: 1px solid var(--ml-line); border-radius: .3rem; }
.ml-live [data-state] > b { display: inline-block; font-size: .8em; line-height: 1.3; padding: 0 .4em;
  border: 1px dashed var(--ml-line); border-radius: .3em; }
.ml-live :is([data-state=kept], [data-state=there]) > b { color: var(--ml-paper); background: var(--ml-accent);
  border: 1px solid var(--ml-accent); }
.ml-live :is([data-state=clipped], [data-state=summarised], [data-state="in other words"]) > b {
  border: 1px solid var(--ml-accent); }
.ml-live :is([data-state=dropped], [data-state=gone]) > span { text-decoration: line-through; }
.ml-live .ml-who { font-weight: 600; }
.ml-live .ml-card { border-top: 1px solid var(--ml-line); padding: .4rem 0; }
.ml-live .ml-bar { display: block; border: 1px solid var(--ml-line); height: .8rem; margin: .2rem 0; max-width: 34rem; }
.ml-live .ml-bar span { display: block; height: 100%; background: var(--ml-accent); }
.ml-live .ml-chips { display: flex; flex-wrap: wrap; gap: .1rem .8rem; }
.ml-live .ml-sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.ml-live table { border-collapse: collapse; font-size: .85rem; margin: .4rem 0; }
.ml-live table :is(th, td) { text-align: left; vertical-align: top; padding: .15rem .4rem .15rem 0; }
.ml-live table :is(th, td.ml-number, td[data-slot]) { overflow-wrap: normal; }
.ml-live table td.ml-number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.ml-live tr[data-state^="▸"] { outline: 2px solid var(--ml-accent); }
.ml-live svg { display: block; width: 100%; max-width: 32rem; height: auto; }
.ml-live svg text { fill: currentColor; font-size: 14px; }
.ml-live svg .ml-axis { stroke: var(--ml-line); stroke-width: 1; }
.ml-live svg [data-mark] { cursor: pointer; }
.ml-live svg .ml-shape { fill: var(--ml-accent); stroke: var(--ml-paper); stroke-width: 1; }
.ml-live svg .ml-published .ml-shape { fill: none; stroke: currentColor; stroke-width: 1.5; }
.ml-live svg .ml-ring { fill: transparent; }
.ml-live svg [data-state=shown] .ml-ring { stroke: currentColor; stroke-width: 2; }
.ml-live details { border-left: 2px solid var(--ml-line); padding-left: .7rem; margin: .3rem 0; }
.ml-live summary { cursor: pointer; min-height: 1.75rem; font-weight: 550; }
.ml-live .ml-text { white-space: pre-line; }
.ml-live [hidden] { display: none; }
"""
