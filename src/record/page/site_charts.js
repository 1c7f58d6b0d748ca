// The charts of one call site: who arrives when, how far apart, and how that changes from call to call.

const MOST_RANKS_AS_DOTS = 128;

function drawArrival(width, { ranks, mean_ns: mean, most_ns: most, worst_call: worst }) {
  const unit = unitFor(d3.max(most) ?? 0);
  const isInOrder = ranks.every((rank, index) => index === 0 || rank > ranks[index - 1]);
  const points = ranks.map((rank, index) => ({ rank, at: isInOrder ? rank : index, mean: mean[index] / unit.divide, most: most[index] / unit.divide,
    worst: worst ? worst.arrival_ns[index] / unit.divide : undefined,
    text: `rank ${rank}\nmean ${timeText(mean[index])}\nmost ${timeText(most[index])}` +
      (worst ? `\ncall ${worst.sequence}: ${timeText(worst.arrival_ns[index])}` : "") }));
  const [from, to] = d3.extent(points, (point) => point.at);
  const latest = d3.greatest(points, (point) => point.mean);
  return plot(width, `Lateness by rank. On average rank ${latest?.rank} comes last, ${timeText((latest?.mean ?? 0) * unit.divide)} after the first.`, {
    height: 230,
    marginTop: 26,
    marginBottom: 38,
    x: axis(isInOrder ? "rank in MPI_COMM_WORLD" : "rank of the communicator",
      { domain: [from - 0.5, to + 0.5], ticks: wholeTicks(from, to, width / 50), tickFormat: String }),
    y: axis(`lateness (${unit.name})`, { zero: true, nice: true, grid: true }),
    marks: [
      Plot.ruleY([0], { stroke: INK }),
      ...(points.length > MOST_RANKS_AS_DOTS ? arrivalAreas(points) : arrivalDots(points)),
      ...key([{ text: "mean", color: LATENESS }, { text: "most", color: LATENESS, isTick: true },
        ...(worst ? [{ text: `worst call (number ${countText(worst.sequence)})`, color: "var(--ink)", isOpen: true }] : [])]),
      Plot.tip(points, Plot.pointerX({ x: "at", y: "mean", title: "text" })),
    ],
  });
}

function arrivalDots(points) {
  return [
    Plot.ruleX(points, { x: "at", y1: "mean", y2: "most", stroke: LATENESS, strokeOpacity: 0.5 }),
    Plot.dot(points, { x: "at", y: "most", symbol: "plus", r: 4, stroke: LATENESS }),
    Plot.dot(points, { x: "at", y: "mean", r: 4, fill: LATENESS }),
    Plot.dot(points.filter((point) => point.worst !== undefined), { x: "at", y: "worst", r: 4, stroke: "var(--ink)" }),
  ];
}

function arrivalAreas(points) {
  return [
    Plot.ruleX(points, { x: "at", y1: "mean", y2: "most", stroke: LATENESS, strokeOpacity: 0.25 }),
    Plot.dot(points.filter((point) => point.worst !== undefined), { x: "at", y: "worst", r: 1, stroke: "var(--ink)", strokeOpacity: 0.5 }),
    Plot.dot(points, { x: "at", y: "mean", r: 1.8, fill: LATENESS }),
  ];
}

// Bins stand side by side with equal width: recorders make them double, and a linear axis would hide the first ones.
function drawSpread(width, { median_ns: median, p90_ns: p90, most_ns: most, histogram }) {
  const bars = histogram.map((bin, index) => ({ ...bin, index, text: `${timeText(bin.from_ns)} – ${timeText(bin.to_ns)}\n${plural(bin.calls, "call")}` }));
  const step = Math.max(1, Math.ceil((bars.length + 1) / Math.max(3, width / 76)));
  const top = d3.max(bars, (bar) => bar.calls) || 1;
  return plot(width, `Distribution of spreads: median ${timeText(median)}, 90 % below ${timeText(p90)}, most ${timeText(most)}.`, {
    height: 230,
    marginTop: 26,
    marginBottom: 38,
    marginRight: 30,
    x: axis("from the first to the last arrival", { domain: [0, bars.length], ticks: d3.range(0, bars.length + 1, step),
      tickFormat: (index) => timeText(index < bars.length ? bars[index].from_ns : bars.at(-1).to_ns) }),
    y: axis("calls", { domain: [0, top * 1.02], grid: true, ticks: wholeTicks(0, top, 5), tickFormat: "~s" }),
    marks: [
      Plot.rectY(bars, { x1: "index", x2: (bar) => bar.index + 1, y: "calls", fill: LATENESS, fillOpacity: 0.75, inset: 0.5 }),
      Plot.ruleY([0], { stroke: INK }),
      Plot.ruleX([placeIn(histogram, median)], { stroke: "currentColor" }),
      Plot.ruleX([placeIn(histogram, p90)], { stroke: "currentColor", strokeDasharray: "3,2" }),
      Plot.text([`line: median ${timeText(median)}    dashed: 90 % below ${timeText(p90)}`],
        { frameAnchor: "top-left", dy: -14, textAnchor: "start", lineAnchor: "middle", fill: "currentColor" }),
      Plot.tip(bars, Plot.pointerX({ x: (bar) => bar.index + 0.5, y: "calls", title: "text" })),
    ],
  });
}

function placeIn(histogram, ns) {
  const index = histogram.findIndex((bin) => ns < bin.to_ns);
  if (index < 0) return histogram.length;
  const { from_ns: from, to_ns: to } = histogram[index];
  return index + Math.max(0, (ns - from) / Math.max(1, to - from));
}

function drawHeat(width, { rows, columns, lateness_ns: lines }, theme) {
  const most = d3.max(lines, (line) => d3.max(line)) || 1;
  const unit = unitFor(most);
  return heatMap(width, {
    label: "Lateness of ranks in calls",
    values: lines.map((line) => line.map((value) => value / unit.divide)),
    ramp: "lateness",
    theme,
    color: { type: "sqrt", domain: [0, most / unit.divide], label: `lateness (${unit.name})` },
    height: Math.max(150, Math.min(420, 60 + rows.length * 16)),
    x: spanAxis("call", columns, width / 60),
    y: spanAxis("rank", rows, rows.length <= 16 ? 16 : 10),
    text: (row, column) => `${spanText(rows[row], "rank")}\n${spanText(columns[column], "call")}\nlateness ${timeText(lines[row][column])}`,
  });
}

function drawLateRanks(width, lateRanks) {
  const unit = unitFor(d3.max(lateRanks, (line) => line.caused_ns) ?? 0);
  const bars = lateRanks.map((line) => ({ ...line, caused: line.caused_ns / unit.divide }));
  const label = lateRanks.map((line) => `rank ${line.rank}: ${timeText(line.caused_ns)} in ${plural(line.calls, "call")}`).join("; ");
  return plot(width, `Waiting that late ranks caused: ${label}.`, {
    height: 50 + bars.length * 20,
    marginTop: 6,
    marginBottom: 36,
    marginRight: 110,
    marginLeft: 64,
    x: axis(`waiting caused (${unit.name})`, { grid: true, nice: true }),
    y: { label: null, domain: bars.map((bar) => bar.rank), tickFormat: (rank) => `rank ${rank}`, tickSize: 0, padding: 0.25 },
    marks: [
      Plot.barX(bars, { y: "rank", x: "caused", fill: WAITING }),
      Plot.text(bars, { y: "rank", x: "caused", dx: 5, textAnchor: "start", text: (bar) => `${timeText(bar.caused_ns)}, ${plural(bar.calls, "call")}` }),
    ],
  });
}
