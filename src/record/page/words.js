// Numbers and names as a person reads them.

const UNITS = [
  { most: 1e3, divide: 1, name: "ns" },
  { most: 1e6, divide: 1e3, name: "µs" },
  { most: 1e9, divide: 1e6, name: "ms" },
  { most: 600e9, divide: 1e9, name: "s" },
  { most: 7200e9, divide: 60e9, name: "min" },
  { most: Infinity, divide: 3600e9, name: "h" },
];

const VERDICTS = {
  unfinished: "Did not finish",
  slow_rank: "Slow rank",
  slow_node: "Slow node",
  late_at_times: "Late at times",
  moving_imbalance: "Moving imbalance",
  slow_transfer: "Slow transfer",
  wrong_algorithm: "Wrong algorithm",
  mostly_transfer: "Mostly transfer",
  cannot_tell: "Cannot tell",
  nothing_wrong: "Nothing wrong",
};

const NOTHING = "–";

// Making one is slow, and charts have ten thousands of numbers.
const FORMATS = [0, 1, 2].map((places) => new Intl.NumberFormat("en-US", { minimumFractionDigits: places, maximumFractionDigits: places }));

function unitFor(mostNs) {
  return UNITS.find((unit) => Math.abs(mostNs) < unit.most);
}

// Three digits that count, without an exponent.
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const places = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return FORMATS[places].format(value);
}

function timeText(ns) {
  if (ns === undefined) return NOTHING;
  if (ns === 0) return "0";
  const unit = unitFor(ns);
  return unit.divide === 1 ? `${Math.round(ns)} ns` : `${digits(ns / unit.divide)}\u00a0${unit.name}`;
}

function signedTimeText(ns) {
  if (ns === undefined) return NOTHING;
  if (ns === 0) return "0";
  return `${ns > 0 ? "+" : "−"}${timeText(Math.abs(ns))}`;
}

function countText(value) {
  return FORMATS[0].format(value);
}

function plural(value, one, many = `${one}s`) {
  return `${countText(value)} ${value === 1 ? one : many}`;
}

function byteText(bytes) {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step + 1 < names.length) {
    value /= 1024;
    step += 1;
  }
  return `${Number(value.toFixed(value < 10 ? 1 : 0))}\u00a0${names[step]}`;
}

function byteRangeText(least, most) {
  return least === most ? byteText(most) : `${byteText(least)} – ${byteText(most)}`;
}

function percentText(share) {
  const value = 100 * share;
  return `${value !== 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)}\u00a0%`;
}

function scoreText(score) {
  return score.toFixed(3);
}

function dateText(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

// Strings of a report have any length; axes have not.
function shortText(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
