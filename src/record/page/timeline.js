// Waiting and transfer over the time of the run: all nodes where they are few, else the mean first and one on demand.

const MOST_NODES_AS_LINES = 12;

function showTimeline(section, report) {
  const { bin_ns: binNs, nodes } = report.timeline;
  if (nodes.length === 0 || binNs === 0 || nodes[0].waiting.length === 0) {
    section.append(note("There is nothing to draw: no call was recorded."));
    return;
  }
  const hosts = new Map(report.nodes.map(({ node, host }) => [node, host]));
  const lines = nodes.map((line) => ({ ...line, name: nameOfNode(line.node, hosts) }));
  section.append(note("Shares of the time of the ranks of a node. What is neither waiting nor transfer is the program's own work."));
  if (lines.length <= MOST_NODES_AS_LINES) {
    section.append(figure({ name: "timeline", title: "Waiting and transfer on each node", draw: (width) => drawLines(width, lines, binNs) }));
    return;
  }
  const sizes = new Map(report.nodes.map(({ node, ranks }) => [node, ranks]));
  section.append(
    figure({ name: "timeline", title: "Mean of all ranks", hint: `${plural(lines.length, "node")}`,
      draw: (width) => drawLines(width, [meanOf(lines, sizes)], binNs) }),
    make("div", { class: "pair" }, ["waiting", "transfer"].map((kind) => figure({
      name: `timeline-${kind}`, title: kind === "waiting" ? "Waiting of each node" : "Transfer of each node",
      draw: (width) => inBothThemes((theme) => drawNodes(width, lines, binNs, kind, theme)) }))),
    oneNode(lines, binNs));
}

function nameOfNode(node, hosts) {
  return hosts.get(node) ?? `node ${node}`;
}

function meanOf(lines, sizes) {
  const weights = lines.map(({ node }) => sizes.get(node) ?? 1);
  const total = d3.sum(weights) || 1;
  const mean = (kind) => lines[0][kind].map((_, bin) => d3.sum(lines, (line, index) => line[kind][bin] * weights[index]) / total);
  return { node: 0, name: "all", waiting: mean("waiting"), transfer: mean("transfer") };
}

function oneNode(lines, binNs) {
  const holder = make("div");
  const busiest = d3.greatest(lines, (line) => d3.sum(line.waiting));
  const show = () => {
    const line = lines[select.selectedIndex];
    holder.replaceChildren(figure({ name: "timeline-node", title: `Node ${shortText(line.name, 40)}`, draw: (width) => drawLines(width, [line], binNs) }));
  };
  const select = make("select", { id: "timeline-select", change: show }, lines.map((line) => make("option", {}, line.name)));
  select.selectedIndex = lines.indexOf(busiest);
  show();
  return make("div", { class: "one-node" }, make("label", { for: "timeline-select" }, "One node "), select, holder);
}

function drawLines(width, lines, binNs) {
  const bins = lines[0].waiting.length;
  const unit = unitFor(bins * binNs);
  const points = lines.flatMap((line) => d3.range(bins + 1).flatMap((bin) => ["waiting", "transfer"].map((kind) =>
    ({ node: line.node, kind, at: (bin * binNs) / unit.divide, share: line[kind][Math.min(bin, bins - 1)] }))));
  const spots = lines.flatMap((line) => d3.range(bins).map((bin) => ({ node: line.node, at: ((bin + 0.5) * binNs) / unit.divide,
    text: `${line.name}, ${timeText(bin * binNs)}\nwaiting ${percentText(line.waiting[bin])}\ntransfer ${percentText(line.transfer[bin])}` })));
  const most = d3.max(lines, (line) => d3.max(d3.range(bins), (bin) => line.waiting[bin] + line.transfer[bin]));
  const top = Math.max(0.1, Math.ceil(most * 10) / 10);
  const isAlone = lines.length === 1;
  const label = `Waiting and transfer over time. Mean waiting: ${lines.map((line) => `${line.name} ${percentText(d3.mean(line.waiting))}`).join(", ")}.`;
  return plot(width, label, {
    height: isAlone ? 160 : 60 + lines.length * (lines.length <= 6 ? 64 : 48),
    marginTop: 26,
    marginBottom: 36,
    marginRight: 40,
    marginLeft: isAlone ? 12 : 84,
    fy: { label: null, domain: lines.map((line) => line.node), padding: 0.18, axis: isAlone ? null : "left",
      tickFormat: (node) => shortText(lines.find((line) => line.node === node).name, 12) },
    x: axis(`time since the start (${unit.name})`),
    y: { domain: [0, top], label: null, axis: "right", ticks: [top / 2, top], tickFormat: percentText, tickSize: 0 },
    marks: [
      Plot.gridY([top / 2, top], { stroke: RULE, strokeOpacity: 1 }),
      Plot.areaY(points, Plot.stackY({ order: ["waiting", "transfer"] }, { x: "at", y: "share", z: "kind", fy: "node", curve: "step-after",
        fill: (point) => (point.kind === "waiting" ? WAITING : TRANSFER) })),
      Plot.ruleY([0], { stroke: INK }),
      ...key([{ text: "waiting", color: WAITING }, { text: "transfer", color: TRANSFER }]),
      Plot.tip(spots, Plot.pointer({ x: "at", y: top / 2, fy: "node", title: "text" })),
    ],
  });
}

function drawNodes(width, lines, binNs, kind, theme) {
  const bins = lines[0][kind].length;
  const unit = unitFor(bins * binNs);
  const perBin = binNs / unit.divide;
  const timeTicks = d3.ticks(0, bins * perBin, 5).map((time) => time / perBin);
  const step = Math.ceil(lines.length / 12);
  return heatMap(width, {
    label: `${kind} of each node over time`,
    values: lines.map((line) => line[kind]),
    ramp: kind,
    theme,
    color: { type: "linear", domain: [0, d3.max(lines, (line) => d3.max(line[kind])) || 1], label: `share in ${kind}`, tickFormat: percentText },
    height: Math.max(180, Math.min(420, lines.length * 3)),
    marginLeft: 72,
    x: axis(`time since the start (${unit.name})`, { ticks: timeTicks, tickFormat: (bin) => digits(bin * perBin).replace(/\.0+$/, ""), tickSize: 3 }),
    y: axis(null, { ticks: d3.range(0, lines.length, step).map((row) => row + 0.5), tickSize: 3,
      tickFormat: (at) => shortText(lines[Math.floor(at)].name, 10) }),
    text: (row, bin) => `${lines[row].name}, ${timeText(bin * binNs)}\n${kind} ${percentText(lines[row][kind][bin])}`,
  });
}
