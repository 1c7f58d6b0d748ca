// What the selection at run time chose, and what that won or lost.

const MOST_WINS_DRAWN = 12;

function showSelection(section, report) {
  const lines = report.selection;
  if (lines.length === 0) {
    section.append(note("Nothing was selected at run time: the native MPI, or rules, served all calls."));
    return;
  }
  const compared = lines.filter((line) => line.won_ns !== undefined);
  section.append(
    compared.length === 0 ? note("No choice was compared with the native MPI: that was not measured at these call sites.") : wonText(compared, lines),
    selectionTable(lines).element,
    compared.length === 0 ? "" : make("div", { class: "narrow" }, figure({ name: "won", title: "Won and lost",
      hint: compared.length > MOST_WINS_DRAWN ? `the ${MOST_WINS_DRAWN} largest` : "", draw: (width) => drawWon(width, compared) })));
}

function wonText(compared, lines) {
  const won = d3.sum(compared, (line) => line.won_ns);
  const others = lines.length - compared.length;
  return make("p", {}, won >= 0 ? "Together the choices won " : "Together the choices lost ", make("strong", {}, timeText(Math.abs(won))),
    ` of summed time against the native MPI${others ? `, which was not measured for ${plural(others, "choice")} more` : ""}.`);
}

function sizeText({ bytes }) {
  return bytes === undefined ? NOTHING : byteText(bytes);
}

function selectionTable(lines) {
  return sortableTable({
    name: "selection-table", label: "Choices of the selection at run time", rows: lines, sortBy: "won", mostRows: 10, noun: "choice",
    columns: [
      { name: "collective", label: "Collective", isText: true, value: (line) => line.collective },
      { name: "bytes", label: "Bytes", hint: "Where all ranks know them", value: (line) => line.bytes, show: (line) => sizeText(line) },
      { name: "ranks", label: "Ranks", value: (line) => line.ranks },
      { name: "choice", label: "Choice", isText: true, value: (line) => line.choice, show: (line) => make("code", {}, line.choice) },
      { name: "reason", label: "Why", isText: true, value: (line) => line.reason },
      { name: "calls", label: "Calls", value: (line) => line.calls },
      { name: "median", label: "Median", value: (line) => line.median_ns, show: (line) => timeText(line.median_ns) },
      { name: "native", label: "Native", hint: "Median of the native MPI, where it was measured", value: (line) => line.native_median_ns, show: (line) => timeText(line.native_median_ns) },
      { name: "won", label: "Won", value: (line) => line.won_ns, show: (line) => signedTimeText(line.won_ns) },
    ],
  });
}

function drawWon(width, lines) {
  const shown = lines.filter((line) => line.won_ns !== 0).sort((a, b) => Math.abs(b.won_ns) - Math.abs(a.won_ns)).slice(0, MOST_WINS_DRAWN)
    .sort((a, b) => b.won_ns - a.won_ns);
  if (shown.length === 0) return note("Nothing was won and nothing lost.");
  const unit = unitFor(d3.max(shown, (line) => Math.abs(line.won_ns)));
  const bars = shown.map((line, index) => ({ ...line, index, won: line.won_ns / unit.divide }));
  const name = (index) => shortText(`${bars[index].collective} ${sizeText(bars[index])}`, 20);
  return plot(width, `Time won by choices: ${bars.map((bar) => `${name(bar.index)} ${signedTimeText(bar.won_ns)}`).join(", ")}.`, {
    height: 50 + bars.length * 22,
    marginTop: 6,
    marginBottom: 36,
    marginLeft: 116,
    x: axis(`won (${unit.name})`, { grid: true, nice: true, zero: true }),
    y: { label: null, domain: d3.range(bars.length), tickFormat: name, tickSize: 0, padding: 0.3 },
    marks: [
      Plot.barX(bars, { y: "index", x: "won", fill: (bar) => (bar.won > 0 ? "var(--won)" : "var(--lost)") }),
      Plot.ruleX([0], { stroke: INK }),
      Plot.tip(bars, Plot.pointerY({ y: "index", x: "won", title: (bar) => `${bar.collective} ${sizeText(bar)}, ${bar.ranks} ranks\n${bar.choice}\n${signedTimeText(bar.won_ns)} in ${plural(bar.calls, "call")}` })),
    ],
  });
}
