// Full-text search over the guides, in the browser. The index is loaded when the search is first used.
"use strict";

const form = document.getElementById("search");
const input = form.querySelector("input");
const results = document.getElementById("results");
const MOST = 12;
let index = null;

// In lower case and without diacritics, so that "cesta" finds "Česta".
const folded = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");

async function load() {
  if (index === null) {
    const response = await fetch("/docs/search.json");
    const entries = await response.json();
    index = entries.map((entry) => ({
      ...entry,
      foldedPage: folded(entry.page),
      foldedHeading: folded(entry.heading),
      foldedText: folded(entry.text),
    }));
  }
  return index;
}

// Every word must occur. Matches in headings and titles count more than those in the text.
function score(entry, words) {
  let total = 0;
  for (const word of words) {
    let points = 0;
    if (entry.foldedHeading.includes(word)) points += 10;
    if (entry.foldedPage.includes(word)) points += 6;
    if (entry.foldedText.includes(word)) points += 1 + Math.min(3, entry.foldedText.split(word).length - 2);
    if (points === 0) return 0;
    total += points;
  }
  return total;
}

// The text around the first match, with the match marked.
function excerpt(entry, words) {
  const paragraph = document.createElement("p");
  const found = words.map((word) => ({ word, at: entry.foldedText.indexOf(word) })).filter(({ at }) => at >= 0);
  if (found.length === 0 || entry.foldedText.length !== entry.text.length) {
    paragraph.textContent = entry.text.slice(0, 120);
    return paragraph;
  }
  const { word, at } = found.reduce((first, other) => (other.at < first.at ? other : first));
  const start = Math.max(0, at - 50);
  const mark = document.createElement("mark");
  mark.textContent = entry.text.slice(at, at + word.length);
  paragraph.append((start > 0 ? "…" : "") + entry.text.slice(start, at), mark);
  paragraph.append(entry.text.slice(at + word.length, at + word.length + 80) + "…");
  return paragraph;
}

async function search() {
  const words = folded(input.value).split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) {
    results.hidden = true;
    return;
  }
  const entries = await load();
  const ranked = entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST);
  const links = ranked.map(({ entry }) => {
    const link = document.createElement("a");
    link.href = entry.address;
    const title = document.createElement("strong");
    title.textContent = entry.heading === entry.page ? entry.page : `${entry.page} › ${entry.heading}`;
    link.append(title, excerpt(entry, words));
    return link;
  });
  if (links.length === 0) {
    const nothing = document.createElement("p");
    nothing.className = "nothing";
    nothing.textContent = "No results";
    links.push(nothing);
  }
  results.replaceChildren(...links);
  results.hidden = false;
}

// Enter opens the first result.
form.addEventListener("submit", (event) => {
  event.preventDefault();
  search().then(() => results.querySelector("a")?.click());
});
input.addEventListener("input", search);
results.addEventListener("click", () => { results.hidden = true; });
document.addEventListener("click", (event) => {
  if (!form.contains(event.target)) results.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    input.focus();
  }
});
form.hidden = false;

// The reference was at this address; its links have a fragment of the form #/Tag/operation.
if (location.pathname.replace(/\/$/, "") === "/docs" && location.hash.startsWith("#/")) {
  location.replace("/docs/reference/" + location.hash);
}

const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  input.value = asked;
  search();
}
