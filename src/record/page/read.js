// The report, or one sentence about what is wrong with it.

const TIME = "number";
const TEXT = "string";
const SPANS = [{ first: "number", last: "number" }];

// A name that ends in `?` may be absent; a list has one shape for all of its items.
const SHAPE = {
  run: { program: TEXT, mpi: TEXT, ranks: "number", nodes: "number", started: TEXT, elapsed_ns: TIME, recorded_ns: TIME, ended: TEXT, calls: "number",
    records: "number", dropped: "number", sampled_every: "number", clock_error_ns: TIME, "job?": TEXT },
  what_to_do: [TEXT],
  verdicts: [{ kind: TEXT, text: TEXT, "rank?": "number", "ranks?": ["number"], "node?": "number", "site?": "number", "share?": "number" }],
  totals: { waiting_ns: TIME, transfer_ns: TIME, hidden_ns: TIME, messages_ns: TIME, messages_waiting_ns: TIME, rank_ns: TIME, "without_lateness_ns?": TIME,
    unjudged_calls: "number" },
  nodes: [{ node: "number", host: TEXT, ranks: "number", clock_error_ns: TIME, caused_ns: TIME, waiting_ns: TIME,
    transfer_ns: TIME, relative_score: "number", individual_score: "number" }],
  ranks: [{ rank: "number", node: "number", waiting_ns: TIME, transfer_ns: TIME, caused_ns: TIME, late_calls: "number",
    relative_score: "number", individual_score: "number", dropped: "number", is_missing: "boolean" }],
  timeline: { bin_ns: TIME, nodes: [{ node: "number", waiting: ["number"], transfer: ["number"] }] },
  sites: [{
    site: "number", place: TEXT, module: TEXT, collective: TEXT, interface: TEXT, communicator: TEXT, ranks: "number",
    least_bytes: "number", most_bytes: "number", calls: "number", judged_calls: "number", waiting_ns: TIME,
    transfer_ns: TIME, hidden_ns: TIME,
    spread: { median_ns: TIME, p90_ns: TIME, most_ns: TIME, histogram: [{ from_ns: TIME, to_ns: TIME, calls: "number" }] },
    late_ranks: [{ rank: "number", calls: "number", caused_ns: TIME }],
    "cause?": { text: TEXT, "rank?": "number", "gap_ns?": TIME, "typical_gap_ns?": TIME, "after_site?": "number" },
    "arrival?": { ranks: ["number"], mean_ns: [TIME], most_ns: [TIME],
      "worst_call?": { sequence: "number", arrival_ns: [TIME] } },
    "heat?": { rows: SPANS, columns: SPANS, lateness_ns: [[TIME]] },
    choices: [{ choice: TEXT, reason: TEXT, calls: "number", median_transfer_ns: TIME }],
  }],
  selection: [{ collective: TEXT, "bytes?": "number", ranks: "number", choice: TEXT, reason: TEXT, calls: "number",
    "median_ns?": TIME, "native_median_ns?": TIME, "won_ns?": TIME }],
  chain: [TEXT],
  missing: [TEXT],
  notes: [TEXT],
};

function mismatch(value, shape, place) {
  if (typeof shape === "string") return typeof value === shape ? null : `${place} is no ${shape}`;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return `${place} is no list`;
    const bad = value.findIndex((item) => mismatch(item, shape[0], "") !== null);  // names cost time, and there are millions
    return bad < 0 ? null : mismatch(value[bad], shape[0], `${place}[${bad}]`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `${place} is no object`;
  return firstOf(Object.entries(shape).flatMap(([key, inner]) => {
    const name = key.replace("?", "");
    return name !== key && value[name] === undefined ? [] : [[value[name], inner, place ? `${place}.${name}` : name]];
  }));
}

function firstOf(checks) {
  for (const check of checks) {
    const found = mismatch(...check);
    if (found) return found;
  }
  return null;
}

// Lists that belong together have one length; charts rely on it.
function unequalLists(report) {
  for (const [index, { arrival, heat }] of report.sites.entries()) {
    if (arrival) {
      const { ranks, mean_ns: mean, most_ns: most, worst_call: worst } = arrival;
      const lists = [mean, most, worst ? worst.arrival_ns : mean];
      if (lists.some((list) => list.length !== ranks.length)) return `sites[${index}].arrival has lists of different lengths`;
    }
    if (heat) {
      const { rows, columns, lateness_ns: lines } = heat;
      if (lines.length !== rows.length || lines.some((line) => line.length !== columns.length)) {
        return `sites[${index}].heat is no full table`;
      }
    }
  }
  const bins = report.timeline.nodes.flatMap((node) => [node.waiting.length, node.transfer.length]);
  return new Set(bins).size > 1 ? "timeline has lists of different lengths" : null;
}

function readReport(text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return { failure: "This page holds no readable report; write it again with `tutti report`." };
  }
  if (typeof report !== "object" || report === null || !Number.isInteger(report.schema)) {
    return { failure: "The data of this page is no report of Tutti; write it again with `tutti report`." };
  }
  if (report.schema !== 1) {
    return { failure: `This page shows reports of schema 1, and this one is of schema ${report.schema}; ` +
      "use the page that came with the program that wrote it." };
  }
  const found = mismatch(report, SHAPE, "") || unequalLists(report);
  return found ? { failure: `The report is damaged: ${found}; write it again with \`tutti report\`.` } : { report };
}
