"use strict";

// On a phone the contents would fill the window.
if (matchMedia("(max-width: 46rem)").matches) document.getElementById("contents").open = false;

// Headers become buttons that sort: by value downwards or by text upwards, then the other way, then as written.
const collator = new Intl.Collator("en", { numeric: true });
function sortable(table) {
  const body = table.tBodies[0];
  const written = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const first = head.classList.contains("number") ? "descending" : "ascending";
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const second = first === "ascending" ? "descending" : "ascending";
      const now = before === null ? first : before === first ? second : null;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      if (now) head.setAttribute("aria-sort", now);
      body.append(...(now ? sorted(written, column, head.classList.contains("number"), now) : written));
    });
  });
}
// What has no value stays last either way, and rows that are alike stay in the order in which they were written.
function sorted(rows, column, numeric, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  const value = (row) => {
    const cell = row.cells[column];
    if (numeric) return "value" in cell.dataset ? Number(cell.dataset.value) : null;
    return cell.textContent.trim() || null;
  };
  const compare = numeric ? (a, b) => a - b : (a, b) => collator.compare(a, b);
  return rows
    .map((row) => ({ row, value: value(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
      return sign * compare(a.value, b.value);
    })
    .map((one) => one.row);
}
document.querySelectorAll("table.sorted").forEach(sortable);

// The list of trials behind a number: #trials?agent=a&agent=b;agent=c is (agent a or b) or (agent c).
const PIECE = 100;
const SAID = { pass: "passed", fail: "failed", error: "errors", missing: "missing", unjudged: "unjudged" };
// What can't be seen, and what turns other text around, is shown by its code point.
const HIDDEN =
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]/gu;
const seen = (text) =>
  text.replace(HIDDEN, (one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

const LONGEST = 120; // characters of a name
const cut = (text) => {
  const whole = seen(text);
  if (whole.length <= LONGEST) return whole;
  return `${whole.slice(0, 80)}… (${whole.length.toLocaleString("en")} characters)`;
};

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}
function link(href, words, label) {
  const made = element("a", "", words);
  made.href = href;
  if (label) made.setAttribute("aria-label", label);
  return made;
}

function trials(data) {
  const { names, runs, conditions, places, rows, keys, digits } = data;
  const fields = Object.keys(names);
  const view = document.getElementById("trials-view");
  const heading = document.getElementById("trials");
  const count = document.getElementById("trials-count");
  const groupsBox = document.getElementById("trials-groups");
  const list = document.getElementById("trials-list");
  const more = document.getElementById("trials-more");
  const whole = rows.map((row) => {
    const [agent, simulator, verifier, faults, run] = conditions[row[0]];
    const [industry, scenario, task] = places[row[1]];
    return { agent, simulator, verifier, faults, run, industry, scenario, task, outcome: row[3] };
  });
  let found = [];
  let shown = 0;

  // The groups of an address; a name that nobody has takes no trial. Null: not an address of this list.
  function parse(hash) {
    if (hash !== "#trials" && !hash.startsWith("#trials?")) return null;
    return hash.slice("#trials?".length).split(";").map((group) => {
      const wanted = new Map();
      for (const part of group.split("&").filter(Boolean)) {
        const at = part.indexOf("=");
        const field = part.slice(0, at);
        if (!fields.includes(field)) throw new Error(`unknown field ${field}`);
        const raw = part.slice(at + 1);
        const number = raw.startsWith("~") ? Number(raw.slice(1)) : names[field].indexOf(decodeURIComponent(raw));
        const said = names[field][number] ?? decodeURIComponent(raw);
        wanted.set(field, [...(wanted.get(field) ?? []), { raw, number, said }]);
      }
      return wanted;
    });
  }
  const spell = (groups) =>
    "#trials?" +
    groups
      .map((group) => [...group].flatMap(([name, some]) => some.map((one) => `${name}=${one.raw}`)).join("&"))
      .join(";");
  function matching(groups) {
    const tests = groups.map((group) => [...group].map(([name, some]) => [name, new Set(some.map((o) => o.number))]));
    const fits = (trial) => tests.some((test) => test.every(([name, numbers]) => numbers.has(trial[name])));
    return [...whole.keys()].filter((at) => fits(whole[at]));
  }

  function describe(groups) {
    groupsBox.replaceChildren(
      ...groups.map((group) => {
        const chips = [...group].map(([name, some]) => {
          const words = some.flatMap((one, at) => [at ? " or " : "", element("bdi", "", cut(SAID[one.said] ?? one.said))]);
          const chip = element("span", "chip", `${name}: `, ...words);
          const rest = groups.map((one) => (one === group ? new Map([...one].filter(([key]) => key !== name)) : one));
          if (groups.length === 1) chip.append(link(spell(rest), "×", `any ${name}`));
          return chip;
        });
        return element("p", "group", ...(chips.length ? chips : ["All trials"]));
      }),
    );
  }
  function tell(groups) {
    const tally = new Map();
    for (const at of found) tally.set(whole[at].outcome, (tally.get(whole[at].outcome) ?? 0) + 1);
    const parts = names.outcome.flatMap((outcome, number) => {
      if (!tally.has(number)) return [];
      const narrowed = groups.map((group) => new Map(group).set("outcome", [{ raw: outcome, number, said: outcome }]));
      const many = tally.get(number);
      const word = outcome === "error" && many === 1 ? outcome : SAID[outcome];
      return [link(spell(narrowed), `${many.toLocaleString("en")} ${word}`), ", "];
    });
    const noun = found.length === 1 ? "trial" : "trials";
    count.replaceChildren(`${found.length.toLocaleString("en")} ${noun}`, parts.length ? ": " : "", ...parts.slice(0, -1));
  }

  const escaped = (part) =>
    encodeURIComponent(part)
      .replace(/[!~*'()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/%(3A|2B|3D|40)/g, decodeURIComponent);
  function keyOf(at) {
    const one = whole[at];
    const condition = ["agent", "simulator", "verifier", "faults"].map((name) => escaped(names[name][one[name]]));
    return keys[at] ?? `${condition.join(",")}/${escaped(names.task[one.task])}/${rows[at][2]}`;
  }
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
  function long(text) {
    const shownText = seen(text);
    if (shownText.length <= 300) return element("code", "", shownText);
    const rest = element("details", "", element("summary", "", `${shownText.length.toLocaleString("en")} characters`));
    rest.append(element("code", "", shownText));
    return element("span", "", element("code", "", `${shownText.slice(0, 120)}…`), rest);
  }
  function entry(at) {
    const one = whole[at];
    const [, , , outcome, cassette] = rows[at];
    const word = names.outcome[outcome];
    const key = keyOf(at);
    const where = [names.industry[one.industry], names.scenario[one.scenario], `run ${runs[one.run][0]}`];
    const item = element("li", "", element("span", `badge ${word}`, word), element("div", "", long(key)));
    const place = element("div", "where");
    where.forEach((part, number) => place.append(number ? " · " : "", element("bdi", "", cut(part))));
    item.append(place);
    if (!cassette) {
      item.append(element("div", "file", "Not recorded: there is no cassette."));
      return item;
    }
    const name = digits < 64 ? `${cassette}….cassette` : `${cassette}.cassette`;
    item.append(element("div", "file", element("code", "", name)));
    item.append(element("div", "file", long(`replaylab show ${quoted(key)} --run ${quoted(runs[one.run][1])}`)));
    return item;
  }
  function next() {
    const piece = found.slice(shown, shown + PIECE).map(entry);
    shown += piece.length;
    list.append(...piece);
    const left = found.length - shown;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PIECE, left)} more of ${left.toLocaleString("en")}`;
    return piece;
  }

  let from = null; // the link that the list was opened with
  function draw() {
    let groups = null;
    let odd = "";
    try {
      groups = parse(location.hash);
    } catch {
      odd = "This address can't be read. All trials: ";
    }
    const wanted = groups ?? [new Map()];
    found = matching(wanted);
    shown = 0;
    describe(wanted);
    tell(wanted);
    count.prepend(odd);
    list.replaceChildren();
    next();
    return groups !== null;
  }
  function arrive() {
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  }
  addEventListener("hashchange", () => {
    const inside = document.activeElement === document.body || heading.parentElement.contains(document.activeElement);
    if (draw()) {
      arrive();
    } else if (inside && from) {
      // Back from the list: to the number that it was opened from, where the browser has scrolled to.
      from.focus({ preventScroll: true });
    }
  });
  addEventListener("click", (event) => {
    const clicked = event.target.closest('a[href^="#trials"]');
    if (!clicked) return;
    if (!heading.parentElement.contains(clicked)) from = clicked;
    if (clicked.hash === location.hash) arrive(); // the same link a second time changes no hash
  });
  more.addEventListener("click", () => {
    const piece = next();
    if (piece.length) {
      piece[0].tabIndex = -1;
      piece[0].focus();
    }
  });
  view.hidden = false;
  if (draw()) arrive();
}

const embedded = document.getElementById("trials-data");
if (embedded) trials(JSON.parse(embedded.textContent));
