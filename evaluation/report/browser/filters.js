// Which cases are shown, in which order, and how that is written in the address.
const SHOWS = ["all", "missed", "missed-by-all", "doubtful", "disagreements"];
const SORTS = ["given", "name", "missed"];
const GROUP = "by.";

const unfiltered = () => ({ show: "all", model: "", groups: {}, search: "", sort: "given", page: 0, open: "" });

// Whether the case i is one of those that `show` names; of all models (-1), or of one.
function isShown(data, i, show, model) {
  const at = i * data.m + model;
  switch (show) {
    case "missed":
      return model < 0 ? data.missed[i] > 0 : data.verdict[at] === MISSED;
    case "missed-by-all":
      return data.missed[i] > 0 && !data.found[i];
    case "doubtful":
      return model < 0 ? data.anyDoubt[i] > 0 : data.doubtful[at] > 0;
    case "disagreements":
      return data.missed[i] > 0 && data.found[i] > 0 && (model < 0 || data.verdict[at] !== NOT_JUDGED);
    default:
      return model < 0 || data.lengths[at] >= 0;
  }
}

// Uint8Array: the cases that hold the text in their name, a right answer or a diagnosis.
function searched(data, text) {
  const wanted = text.trim().toLowerCase();
  const held = new Uint8Array(data.n).fill(wanted ? 0 : 1);
  if (!wanted) return held;
  const inString = Uint8Array.from(data.strings, (string) => string.toLowerCase().includes(wanted));
  const inPair = Uint8Array.from(data.pairs.diagnosis, (string) => inString[string]);
  for (let i = 0; i < data.n; i++) {
    let there = data.cases[i].toLowerCase().includes(wanted) || data.right[i].some((string) => inString[string]);
    const end = data.starts[(i + 1) * data.m];
    for (let at = data.starts[i * data.m]; !there && at < end; at++) there = data.entries[at] >= 0 && inPair[data.entries[at]];
    held[i] = there ? 1 : 0;
  }
  return held;
}

// The cases of a state, in its order, and how many there would be for each other choice of one filter.
function filtered(data, state) {
  const model = data.models.indexOf(state.model);
  const inSearch = searched(data, state.search);
  const chosen = data.groups.map((group) => group.values.indexOf(state.groups[group.name]));
  const fails = (i) => chosen.map((value, g) => (value >= 0 && data.groups[g].of[i] !== value ? g : -1)).filter((g) => g >= 0);
  const counts = {
    shows: Object.fromEntries(SHOWS.map((show) => [show, 0])),
    models: new Array(data.m + 1).fill(0), // the last of all models
    groups: data.groups.map((group) => new Array(group.values.length + 1).fill(0)), // the last of all values
  };
  const cases = [];
  for (let i = 0; i < data.n; i++) {
    if (!inSearch[i]) continue;
    const failed = fails(i);
    const shown = isShown(data, i, state.show, model);
    if (shown) {
      for (let g = 0; g < data.groups.length; g++) {
        if (failed.some((other) => other !== g)) continue;
        counts.groups[g][data.groups[g].values.length]++;
        if (data.groups[g].of[i] >= 0) counts.groups[g][data.groups[g].of[i]]++;
      }
    }
    if (failed.length) continue;
    for (const show of SHOWS) counts.shows[show] += isShown(data, i, show, model);
    for (let j = 0; j < data.m; j++) counts.models[j] += isShown(data, i, state.show, j);
    counts.models[data.m] += isShown(data, i, state.show, -1);
    if (shown) cases.push(i);
  }
  return { cases: ordered(data, cases, state), counts };
}

const collator = new Intl.Collator("en", { numeric: true });

function ordered(data, cases, { sort, model }) {
  if (sort === "name") return cases.sort((a, b) => collator.compare(data.cases[a], data.cases[b]));
  if (sort === "missed") return cases.sort((a, b) => data.missed[b] - data.missed[a] || data.found[a] - data.found[b] || a - b);
  return cases;
}

// The state as the part of the address behind "#", without what is as at the beginning.
function written(state) {
  const words = new URLSearchParams();
  const first = unfiltered();
  for (const name of ["show", "model", "search", "sort"]) if (state[name] !== first[name]) words.set(name, state[name]);
  for (const [name, value] of Object.entries(state.groups)) if (value) words.set(GROUP + name, value);
  if (state.page) words.set("page", state.page + 1);
  if (state.open) words.set("case", state.open);
  return words.toString();
}

// The state that an address asks for; null where it asks for none. What the data do not have is left out.
function asked(data, hash) {
  const text = hash.replace(/^#/, "");
  if (!text.includes("=")) return null;
  const words = new URLSearchParams(text);
  const state = unfiltered();
  const one = (name, allowed) => (allowed.includes(words.get(name)) ? words.get(name) : state[name]);
  state.show = one("show", SHOWS);
  state.sort = one("sort", SORTS);
  state.model = one("model", data.models);
  state.search = words.get("search") || "";
  for (const group of data.groups) {
    const value = words.get(GROUP + group.name);
    if (group.values.includes(value)) state.groups[group.name] = value;
  }
  state.page = Math.max(0, (parseInt(words.get("page"), 10) || 1) - 1);
  if (data.cases.includes(words.get("case"))) state.open = words.get("case");
  return state;
}
