"use strict";

const findings = [...document.querySelectorAll(".finding")];
const named = (one) => (one.classList.contains("short") ? one : one.querySelector(".body"));
const filter = document.getElementById("filter");

// A link into something that is folded or filtered away shows it, with its heading in sight and the focus on it.
function reveal() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // An address that nobody made here: looked up as it stands.
  }
  const target = name && document.getElementById(name);
  if (!target) return;
  const finding = target.closest(".finding");
  if (filter && finding?.hidden) {
    filter.reset();
    apply();
  }
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
  const head = finding?.querySelector(":scope > summary") ?? target;
  head.focus({ preventScroll: true });
  (finding ?? target).scrollIntoView();
}
addEventListener("hashchange", reveal);
// The same link a second time changes no hash.
addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) reveal();
});

// The address names the finding that was opened last, so that it can be copied. What the page opens itself is no choice.
addEventListener("click", (event) => {
  const finding = event.target.closest("summary")?.parentElement;
  if (finding?.classList.contains("finding") && !finding.open) {
    history.replaceState(null, "", `#${named(finding).id}`);
  }
});

// On a phone the filters would fill the window.
if (filter && matchMedia("(max-width: 46rem)").matches) filter.querySelector("details").open = false;

const lists = [...document.querySelectorAll("section.list")];
const status = document.getElementById("count");
const said = status?.textContent;
function apply() {
  const { elements } = filter;
  const wanted = ["kind", "subkind", "tool", "simulator", "task", "against"]
    .map((name) => [name, elements[name].value])
    .filter(([, value]) => value !== "");
  const least = Number(elements.confidence.value || 0);
  const depends = elements.depends.checked;
  const words = elements.find.value.toLowerCase();
  for (const one of findings) {
    const { dataset } = one;
    one.hidden = !(
      wanted.every(([name, value]) => dataset[name] === value) &&
      Number(dataset.confidence) >= least &&
      (!depends || dataset.depends === "yes") &&
      (!words || text(one).includes(words) || named(one).id === words)
    );
  }
  const narrowed = wanted.length > 0 || least > 0 || depends || words !== "";
  const main = findings.filter((one) => one.parentElement === lists[0]);
  const shown = main.filter((one) => !one.hidden).length;
  const others = findings.filter((one) => !one.hidden).length - shown;
  const apart = others ? `, and ${others.toLocaleString("en")} below that are none` : "";
  status.textContent = narrowed
    ? `${shown.toLocaleString("en")} of ${main.length.toLocaleString("en")} findings shown${apart}.`
    : said;
}
// What is searched: the heading and the sentence, and not the whole of every answer.
const texts = new Map();
function text(one) {
  if (!texts.has(one)) {
    const parts = one.querySelectorAll(":scope > summary, :scope > .body > .message, :scope > .body > .facts");
    texts.set(one, (parts.length ? [...parts] : [one]).map((part) => part.textContent).join(" ").toLowerCase());
  }
  return texts.get(one);
}
if (filter) {
  filter.hidden = false;
  filter.addEventListener("input", apply);
  filter.addEventListener("reset", () => setTimeout(apply));
  filter.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

// j and k: the next finding, the one before. They can be switched off, and never take a letter that is being typed.
function step(by) {
  const shown = findings.filter((one) => !one.hidden);
  if (!shown.length) return;
  const now = document.activeElement.closest?.(".finding");
  const at = now ? shown.indexOf(now) + by : by > 0 ? 0 : shown.length - 1;
  const next = shown[Math.max(0, Math.min(shown.length - 1, at))];
  (next.querySelector(":scope > summary") ?? next).focus({ focusVisible: true });
  next.scrollIntoView({ block: "nearest" });
}
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea");
  if (typing || event.ctrlKey || event.altKey || event.metaKey || !filter?.elements.keys.checked) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else return;
  event.preventDefault();
});

// On paper nothing can be opened: what the filters leave is printed whole, and is folded again afterwards.
let folded = [];
addEventListener("beforeprint", () => {
  folded = findings.filter((one) => !one.hidden && one.open === false);
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});

if (location.hash) {
  reveal();
  addEventListener("load", reveal); // the browser goes to the target itself once all is there, past its heading
}
