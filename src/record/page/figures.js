// The frame of every chart: caption, redrawing when the width changes, and a button that saves it as SVG.

const WAITING = "var(--waiting)";
const TRANSFER = "var(--transfer)";
const LATENESS = "var(--lateness)";
const INK = "var(--quiet)";
const RULE = "var(--rule)";

// From little to much, away from the paper of each theme; lightness alone tells the order.
const RAMPS = {
  waiting: { light: ["#fcf7f0", "#f2c27e", "#cc6f00", "#5c2a00"], dark: ["#22211f", "#69390a", "#d97f14", "#ffd79c"] },
  transfer: { light: ["#f2f7fb", "#9cc4e6", "#2f7fc1", "#0b3358"], dark: ["#1d2125", "#174669", "#3d8fd1", "#c2e2ff"] },
  lateness: { light: ["#fbf4f8", "#e3a9cd", "#b24592", "#4a0f3a"], dark: ["#231f22", "#642653", "#c9579f", "#ffcdec"] },
};

const drawers = new WeakMap();
const watcher = new ResizeObserver((entries) => requestAnimationFrame(() => {
  for (const entry of entries) drawers.get(entry.target)?.();
}));

// `draw(width)` returns an element with one svg or more.
function figure({ name, title, hint, draw }) {
  const body = make("div", { class: "chart" });
  const caption = make("figcaption", {}, make("strong", {}, title), hint && make("span", { class: "quiet" }, ` ${hint}`));
  const save = make("button", { type: "button", class: "small save", click: () => saveAsSvg(body, name), title: `Save “${title}” as SVG` }, "SVG");
  const element = make("figure", { "data-chart": name }, make("div", { class: "head" }, caption, save), body);
  let drawnWidth = 0;
  drawers.set(body, () => {
    const width = Math.round(Math.min(body.clientWidth, 1240));
    if (width < 40 || Math.abs(width - drawnWidth) < 8) return;
    drawnWidth = width;
    body.replaceChildren(draw(Math.max(width, 280)));
  });
  watcher.observe(body);
  return element;
}

// Printing does not wait for the watcher.
function drawNow(root) {
  for (const body of root.querySelectorAll(".chart")) drawers.get(body)?.();
}

// What all charts have in common. A label says in words what a chart shows to those who do not see it.
function plot(width, label, options) {
  return Plot.plot({
    width,
    marginLeft: 58,
    marginRight: 12,
    ariaLabel: label,
    style: { background: "none", color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: "11px", overflow: "visible" },
    ...options,
  });
}

// The meaning of colours stands in the drawing itself, so that a saved one keeps it.
function key(entries) {
  let at = 0;
  return entries.flatMap(({ text, color, isOpen, isTick }) => {
    const place = { frameAnchor: "top-left", facet: "super", dy: -14 };
    const sign = isTick ? { symbol: "plus", stroke: color } : isOpen ? { stroke: color } : { fill: color };
    const marks = [Plot.dot([0], { ...place, ...sign, r: 4, dx: at + 4 }),
      Plot.text([text], { ...place, dx: at + 12, textAnchor: "start", lineAnchor: "middle", fill: "currentColor" })];
    at += 30 + text.length * 5.8;
    return marks;
  });
}

function axis(label, more = {}) {
  return { label, labelAnchor: "center", labelArrow: "none", ...more };
}

// Whole numbers, at most so many, for axes that count.
function wholeTicks(from, to, most) {
  const ticks = d3.ticks(from, to, most).filter(Number.isInteger);
  return ticks.length ? ticks : [from];
}

// One drawing for each theme; the style sheet shows one of them, and paper gets the light one.
function inBothThemes(draw) {
  return make("div", {}, ["light", "dark"].map((theme) => make("div", { class: `on-${theme}` }, draw(theme))));
}

// A table of numbers as an image. `text(row, column)` is what the pointer shows.
function heatMap(width, { label, values, ramp, theme, color, height, x, y, text, marginLeft = 58 }) {
  const [rows, columns] = [values.length, values[0].length];
  const cells = d3.cross(d3.range(rows), d3.range(columns));
  const scale = { ...color, interpolate: d3.piecewise(d3.interpolateLab, RAMPS[ramp][theme]) };
  const chart = plot(width, label, {
    height,
    marginLeft,
    marginTop: 6,
    marginBottom: 36,
    color: scale,
    x: { ...x, domain: [0, columns] },
    y: { ...y, domain: [rows, 0] },
    marks: [
      Plot.raster(values.flat(), { width: columns, height: rows, x1: 0, y1: 0, x2: columns, y2: rows, imageRendering: "pixelated" }),
      Plot.frame({ stroke: RULE }),
      Plot.tip(cells, Plot.pointer({ x: ([, c]) => c + 0.5, y: ([r]) => r + 0.5, title: ([r, c]) => text(r, c) })),
    ],
  });
  const legend = Plot.legend({ color: scale, width: Math.min(260, width), height: 40, marginTop: 12, marginLeft: 10, marginRight: 14, ticks: 4,
    style: { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: "11px" } });
  return [legend, chart];
}

// Ticks of a heat map stand at the middle of their cells and carry the name of the first thing in it.
function spanAxis(label, spans, most) {
  const step = Math.max(1, Math.ceil(spans.length / most));
  const ticks = d3.range(0, spans.length, step).map((index) => index + 0.5);
  return axis(label, { ticks, tickFormat: (at) => String(spans[Math.floor(at)].first), tickSize: 3 });
}

function spanText({ first, last }, one) {
  return first === last ? `${one} ${first}` : `${one}s ${first} – ${last}`;
}

// Saved drawings have the colours of the light theme, whatever the page has, since most papers are white.
function saveAsSvg(body, name) {
  const palette = getComputedStyle(part("light-palette"));
  const drawings = [...body.querySelectorAll("svg")].filter((svg) => !svg.closest(".on-dark") && !svg.parentElement.closest("svg"));
  const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  let [width, height] = [0, 0];
  for (const drawing of drawings) {
    const copy = drawing.cloneNode(true);
    copy.setAttribute("y", height);
    for (const tip of copy.querySelectorAll('[aria-label="tip"]')) tip.remove();
    whole.append(copy);
    width = Math.max(width, Number(drawing.getAttribute("width")));
    height += Number(drawing.getAttribute("height"));
  }
  for (const [attribute, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` })) {
    whole.setAttribute(attribute, value);
  }
  const text = new XMLSerializer().serializeToString(whole)
    .replace(/var\((--[a-z-]+)\)/g, (all, variable) => palette.getPropertyValue(variable).trim() || all);
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: `${name}.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
