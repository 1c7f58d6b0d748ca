// The head of the page, the three sentences, and the caveats.

function showHead(report) {
  const { run } = report;
  part("title").textContent = run.program;
  document.title = `${run.program} – Tutti report`;
  const words = [`${plural(run.ranks, "rank")} on ${plural(run.nodes, "node")}`, timeText(run.elapsed_ns), run.ended, plural(run.calls, "call"), run.mpi,
    dateText(run.started), run.job && `job ${run.job}`];
  part("run").replaceChildren(...words.filter(Boolean).map((word) => make("span", {}, word)));
}

function showWhatToDo(section, report, openSite) {
  section.append(
    make("ol", { class: "sentences" }, report.what_to_do.slice(0, 3).map((text) => make("li", {}, text))),
    warning(report) ?? "",
    report.verdicts.length ? make("ul", { class: "verdicts" }, report.verdicts.map((verdict) => verdictItem(verdict, report, openSite))) : "",
    totals(report));
}

function verdictItem(verdict, report, openSite) {
  const site = report.sites.find((line) => line.site === verdict.site);
  return make("li", { class: verdict.kind === "nothing_wrong" ? "good" : "" },
    make("strong", {}, VERDICTS[verdict.kind] ?? verdict.kind), " ", make("span", {}, verdict.text),
    verdict.share !== undefined ? make("span", { class: "quiet" }, ` (${percentText(verdict.share)})`) : "",
    site ? [" ", make("a", { href: `#site-${site.site}`, click: (event) => { event.preventDefault(); openSite(site); } }, `See ${shortText(site.place, 60)}`)] : "");
}

function totals(report) {
  const { totals: sums, run } = report;
  const ofRanks = (ns) => (sums.rank_ns ? `${percentText(ns / sums.rank_ns)} of the ranks' time` : undefined);
  return facts([
    ["Waiting", timeText(sums.waiting_ns), ofRanks(sums.waiting_ns), "waiting"],
    ["Transfer", timeText(sums.transfer_ns), ofRanks(sums.transfer_ns), "transfer"],
    ["For messages", sums.messages_ns ? timeText(sums.messages_ns) : undefined, `of both; ${timeText(sums.messages_waiting_ns)} is waiting`],
    ["Hidden transfer", timeText(sums.hidden_ns), "behind computing"],
    ["Time of all ranks", timeText(sums.rank_ns), run.dropped ? "of which there are records" : plural(run.ranks, "rank")],
    ["Without lateness", sums.without_lateness_ns === undefined || report.verdicts[0]?.kind === "unfinished" ? undefined : timeText(sums.without_lateness_ns), `instead of ${timeText(run.recorded_ns)}`],
  ]);
}

// What makes the whole report less sure stands near the top.
function gaps({ run, missing }) {
  return [
    missing.length && `${plural(missing.length, "part")} missing or cut short`,
    run.dropped && `${plural(run.dropped, "record")} dropped`,
    run.sampled_every > 1 && `only one call in ${run.sampled_every} was recorded`,
  ].filter(Boolean);
}

function warning(report) {
  const found = gaps(report);
  return found.length ? make("p", { class: "warning" }, make("strong", {}, "Not everything was recorded: "), `${found.join("; ")}. `,
    make("a", { href: "#caveats" }, "See the caveats")) : undefined;
}

function showCaveats(section, report) {
  const { run, totals: sums } = report;
  const list = (title, items) => (items.length ? [make("h3", {}, title), make("ul", {}, items.map((text) => make("li", {}, text)))] : []);
  section.append(
    ...list("How to read the numbers", report.notes),
    ...list("What is missing", report.missing),
    ...list("Other libraries between the program and MPI", report.chain),
    facts([
      ["Records", countText(run.records)], ["Dropped", countText(run.dropped)],
      ["Recorded", run.sampled_every > 1 ? `one call in ${run.sampled_every}` : "every call"],
      ["Calls not judged", countText(sums.unjudged_calls)], ["Clock error", timeText(run.clock_error_ns)],
    ]));
}
