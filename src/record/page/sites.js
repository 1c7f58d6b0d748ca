// The table of call sites, and what opens below one of them.

const SITES_OPEN_ON_PAPER = 4;

function showSites(section, report) {
  if (report.sites.length === 0) {
    section.append(note("The program made no collective call that was recorded."));
    return null;
  }
  const most = d3.max(report.sites, (site) => site.waiting_ns + site.transfer_ns) || 1;
  const table = sortableTable({
    name: "site-table", label: "Call sites", noun: "call site", columns: siteColumns(most), rows: report.sites, sortBy: "waiting", mostRows: 30,
    detail: { id: (site) => `site-${site.site}`, content: (site) => siteDetail(site, report) },
  });
  const found = make("span", { class: "quiet", role: "status" });
  const filter = make("input", { type: "search", id: "site-filter", placeholder: "file, function, collective", autocomplete: "off" });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const count = table.filterBy((site) => words.every((word) => searchText(site).includes(word)));
    found.textContent = words.length ? `${countText(count)} of ${plural(report.sites.length, "call site")}` : "";
  });
  section.append(
    note("One line for each place in the program, collective and communicator. A line opens with Enter or a click and closes with Escape; up and down go from line to line."),
    make("p", { class: "tools" }, make("label", { for: "site-filter" }, "Filter "), filter, " ", found),
    table.element);
  printOpened(table);
  return table;
}

function searchText({ place, module, collective, communicator, interface: kind }) {
  return `${place} ${module} ${collective} ${communicator} ${kind}`.toLowerCase();
}

function siteColumns(most) {
  const bar = (site) => make("span", { class: "shares", "aria-hidden": "true" }, [["waiting", site.waiting_ns], ["transfer", site.transfer_ns]]
    .map(([kind, ns]) => {
      const piece = make("span", { class: kind });
      piece.style.width = `${(100 * ns) / most}%`;
      return piece;
    }));
  return [
    { name: "place", label: "Call site", isText: true, value: (site) => site.place, show: (site) => make("span", { class: "place" }, site.place) },
    { name: "collective", label: "Collective", isText: true, value: (site) => site.collective,
      show: (site) => (site.interface === "blocking" ? site.collective : make("span", {}, site.collective, make("small", { class: "quiet" }, ` ${site.interface}`))) },
    { name: "ranks", label: "Ranks", value: (site) => site.ranks },
    { name: "bytes", label: "Bytes", hint: "The largest call; the details show the smallest too", value: (site) => site.most_bytes, show: (site) => byteText(site.most_bytes) },
    { name: "calls", label: "Calls", value: (site) => site.calls },
    { name: "waiting", label: "Waiting", hint: "Summed over ranks", value: (site) => site.waiting_ns, show: (site) => timeText(site.waiting_ns) },
    { name: "transfer", label: "Transfer", hint: "Summed over ranks", value: (site) => site.transfer_ns, show: (site) => timeText(site.transfer_ns) },
    { name: "both", label: "Both", isDrawn: true, hint: "Waiting and transfer together", value: (site) => site.waiting_ns + site.transfer_ns, show: bar },
    { name: "median", label: "Spread", hint: "From the first to the last arrival, median of the calls", value: (site) => site.spread.median_ns, show: (site) => timeText(site.spread.median_ns) },
    { name: "p90", label: "90 %", hint: "90 % of the calls have less spread", value: (site) => site.spread.p90_ns, show: (site) => timeText(site.spread.p90_ns) },
    { name: "most", label: "Most", hint: "The largest spread", value: (site) => site.spread.most_ns, show: (site) => timeText(site.spread.most_ns) },
    { name: "latest", label: "Latest", hint: "The rank that caused most of the waiting", value: (site) => site.late_ranks[0]?.rank,
      show: (site) => (site.late_ranks.length ? `rank ${site.late_ranks[0].rank}` : undefined) },
  ];
}

function siteDetail(site, report) {
  const { arrival, heat, cause, spread } = site;
  const name = `site-${site.site}`;
  return make("div", { class: "site", role: "group", "aria-label": `Details of ${site.place}` },
    cause && make("p", { class: "cause" }, causeText(cause, report)),
    facts([
      ["Communicator", site.communicator], ["Module", site.module || undefined], ["Interface", site.interface],
      ["Bytes", byteRangeText(site.least_bytes, site.most_bytes)],
      ["Judged", `${countText(site.judged_calls)} of ${plural(site.calls, "call")}`],
      ["Hidden transfer", site.hidden_ns ? timeText(site.hidden_ns) : undefined],
    ]),
    make("div", { class: "pair" },
      arrival?.ranks.length ? figure({ name: `${name}-arrival`, title: "Who arrives when", hint: "after the first rank of the call", draw: (width) => drawArrival(width, arrival) })
        : note("The report keeps arrivals by rank only for the call sites with most waiting."),
      spread.histogram.length ? figure({ name: `${name}-spread`, title: "How far apart they arrive", hint: "all judged calls", draw: (width) => drawSpread(width, spread) })
        : note("No call was judged, so there are no spreads.")),
    heat?.rows.length && heat.columns.length ? figure({ name: `${name}-heat`, title: "Lateness of each rank in each call", hint: heatHint(heat),
      draw: (width) => inBothThemes((theme) => drawHeat(width, heat, theme)) }) : null,
    make("div", { class: "pair" },
      site.late_ranks.length ? figure({ name: `${name}-late`, title: "Ranks that others wait for", draw: (width) => drawLateRanks(width, site.late_ranks) })
        : note("No rank was late here."),
      choiceTable(site)));
}

function causeText({ text, gap_ns: gap, typical_gap_ns: typical }) {
  return gap === undefined || typical === undefined ? text : `${text}: ${timeText(gap)} before the call, where the others take ${timeText(typical)}`;
}

function heatHint({ rows, columns }) {
  const isMerged = (spans) => spans.some(({ first, last }) => first !== last);
  const merged = [isMerged(rows) && "ranks", isMerged(columns) && "calls"].filter(Boolean);
  return merged.length ? `neighbouring ${merged.join(" and ")} share a cell` : "";
}

function choiceTable(site) {
  if (site.choices.length === 0) return note("What served these calls is not known.");
  const table = sortableTable({
    name: `site-${site.site}-choices`, label: "What served these calls", rows: site.choices, sortBy: "calls", noun: "choice",
    columns: [
      { name: "choice", label: "Served by", isText: true, value: (line) => line.choice, show: (line) => make("code", {}, line.choice) },
      { name: "reason", label: "Why", isText: true, value: (line) => line.reason },
      { name: "calls", label: "Calls", value: (line) => line.calls },
      { name: "transfer", label: "Median transfer", value: (line) => line.median_transfer_ns, show: (line) => timeText(line.median_transfer_ns) },
    ],
  });
  return make("div", { class: "choices" }, make("h3", {}, "What served these calls"), table.element);
}

// Paper cannot be clicked, so the first lines open for it.
function printOpened(table) {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = table.shownLines().slice(0, SITES_OPEN_ON_PAPER).filter((line) => !line.isOpen());
    for (const line of opened) line.set(true);
    drawNow(document);
  });
  addEventListener("afterprint", () => {
    for (const line of opened) line.set(false);
    opened = [];
  });
}
