// SPDX-License-Identifier: Apache-2.0
(() => {
  "use strict";
  const root = document.documentElement;
  const switcher = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const plots = new Map();

  // Opened from a disk, a page may have no storage.
  const stored = {
    get() { try { return localStorage.getItem("spark-zorder-theme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("spark-zorder-theme", value); } catch { /* the choice is for this visit */ } },
  };

  function colours() {
    const style = getComputedStyle(root);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), line: of("--line"), surface: of("--surface") };
  }

  function themed(layout) {
    const { ink, line, surface } = colours();
    const changes = { "font.color": ink, "hoverlabel.bgcolor": surface, "hoverlabel.bordercolor": ink, "hoverlabel.font.color": ink };
    for (const key of Object.keys(layout)) {
      if (/^[xy]axis\d*$/.test(key)) {
        changes[key + ".gridcolor"] = line;
        changes[key + ".linecolor"] = line;
      }
    }
    return changes;
  }

  function put(target, path, value) {
    const keys = path.split(".");
    const last = keys.pop();
    const holder = keys.reduce((inner, key) => (inner[key] ??= {}), target);
    holder[last] = value;
  }

  // A map keeps its shape: as high as its width asks for, so that nothing is left empty around it.
  function heightOf(element, layout) {
    const { xaxis: x, yaxis: y, margin } = layout;
    if (!y || !y.scaleanchor) return layout.height;
    const shape = ((y.range[1] - y.range[0]) * (y.scaleratio || 1)) / (x.range[1] - x.range[0]);
    const inside = (element.clientWidth - margin.l - margin.r) * shape;
    return Math.round(Math.min(Math.max(inside, 120), 560) + margin.t + margin.b);
  }

  function fit(element, layout) {
    const height = heightOf(element, layout);
    if (height === layout.height) return;
    layout.height = height;
    element.style.minHeight = height + "px";
    if (plots.has(element)) Plotly.relayout(element, { height });
  }

  function draw() {
    for (const source of document.querySelectorAll("script[data-for]")) {
      const element = document.getElementById(source.dataset.for);
      const figure = JSON.parse(source.textContent);
      for (const [path, value] of Object.entries(themed(figure.layout))) put(figure.layout, path, value);
      figure.layout.autosize = true;
      fit(element, figure.layout);
      // A finger scrolls the page; it must not be caught by a figure.
      figure.layout.dragmode = touch ? false : "zoom";
      Plotly.newPlot(element, figure.data, figure.layout, {
        responsive: true,
        displaylogo: false,
        displayModeBar: touch ? false : "hover",
        // Two buttons, which leave room for a legend on a phone; a double click undoes a zoom.
        modeBarButtons: [["toImage", "resetScale2d"]],
      });
      plots.set(element, figure.layout);
    }
    root.dataset.drawn = String(plots.size);
  }

  function recolour() {
    for (const [element, layout] of plots) Plotly.relayout(element, themed(layout));
  }

  function choose(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    recolour();
  }

  switcher.hidden = false;
  switcher.addEventListener("change", (event) => {
    stored.set(event.target.value);
    choose(event.target.value);
  });
  dark.addEventListener("change", recolour);
  window.addEventListener("resize", () => plots.forEach((layout, element) => fit(element, layout)));
  const before = stored.get();
  if (before === "light" || before === "dark") {
    switcher.querySelector(`input[value="${before}"]`).checked = true;
    choose(before);
  }
  // Tables of closed figures are printed, too.
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  draw();
})();
