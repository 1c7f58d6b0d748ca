// Elements of the page. Strings become text nodes and never markup: a report may come from anybody.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}

function part(id) {
  return document.getElementById(id);
}

function note(text) {
  return make("p", { class: "quiet" }, text);
}

function swatch(kind) {
  return make("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== undefined);
  return make("dl", { class: "facts" }, shown.map(([name, value, hint, kind]) => make("div", {},
    make("dt", {}, kind && swatch(kind), name),
    make("dd", {}, make("strong", {}, value), hint && make("span", { class: "quiet" }, ` ${hint}`)))));
}
