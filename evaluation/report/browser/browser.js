// The browser itself: its controls, its keys, the address, and what is printed.
const PAGE = 50;
const SHOW_WORDS = {
  all: "All",
  missed: "Missed by any",
  "missed-by-all": "Missed by all",
  doubtful: "Doubtful",
  disagreements: "Models disagree",
};
const SORT_WORDS = { given: "as given", name: "by name", missed: "most missed first" };

function browse(holder, data) {
  let state = unfiltered();
  let current = { cases: [], counts: null };

  const search = element("input", { type: "search", placeholder: "case, right answer or diagnosis", autocomplete: "off", spellcheck: "false" });
  const shows = data.m > 1 ? SHOWS : SHOWS.filter((show) => !["missed-by-all", "disagreements"].includes(show));
  const radios = shows.map((show) => {
    const input = element("input", { type: "radio", name: "cases-show", value: show });
    const count = element("span", { class: "cases-count" });
    input.addEventListener("change", () => change({ show }));
    const words = element("span", {}, SHOW_WORDS[show]);
    return { show, input, count, words, label: element("label", {}, input, element("span", {}, words, " ", count)) };
  });
  const select = (label, values, words, set) => {
    const options = values.map((value) => element("option", { value }, words(value)));
    const made = element("select", { onchange: () => set(made.value) }, ...options);
    return { made, options, label: element("label", { class: "cases-select" }, element("span", {}, label), made) };
  };
  const models = select("Model", ["", ...data.models], (name) => name || "any", (model) => change({ model }));
  const groups = data.groups.map((group) =>
    select(group.name, ["", ...group.values], (name) => name || "any", (value) => change({ groups: { ...state.groups, [group.name]: value } }))
  );
  const sorts = select("Sorted", SORTS, (sort) => SORT_WORDS[sort], (sort) => change({ sort }));
  const status = element("p", { role: "status", class: "cases-status" });
  const printed = element("p", { class: "cases-printed" });
  const list = element("div", { class: "cases-list", role: "group", "aria-label": "Cases" });
  const before = element("button", { type: "button", onclick: () => turn(-1) }, "‹ Previous 50");
  const after = element("button", { type: "button", onclick: () => turn(1) }, "Next 50 ›");
  const clear = element("button", { type: "button", onclick: () => change(unfiltered()) }, "Clear filters");
  const keys = element("p", { class: "cases-keys" });
  const spoken = [["/", "search"], ["j", ""], ["k", "next, previous case"], ["Enter", "opens it"], ["n", ""], ["p", "next, previous 50"], ["Esc", "back"]];
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
    status.textContent = cases.length ? `${there} ${data.n === 1 ? "case" : "cases"}${range}` : "No case is like this.";
    clear.hidden = !written({ ...state, page: 0, open: "", sort: "given" });
    before.disabled = state.page === 0;
    after.disabled = start + PAGE >= cases.length;
    before.parentElement.hidden = cases.length <= PAGE;
    const chosen = data.models.indexOf(state.model);
    list.replaceChildren(...shown.map((i) => drawnCase(data, i, chosen)));
  }

  const showWords = (show) => (show === "missed" && (state.model || data.m === 1) ? "Missed" : SHOW_WORDS[show]);

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
    const first = current.cases.slice(0, PAGE);
    list.replaceChildren(...first.map((i) => drawnCase(data, i, data.models.indexOf(state.model))));
    for (const [place, item] of [...list.children].entries()) {
      opened(data, item, first[place]);
      item.setAttribute("open", "");
    }
    const which = [showWords(state.show), state.model, ...Object.values(state.groups), state.search && `“${state.search}”`];
    const filters = which.filter(Boolean).join(", ");
    printed.textContent =
      current.cases.length > PAGE
        ? `Printed are the first ${PAGE} of ${number(current.cases.length)} cases (${filters}).`
        : `Printed are ${number(current.cases.length)} cases (${filters}).`;
  });
  addEventListener("afterprint", draw);
  draw();
  follow();
}

const holder = document.getElementById("case-browser");
if (holder) browse(holder, readCases(JSON.parse(document.getElementById("case-data").textContent)));
