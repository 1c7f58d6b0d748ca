// Ranks and nodes by score.

function showRanks(section, report) {
  const hosts = new Map(report.nodes.map(({ node, host }) => [node, host]));
  const present = report.ranks.filter((line) => !line.is_missing);
  if (present.length === 0) {
    section.append(note("No rank was recorded."));
    return;
  }
  const missing = report.ranks.filter((line) => line.is_missing);
  section.append(
    note("A score of 1 is best, 0.5 twice as slow: the busy time of a typical rank (relative), or the rank's " +
      "own best (individual), by its busy time."),
    make("div", { class: "pair" },
      figure({ name: "scores", title: "Score of each rank", draw: (width) => drawScores(width, present) }),
      figure({ name: "caused", title: "Waiting that each rank caused", hint: "summed over those who waited", draw: (width) => drawCaused(width, present) })),
    missing.length ? note(`Without a record: ${shortText(missing.map((line) => `rank ${line.rank}`).join(", "), 200)}.`) : "",
    make("div", { class: "pair tables" },
      make("div", {}, make("h3", {}, "Ranks"), rankTable(report.ranks, hosts).element),
      make("div", {}, make("h3", {}, "Nodes"), nodeTable(report.nodes).element)));
}

function scoreColumns() {
  const unlessMissing = (value) => (line) => (line.is_missing ? undefined : value(line));
  const shown = (value, text) => (line) => (line.is_missing ? undefined : text(value(line)));
  const column = (name, label, hint, value, text) => ({ name, label, hint, value: unlessMissing(value), show: shown(value, text) });
  return [
    column("relative", "Relative", "Relative score; 1 is best", (line) => line.relative_score, scoreText),
    column("individual", "Individual", "Individual score; 1 is best", (line) => line.individual_score, scoreText),
    column("caused", "Caused", "Waiting of others that it caused", (line) => line.caused_ns, timeText),
    column("waiting", "Waiting", undefined, (line) => line.waiting_ns, timeText),
    column("transfer", "Transfer", undefined, (line) => line.transfer_ns, timeText),
  ];
}

function rankTable(ranks, hosts) {
  return sortableTable({
    name: "rank-table", label: "Ranks", rows: ranks, sortBy: "relative", isDescending: false, mostRows: 10, noun: "rank",
    columns: [
      { name: "rank", label: "Rank", value: (line) => line.rank, show: (line) => String(line.rank) },
      { name: "node", label: "Node", isText: true, value: (line) => nameOfNode(line.node, hosts),
        show: (line) => shortText(nameOfNode(line.node, hosts), 24) },
      ...scoreColumns(),
      { name: "late", label: "Late calls", value: (line) => line.late_calls },
      ...(ranks.some((line) => line.dropped) ? [{ name: "dropped", label: "Dropped", hint: "Records that found no room", value: (line) => line.dropped }] : []),
    ],
  });
}

function nodeTable(nodes) {
  return sortableTable({
    name: "node-table", label: "Nodes", rows: nodes, sortBy: "relative", isDescending: false, mostRows: 10, noun: "node",
    columns: [
      { name: "node", label: "Node", isText: true, value: (line) => line.host, show: (line) => shortText(line.host, 24) },
      { name: "ranks", label: "Ranks", value: (line) => line.ranks },
      ...scoreColumns(),
      { name: "clock", label: "Clock", hint: "How wrong its clock may be", value: (line) => line.clock_error_ns, show: (line) => timeText(line.clock_error_ns) },
    ],
  });
}

function rankAxis(width, ranks) {
  const [from, to] = d3.extent(ranks, (line) => line.rank);
  return axis("rank in MPI_COMM_WORLD", { domain: [from - 0.5, to + 0.5], ticks: wholeTicks(from, to, width / 50), tickFormat: String });
}

function drawScores(width, ranks) {
  const isDense = ranks.length > MOST_RANKS_AS_DOTS;
  const worst = d3.least(ranks, (line) => line.relative_score);
  const least = d3.min(ranks, (line) => Math.min(line.relative_score, line.individual_score));
  return plot(width, `Score of each rank; rank ${worst.rank} has the lowest relative score, ${scoreText(worst.relative_score)}.`, {
    height: 230,
    marginTop: 30,
    marginBottom: 38,
    x: rankAxis(width, ranks),
    y: axis("score", { domain: [Math.floor(Math.min(least, 0.9) * 10) / 10, Math.max(1, d3.max(ranks, (line) => line.relative_score))], grid: true, nice: true }),
    marks: [
      Plot.ruleY([1], { stroke: INK }),
      Plot.dot(ranks, { x: "rank", y: "individual_score", r: isDense ? 1 : 4, stroke: INK, strokeOpacity: isDense ? 0.4 : 1 }),
      Plot.dot(ranks, { x: "rank", y: "relative_score", r: isDense ? 2.2 : 4, fill: LATENESS, fillOpacity: isDense ? 0.7 : 1 }),
      ...key([{ text: "relative", color: LATENESS }, { text: "individual", color: INK, isOpen: true }]),
      Plot.tip(ranks, Plot.pointer({ x: "rank", y: "relative_score",
        title: (line) => `rank ${line.rank}\nrelative ${scoreText(line.relative_score)}\nindividual ${scoreText(line.individual_score)}` })),
    ],
  });
}

function drawCaused(width, ranks) {
  const unit = unitFor(d3.max(ranks, (line) => line.caused_ns));
  const worst = d3.greatest(ranks, (line) => line.caused_ns);
  const pixels = Math.max(1.2, Math.min(28, ((width - 80) / ranks.length) * 0.7));
  return plot(width, `Waiting caused by each rank; rank ${worst.rank} caused most, ${timeText(worst.caused_ns)}.`, {
    height: 230,
    marginTop: 26,
    marginBottom: 38,
    x: rankAxis(width, ranks),
    y: axis(`waiting caused (${unit.name})`, { grid: true, nice: true, zero: true }),
    marks: [
      Plot.ruleX(ranks, { x: "rank", y: (line) => line.caused_ns / unit.divide, stroke: WAITING, strokeWidth: pixels }),
      Plot.ruleY([0], { stroke: INK }),
      Plot.tip(ranks, Plot.pointerX({ x: "rank", y: (line) => line.caused_ns / unit.divide,
        title: (line) => `rank ${line.rank}\ncaused ${timeText(line.caused_ns)}\nin ${plural(line.late_calls, "call")}` })),
    ],
  });
}
