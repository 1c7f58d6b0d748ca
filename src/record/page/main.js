// Reads the report and fills the page; one part that fails does not take the others with it.

function fail(text) {
  const place = part("failure");
  place.textContent = text;
  place.hidden = false;
}

function fill(id, show) {
  const section = part(id);
  try {
    return show(section);
  } catch (error) {
    section.append(make("p", { class: "failure" }, `This part could not be drawn: ${error.message}.`));
    return null;
  }
}

function themeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = part("theme");
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light theme" : "Dark theme";
  };
  const follow = () => set(system.matches ? "dark" : "light");
  button.addEventListener("click", () => set(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  system.addEventListener("change", follow);
  follow();
  button.hidden = false;
}

function main() {
  themeButton();
  const { report, failure } = readReport(part("report").textContent);
  if (failure) {
    fail(failure);
    return;
  }
  part("report-body").hidden = false;
  showHead(report);
  let table = null;
  const openSite = (site) => {
    const line = table.lineOf(site);
    line.set(true);
    line.button.focus();
    line.line.scrollIntoView({ block: "start" });
  };
  fill("what-to-do", (section) => showWhatToDo(section, report, openSite));
  fill("timeline", (section) => showTimeline(section, report));
  table = fill("sites", (section) => showSites(section, report));
  fill("ranks", (section) => showRanks(section, report));
  fill("selection", (section) => showSelection(section, report));
  fill("caveats", (section) => showCaveats(section, report));
}

main();
