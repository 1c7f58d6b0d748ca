// Tables that sort by any column, show the first rows, and open details below a row.

// A column: { name, label, hint, value(row) to sort by, show(row) to print, isText }. Without `show`, `value` is printed.
function sortableTable({ name, label, columns, rows, sortBy, isDescending = true, mostRows = 25, detail, noun = "row" }) {
  const state = { column: columns.find((column) => column.name === sortBy), isDescending, limit: mostRows, filter: null, shown: [] };
  const lines = new Map(rows.map((row) => [row, null]));
  const body = make("tbody");
  const heads = columns.map((column) => make("th",
    { scope: "col", class: kindOf(column), "data-column": column.name },
    make("button", { type: "button", title: column.hint, click: () => sortOn(column) }, column.label)));
  const more = make("button", { type: "button", class: "small more", click: () => { state.limit = Infinity; render(); } });
  const table = make("table", { id: name, "aria-label": label }, make("thead", {}, make("tr", {}, heads)), body);
  const element = make("div", { class: "table" }, make("div", { class: "scroll" }, table), more);

  function sortOn(column) {
    state.isDescending = state.column === column ? !state.isDescending : !column.isText;
    state.column = column;
    render();
  }

  function compare(one, other) {
    const [a, b] = [state.column.value(one), state.column.value(other)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
    return state.isDescending ? -order : order;
  }

  function lineOf(row) {
    if (!lines.get(row)) lines.set(row, makeLine(row, columns, detail));
    return lines.get(row);
  }

  function render() {
    const wanted = rows.filter((row) => !state.filter || state.filter(row)).sort(compare);
    const shown = wanted.slice(0, state.limit);
    state.shown = shown;
    body.replaceChildren(...shown.flatMap((row) => lineOf(row).elements()));
    heads.forEach((head, index) => {
      if (columns[index] === state.column) head.setAttribute("aria-sort", state.isDescending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    more.hidden = shown.length === wanted.length;
    more.textContent = `Show all ${plural(wanted.length, noun)}`;
    return wanted.length;
  }

  function showing(row) {
    const isVisible = () => body.contains(lineOf(row).line);
    if (!isVisible()) {
      state.filter = null;
      state.limit = isVisible() ? state.limit : Infinity;
      render();
    }
    return lineOf(row);
  }

  if (detail) body.addEventListener("keydown", (event) => moveByKey(event, body));
  render();
  return {
    element,
    filterBy: (filter) => { state.filter = filter; return render(); },
    lineOf: showing,
    shownLines: () => state.shown.map(lineOf),
  };
}

function kindOf({ isText, isDrawn }) {
  return isText || isDrawn ? "text" : "number";
}

function makeLine(row, columns, detail) {
  const cells = columns.map((column, index) => {
    const shown = column.show ? column.show(row) : column.value(row);
    const content = shown === undefined ? NOTHING : typeof shown === "number" ? countText(shown) : shown;
    return index === 0 ? make("th", { class: kindOf(column), scope: "row" }, content) : make("td", { class: kindOf(column) }, content);
  });
  const line = make("tr", { class: "line" }, cells);
  if (!detail) return { line, elements: () => [line] };
  return lineWithDetail(row, line, cells[0], columns.length, detail);
}

// The details are made when they are first opened, since most never are.
function lineWithDetail(row, line, firstCell, width, detail) {
  const id = detail.id(row);
  const button = make("button",
    { type: "button", class: "open", "aria-expanded": "false", "aria-controls": id, click: () => set(!isOpen()) },
    ...firstCell.childNodes);
  firstCell.replaceChildren(button);
  let below = null;

  function isOpen() {
    return button.getAttribute("aria-expanded") === "true";
  }

  function set(willBeOpen) {
    if (willBeOpen && !below) {
      below = make("tr", { class: "detail", id }, make("td", { colspan: width }, detail.content(row)));
      below.addEventListener("keydown", closeOnEscape);
    }
    button.setAttribute("aria-expanded", String(willBeOpen));
    if (willBeOpen) line.after(below);
    else if (below) below.remove();
  }

  function closeOnEscape(event) {
    if (event.key !== "Escape" || !isOpen()) return;
    set(false);
    button.focus();
  }

  line.addEventListener("keydown", closeOnEscape);
  line.addEventListener("click", (event) => {
    if (!event.target.closest("button, a") && String(getSelection()) === "") set(!isOpen());
  });
  return { line, button, set, isOpen, elements: () => (isOpen() ? [line, below] : [line]) };
}

// Up and down go from line to line, as in a list.
function moveByKey(event, body) {
  const buttons = [...body.querySelectorAll("button.open")];
  const at = buttons.indexOf(event.target);
  const wanted = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || wanted === undefined || !buttons[wanted]) return;
  event.preventDefault();
  buttons[wanted].focus();
}
