// The browser of cases: its data, filters, drawing, and what it does by keys, address and print.
(() => {
// The data of the page as typed arrays, and what came of each list.
const NOT_JUDGED = 0;
const FOUND = 1;
const MISSED = 2;

function readCases(raw) {
  const n = raw.cases.length;
  const m = raw.models.length;
  const { pairs } = raw;
  const data = {
    ...raw,
    unread: new Map(raw.unread),
    judged: new Map(raw.judged),
    n,
    m,
    lengths: Int32Array.from(raw.lengths),
    entries: Int32Array.from(raw.entries),
    starts: new Int32Array(n * m + 1),
    verdict: new Uint8Array(n * m),
    rank: new Uint16Array(n * m),
    doubtful: new Uint8Array(n * m),
    found: new Uint16Array(n),
    missed: new Uint16Array(n),
    anyDoubt: new Uint8Array(n),
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const at = i * m + j;
      const start = data.starts[at];
      const held = Math.min(Math.max(data.lengths[at], 0), data.ranks);
      data.starts[at + 1] = start + held;
      if (!(raw.panel || raw.right[i].length) || data.lengths[at] < 0) continue;
      let doubt = false;
      let sure = false;
      for (let rank = 1; rank <= Math.min(held, raw.k); rank++) {
        const pair = data.entries[start + rank - 1];
        if (pair < 0) continue;
        if (pairs.match[pair] && !data.rank[at]) data.rank[at] = rank;
        if (pairs.doubtful[pair]) doubt = true;
        else if (pairs.match[pair]) sure = true;
      }
      data.verdict[at] = data.rank[at] ? FOUND : MISSED;
      data.doubtful[at] = doubt && !sure ? 1 : 0;
      data.found[i] += data.verdict[at] === FOUND;
      data.missed[i] += data.verdict[at] === MISSED;
      data.anyDoubt[i] |= data.doubtful[at];
    }
  }
  return data;
}

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

// Uint8Array: the cases that hold the text in their name, a right answer, a diagnosis, or what a judge said.
function searched(data, text) {
  const wanted = text.trim().toLowerCase();
  const held = new Uint8Array(data.n).fill(wanted ? 0 : 1);
  if (!wanted) return held;
  const inString = Uint8Array.from(data.strings, (string) => string.toLowerCase().includes(wanted));
  const inPair = Uint8Array.from(data.pairs.diagnosis, (string) => inString[string]);
  for (let i = 0; i < data.n; i++) {
    let there = data.cases[i].toLowerCase().includes(wanted) || data.right[i].some((string) => inString[string]);
    for (let at = i * data.m; !there && at < (i + 1) * data.m; at++) {
      there = (data.judged.get(at) || []).some((text) => text.toLowerCase().includes(wanted));
    }
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

// Cases as elements. Every text of the data goes in as text.
const RELATION_WORDS = {
  same: "the same disease",
  narrower: "narrower than {it}",
  broader: "broader than {it}",
  related: "related",
  unrelated: "unrelated",
  excluded: "cannot be {it}",
};

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

const number = (value) => value.toLocaleString("en");
const probability = (thousandths) => (thousandths > 0 && thousandths < 10 ? "< 0.01" : (thousandths / 1000).toFixed(2));
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const hidden = (text) => element("span", { class: "cases-heard" }, text);

// What came of a list: a sign for those who see, a sentence for those who hear.
function outcome(data, i, j) {
  const at = i * data.m + j;
  const doubtful = data.doubtful[at] > 0;
  const [sign, kind, said] =
    data.lengths[at] < 0
      ? ["–", "none", "no answer was given"]
      : data.verdict[at] === NOT_JUDGED
        ? ["–", "none", "not judged"]
        : data.verdict[at] === FOUND
          ? [`✓ ${data.rank[at]}`, "found", `${data.panel ? "named by an expert" : "a right answer"} at rank ${data.rank[at]}`]
          : ["✗", "missed", data.panel ? "stands alone" : "no right answer"];
  return { sign: doubtful ? `${sign} ?` : sign, kind: doubtful ? `${kind} doubtful` : kind, said: doubtful ? `${said}, doubtful` : said };
}

function mark(data, i, j, name) {
  const { sign, kind, said } = outcome(data, i, j);
  const shown = element("span", { "aria-hidden": "true" }, sign);
  return element("span", { class: `cases-mark ${kind}` }, shown, name ? ` ${data.models[j]}` : "", hidden(name ? `: ${said}` : said));
}

// Of more lists than these the line of a case counts what came of them.
const MOST_MARKS = 12;

function drawnCase(data, i, chosen) {
  const right = data.right[i].map((string) => data.strings[string]);
  const marks = element("span", { class: "cases-marks" });
  for (let j = 0; j < data.m; j++) {
    if (data.m > MOST_MARKS && j !== chosen) continue;
    const one = mark(data, i, j, true);
    if (j === chosen) one.classList.add("chosen");
    marks.append(one, " ");
  }
  if (data.m > MOST_MARKS) {
    const counted = (kind, sign, count, says) => element("span", { class: `cases-mark ${kind}` }, element("span", {}, `${sign} ${number(count)}`), ` ${says}`);
    marks.append(counted("found", "✓", data.found[i], data.panel ? "named by an expert" : "with a right answer"), " ");
    marks.append(counted("missed", "✗", data.missed[i], data.panel ? "alone" : "without"));
  }
  const head = element(
    "summary",
    {},
    element("strong", { class: "cases-name" }, data.cases[i]),
    " ",
    right.length ? element("span", { class: "cases-right" }, right.join(" · ")) : data.panel ? null : element("span", { class: "cases-right undefined" }, "no right answer given"),
    " ",
    marks
  );
  const item = element("details", { class: "cases-case", "data-case": i }, head);
  item.addEventListener("toggle", () => item.open && opened(data, item, i));
  return item;
}

// Draws what is behind the line of a case, once.
function opened(data, item, i) {
  if (item.lastElementChild.tagName !== "SUMMARY") return;
  const facts = data.groups.filter((group) => group.of[i] >= 0).map((group) => `${group.name}: ${group.values[group.of[i]]}`);
  if (data.final[i]) facts.unshift(`Final diagnosis: ${data.final[i]}`);
  const link = element("a", { href: `#${written({ ...unfiltered(), open: data.cases[i] })}` }, `Link to this ${data.of[0]}`);
  const lists = element("div", { class: "cases-lists" });
  for (let j = 0; j < data.m; j++) lists.append(drawnList(data, i, j));
  item.append(element("div", { class: "cases-inside" }, element("p", { class: "cases-facts" }, `${facts.join(" · ")} `, link), lists));
}

function drawnList(data, i, j) {
  const at = i * data.m + j;
  const start = data.starts[at];
  const held = data.starts[at + 1] - start;
  const list = element("ol", {});
  const first = new Map();
  for (let rank = 1; rank <= held; rank++) {
    const pair = data.entries[start + rank - 1];
    list.append(drawnDiagnosis(data, i, pair, rank > data.k, first.get(pair)));
    if (pair >= 0 && !first.has(pair)) first.set(pair, rank);
  }
  const more = data.lengths[at] - held;
  const written = data.unread.get(at);
  const words =
    written !== undefined
      ? "No diagnosis could be read from the answer:"
      : data.lengths[at] < 0
        ? "No answer was given."
        : held
          ? ""
          : "The answer is empty.";
  return element(
    "section",
    { "aria-label": data.models[j] },
    element("h3", {}, `${data.models[j]} `, mark(data, i, j, false)),
    held ? list : null,
    words ? element("p", { class: "cases-told" }, words) : null,
    written !== undefined ? element("blockquote", { class: "cases-written" }, written) : null,
    data.judged.has(at) ? drawnJudgements(data.judged.get(at)) : null,
    more > 0 ? element("p", { class: "cases-told" }, `and ${number(more)} more`) : null
  );
}

function drawnJudgements(sentences) {
  return element("ul", { class: "cases-judged", "aria-label": "What the judge said" }, ...sentences.map((text) => element("li", {}, text)));
}

// `before`: the rank at which the list has the same diagnosis already.
function drawnDiagnosis(data, i, pair, beyond, before) {
  const { pairs } = data;
  const kinds = beyond ? ["beyond"] : [];
  if (pair < 0) return element("li", { class: kinds.join(" ") }, element("span", { class: "undefined" }, "no diagnosis"));
  const match = pairs.match[pair] > 0;
  if (match) kinds.push("match");
  const told = element("span", { class: before ? "cases-told cases-again" : "cases-told" }, verdictWords(data, i, pair, before));
  const why = before ? "" : data.reasons[pairs.why[pair]];
  const doubt = !before && pairs.doubtful[pair] > 0;
  const unscored = doubt && pairs.probability[pair] < 0;
  if (doubt) told.append(" ", element("span", { class: "cases-doubt" }, `? ${unscored ? why : "doubtful"}`));
  return element(
    "li",
    { class: kinds.join(" ") },
    element("span", { class: "cases-diagnosis" }, data.strings[pairs.diagnosis[pair]]),
    told,
    why && !unscored ? element("span", { class: "cases-told" }, why) : null,
    beyond ? element("span", { class: "cases-told" }, `beyond the first ${data.k}`) : null
  );
}

function verdictWords(data, i, pair, before) {
  const { pairs } = data;
  if (pairs.right[pair] < 0) return "";
  const sign = pairs.match[pair] ? "✓" : "✗";
  if (before) return `${sign} as at rank ${before}`;
  const words = [pairs.probability[pair] < 0 ? sign : `${sign} ${probability(pairs.probability[pair])}`];
  if (pairs.relation[pair] >= 0) words.push(RELATION_WORDS[data.relations[pairs.relation[pair]]].replace("{it}", data.panel ? "the expert's" : "the right answer"));
  if (data.panel || data.right[i].length > 1) words.push(`nearest: ${data.strings[pairs.right[pair]]}`);
  return words.join(", ");
}

// The browser itself: its controls, its keys, the address, and what is printed.
const PAGE = 50;
const SHOW_WORDS = {
  all: "All",
  missed: "Missed by any",
  "missed-by-all": "Missed by all",
  doubtful: "Doubtful",
  disagreements: "{Model}s disagree",
};
const SORT_WORDS = { given: "as given", name: "by name", missed: "most missed first" };
// Of a panel, where a list is missed that no expert stands beside.
const PANEL_WORDS = { ...SHOW_WORDS, missed: "Anyone alone", "missed-by-all": "All alone", disagreements: "Some alone" };
const PANEL_SORT_WORDS = { ...SORT_WORDS, missed: "most alone first" };

function browse(holder, data) {
  const [showAs, sortAs, missed, whose] = data.panel ? [PANEL_WORDS, PANEL_SORT_WORDS, "Stands alone", "Rater"] : [SHOW_WORDS, SORT_WORDS, "Missed", capital(data.of[1])];
  const unit = data.of[0];
  let state = unfiltered();
  let current = { cases: [], counts: null };

  const search = element("input", { type: "search", placeholder: `${unit}${data.panel ? " or" : ", right answer or"} diagnosis`, autocomplete: "off", spellcheck: "false" });
  const shows = data.m > 1 ? SHOWS : SHOWS.filter((show) => !["missed-by-all", "disagreements"].includes(show));
  const radios = shows.map((show) => {
    const input = element("input", { type: "radio", name: "cases-show", value: show });
    const count = element("span", { class: "cases-count" });
    input.addEventListener("change", () => change({ show }));
    const words = element("span", {}, showAs[show]);
    return { show, input, count, words, label: element("label", {}, input, element("span", {}, words, " ", count)) };
  });
  const select = (label, values, words, set) => {
    const options = values.map((value) => element("option", { value }, words(value)));
    const made = element("select", { onchange: () => set(made.value) }, ...options);
    return { made, options, label: element("label", { class: "cases-select" }, element("span", {}, label), made) };
  };
  const models = select(whose, ["", ...data.models], (name) => name || "any", (model) => change({ model }));
  const groups = data.groups.map((group) =>
    select(group.name, ["", ...group.values], (name) => name || "any", (value) => change({ groups: { ...state.groups, [group.name]: value } }))
  );
  const sorts = select("Sorted", SORTS, (sort) => sortAs[sort], (sort) => change({ sort }));
  const status = element("p", { role: "status", class: "cases-status" });
  const printed = element("p", { class: "cases-printed" });
  const list = element("div", { class: "cases-list", role: "group", "aria-label": "Cases" });
  const before = element("button", { type: "button", onclick: () => turn(-1) }, "‹ Previous 50");
  const after = element("button", { type: "button", onclick: () => turn(1) }, "Next 50 ›");
  const clear = element("button", { type: "button", onclick: () => change(unfiltered()) }, "Clear filters");
  const keys = element("p", { class: "cases-keys" });
  const spoken = [["/", "search"], ["j", ""], ["k", `next, previous ${unit}`], ["Enter", "opens it"], ["n", ""], ["p", "next, previous 50"], ["Esc", "back"]];
  for (const [key, says] of spoken) keys.append(element("kbd", {}, key), says ? ` ${says}  ` : " ");

  holder.append(
    element(
      "div",
      { class: "cases-controls", role: "search", "aria-label": "Filters of the cases" },
      element("fieldset", { class: "cases-shows" }, element("legend", { class: "cases-heard" }, "Which cases"), ...radios.map(({ label }) => label)),
      element(
        "div",
        { class: "cases-row" },
        element("label", { class: "cases-select cases-search" }, element("span", {}, "Search"), search),
        data.m > 1 ? models.label : null,
        ...groups.map(({ label }) => label),
        sorts.label
      )
    ),
    element("div", { class: "cases-bar" }, status, clear),
    printed,
    list,
    element("div", { class: "cases-bar cases-pages" }, before, after),
    keys
  );

  function change(part) {
    state = { ...state, page: 0, open: "", ...part };
    draw();
    remember();
  }

  function turn(by, focus = "first") {
    const last = Math.max(0, Math.ceil(current.cases.length / PAGE) - 1);
    const page = Math.min(last, Math.max(0, state.page + by));
    if (page === state.page) return;
    state = { ...state, page, open: "" };
    draw();
    remember();
    const lines = list.querySelectorAll("summary");
    const line = lines[focus === "first" ? 0 : lines.length - 1];
    line.focus();
    line.scrollIntoView({ block: focus === "first" ? "start" : "nearest" });
  }

  function remember() {
    const words = written(state);
    history.replaceState(null, "", words ? `#${words}` : "#case-browser");
  }

  function draw() {
    current = filtered(data, state);
    const { cases, counts } = current;
    state.page = Math.min(state.page, Math.max(0, Math.ceil(cases.length / PAGE) - 1));
    for (const { show, input, count, words } of radios) {
      input.checked = show === state.show;
      words.textContent = showWords(show);
      count.textContent = number(counts.shows[show]);
    }
    label(models, state.model, data.models, (place) => counts.models[place < 0 ? data.m : place]);
    groups.forEach((group, g) => {
      const { name, values } = data.groups[g];
      label(group, state.groups[name] || "", values, (place) => counts.groups[g][place < 0 ? values.length : place]);
    });
    sorts.made.value = state.sort;
    if (search.value !== state.search) search.value = state.search;
    const start = state.page * PAGE;
    const shown = cases.slice(start, start + PAGE);
    const there = cases.length === data.n ? number(data.n) : `${number(cases.length)} of ${number(data.n)}`;
    const range = cases.length > PAGE ? `: ${number(start + 1)} to ${number(start + shown.length)}` : "";
    status.textContent = cases.length ? `${there} ${unit}${data.n === 1 ? "" : "s"}${range}` : `No ${unit} is like this.`;
    clear.hidden = !written({ ...state, page: 0, open: "", sort: "given" });
    before.disabled = state.page === 0;
    after.disabled = start + PAGE >= cases.length;
    before.parentElement.hidden = cases.length <= PAGE;
    const chosen = data.models.indexOf(state.model);
    list.replaceChildren(...shown.map((i) => drawnCase(data, i, chosen)));
  }

  const longest = Math.max(...data.cases.map((name) => name.length));
  list.style.setProperty("--names", `${Math.min(16, Math.max(8.5, 2 + 0.6 * longest))}rem`);

  const showWords = (show) => (show === "missed" && (state.model || data.m === 1) ? missed : showAs[show].replace("{Model}", capital(data.of[1])));

  function label({ made, options }, value, values, count) {
    options.forEach((option, place) => {
      option.textContent = `${place ? values[place - 1] : "any"} (${number(count(place - 1))})`;
    });
    made.value = value;
  }

  function show(name) {
    const i = data.cases.indexOf(name);
    let at = current.cases.indexOf(i);
    if (at < 0) {
      state = { ...unfiltered(), open: name };
      draw();
      at = current.cases.indexOf(i);
    }
    state.page = Math.floor(at / PAGE);
    draw();
    const item = list.children[at % PAGE];
    item.open = true;
    opened(data, item, i);
    item.scrollIntoView({ block: "start" });
    item.querySelector("summary").focus({ preventScroll: true });
  }

  function follow() {
    const next = asked(data, location.hash);
    if (!next) return;
    state = next;
    draw();
    if (state.open) show(state.open);
    else if (document.activeElement === document.body) holder.scrollIntoView();
  }

  // The place of the line that has the focus, or -1.
  const line = () => [...list.children].findIndex((item) => item.contains(document.activeElement));

  function move(by) {
    const to = line() + by;
    if (line() < 0 || (to >= 0 && to < list.children.length)) {
      const head = list.children[Math.max(0, to)]?.querySelector("summary");
      head?.focus();
      head?.scrollIntoView({ block: "nearest" });
    } else turn(by, by > 0 ? "first" : "last");
  }

  const moves = { j: () => move(1), k: () => move(-1), n: () => turn(1), p: () => turn(-1), "/": () => search.focus() };
  document.addEventListener("keydown", (event) => {
    const from = document.activeElement;
    const inside = holder.contains(from);
    if (event.ctrlKey || event.metaKey || event.altKey || (!inside && from !== document.body)) return;
    if (event.key === "Escape" && inside) {
      const item = from.closest(".cases-case");
      if (from === search && search.value) change({ search: "" });
      else if (item) item.open = false;
      (item || list.firstElementChild)?.querySelector("summary").focus();
      return event.preventDefault();
    }
    if (from === search && event.key === "Enter") {
      list.querySelector("summary")?.focus();
      return event.preventDefault();
    }
    if (/^(input|select|textarea)$/i.test(from.tagName) && !(from.type === "radio" && event.key.length === 1)) return;
    const act = from.tagName === "SUMMARY" && event.key === "ArrowDown" ? moves.j : from.tagName === "SUMMARY" && event.key === "ArrowUp" ? moves.k : moves[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ search: search.value }), 120);
  });
  list.addEventListener(
    "toggle",
    (event) => {
      if (!event.target.matches(".cases-case")) return;
      const name = data.cases[event.target.dataset.case];
      if (event.target.open) state.open = name;
      else if (state.open === name) state.open = "";
      remember();
    },
    true
  );
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => {
    const show = state.show === "all" ? "missed" : state.show;
    const cases = current.cases.filter((i) => isShown(data, i, show, data.models.indexOf(state.model)));
    const first = cases.slice(0, PAGE);
    list.replaceChildren(...first.map((i) => drawnCase(data, i, data.models.indexOf(state.model))));
    for (const [place, item] of [...list.children].entries()) {
      opened(data, item, first[place]);
      item.setAttribute("open", "");
    }
    const which = [showWords(show), state.model, ...Object.values(state.groups), state.search && `“${state.search}”`];
    const filters = which.filter(Boolean).join(", ");
    printed.textContent =
      cases.length > PAGE
        ? `Printed are the first ${PAGE} of ${number(cases.length)} ${unit}s (${filters}).`
        : `Printed ${cases.length === 1 ? `is 1 ${unit}` : `are ${number(cases.length)} ${unit}s`} (${filters}).`;
  });
  addEventListener("afterprint", draw);
  draw();
  follow();
}

const holder = document.getElementById("case-browser");
if (holder) browse(holder, readCases(JSON.parse(document.getElementById("case-data").textContent)));
})();
