"use strict";

// A link into something that is folded unfolds it.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
// The same link a second time changes no hash.
addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) reveal();
});
if (location.hash) reveal();

const filter = document.getElementById("filter");
if (filter) {
  const find = document.getElementById("find");
  const count = document.getElementById("count");
  const marked = document.querySelectorAll("[data-verdict]");
  const rows = document.querySelectorAll("tr[data-verdict]");
  const apply = () => {
    const verdict = filter.elements.verdict.value;
    const words = find.value.toLowerCase();
    for (const one of marked) {
      const fits = verdict === "all" || one.dataset.verdict === verdict;
      one.hidden = !(fits && one.dataset.key.toLowerCase().includes(words));
    }
    const shown = [...rows].filter((row) => !row.hidden).length;
    count.textContent = `${shown} of ${rows.length} trials`;
  };
  filter.hidden = false;
  filter.addEventListener("input", apply);
  filter.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
