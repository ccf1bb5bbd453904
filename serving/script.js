// Asks the API of its own server and shows what comes back. Every text goes in as text, none as HTML.
const main = document.getElementById("main");
const takesLabels = main.dataset.labels !== undefined;
const find = (name) => document.getElementById(name);

function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

async function ask(path, body) {
  const given = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, given);
  } catch {
    throw new Error("The server does not answer. Does dxmatch serve still run?");
  }
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

function tell(place, text, problem = false) {
  const status = find(`${place}-status`);
  status.textContent = text;
  status.classList.toggle("problem", problem);
}

/** Runs `work` for a form: one at a time, so that a late answer never takes the place of a newer one. */
const newest = {};
async function during(place, saying, work) {
  const turn = (newest[place] = (newest[place] ?? 0) + 1);
  const form = find(`${place}-form`);
  form?.setAttribute("aria-busy", "true");
  tell(place, saying);
  try {
    const show = await work();
    if (turn === newest[place]) show();
  } catch (error) {
    if (turn === newest[place]) {
      if (form) find(`${place}-result`).hidden = true;
      tell(place, error.message, true);
    }
  } finally {
    if (turn === newest[place]) form?.removeAttribute("aria-busy");
  }
}

const share = (value) => (value === null ? "–" : value.toFixed(3));
const verdict = (match) => (match ? "a match" : "no match");
const mark = ({ match, doubtful }) =>
  match === null ? "–" : el("span", { class: match ? "yes-mark" : "no-mark" }, `${match ? "match" : "no match"}${doubtful ? ", doubtful" : ""}`);

function table(caption, header, rows) {
  const head = el("tr", {}, ...header.map((name) => el("th", { scope: "col" }, name)));
  const body = rows.map(([first, ...cells]) =>
    el("tr", {}, el("th", { scope: "row" }, first), ...cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : el("td", {}, cell))))
  );
  const made = el("table", { class: "text" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
  const scroll = el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, made);
  const hint = el("p", { class: "sideways", hidden: "" }, "The table goes on to the right: scroll it sideways.");
  new ResizeObserver(() => (hint.hidden = scroll.scrollWidth <= scroll.clientWidth + 1)).observe(scroll);
  return el("div", {}, scroll, hint);
}

// Labels: two buttons, of which the one that was pressed stays pressed; pressed again, it takes the word back.

const shown = new Map(); // a pair -> the pairs of buttons that stand for it
const pairKey = (a, b) => JSON.stringify([a.trim().toLowerCase(), b.trim().toLowerCase()].sort());

function judge(a, b, match, label, short = false) {
  const key = pairKey(a, b);
  const word = (value) => (match === null ? verdict(value) : `${value === match ? "Correct" : "Wrong"}${short ? "" : `: ${verdict(value)}`}`);
  const values = match === false ? [0, 1] : [1, 0];
  const buttons = values.map((value) =>
    el("button", { type: "button", "data-label": value, "aria-label": `${word(Boolean(value))}: ${a} and ${b} are ${verdict(value)}`,
      onclick: () => say(a, b, buttons[0].dataset.said === String(value) ? null : value) }, word(Boolean(value)))
  );
  const set = (said) => {
    for (const button of buttons) {
      button.dataset.said = String(said);
      button.setAttribute("aria-pressed", String(button.dataset.label === String(said)));
    }
  };
  set(label);
  if (!shown.has(key)) shown.set(key, new Set());
  shown.get(key).add({ set, buttons });
  return buttons;
}

let saying = Promise.resolve();
function say(a, b, label) {
  // one after another: the last word is the one that was said last
  saying = saying.then(async () => {
    try {
      const labels = await ask("api/labels", { a, b, label });
      for (const each of shown.get(pairKey(a, b)) ?? []) if (each.buttons[0].isConnected) each.set(label);
      showLabels(labels);
      tell("labels", label === null ? `Taken back: ${a} and ${b}.` : `Saved: ${a} and ${b} are ${verdict(label)}.`);
    } catch (error) {
      tell("labels", error.message, true);
    }
  });
}

function showLabels({ count, last }) {
  const rows = last.map(({ a, b, label, when }) => [
    a, b, mark(Boolean(label)), new Date(when).toLocaleString(),
    el("td", { class: "judge-cell" },
      el("button", { type: "button", "aria-label": `Take back what was said of ${a} and ${b}`, onclick: () => say(a, b, null) }, "Take back")),
  ]);
  const told = count === 0 ? "None yet." : count > last.length ? `${count} labels; the last ${last.length}:` : `${count} ${count === 1 ? "label" : "labels"}:`;
  find("labels-result").replaceChildren(el("p", {}, told), ...(rows.length ? [table("Your labels", ["First", "Second", "You said", "When", ""], rows)] : []));
}

// A pair

const KINDS = {
  same: "the same disease", narrower: "the first is a kind of the second", broader: "the second is a kind of the first",
  related: "near kin", unrelated: "unrelated", excluded: "each excludes the other",
};

function pairBlocks(found) {
  const { a, b } = found;
  // of those that go with the verdict the likeliest, which may be unlikely itself
  const perhaps = found.relations[found.relation] < 0.5 ? "perhaps " : "";
  const kind = found.relation === null ? "" : `: ${perhaps}${KINDS[found.relation]}`;
  const box = el("div", { class: `answer verdict ${found.match ? "yes" : "no"}` },
    el("p", { class: "said" }, `${found.match ? "A match" : "No match"}${found.doubtful ? ", doubtful" : ""}${kind}`),
    el("p", {}, `Probability ${share(found.probability)}; a match begins at ${share(found.threshold)}.`));
  if (found.reason) box.append(el("p", {}, `${found.reason[0].toUpperCase()}${found.reason.slice(1)}.`));
  if (takesLabels) box.append(el("div", { class: "judge", role: "group", "aria-label": "Is that right?" }, "Is that right?", ...judge(a, b, found.match, found.label)));
  const policies = el("ul", { class: "policies" }, ...found.policies.map((each) => el("li", {},
    el("strong", {}, each.policy), " ", mark(each), ` ${share(each.probability)}, from ${share(each.threshold)}${each.policy === found.policy ? " (chosen)" : ""}`,
    el("span", { class: "quiet" }, each.meaning))));
  const understood = table("What was understood", ["Written", "Compared as", "Said of it", "Read as"],
    found.understood.map((each) => [each.text, each.compared_as, each.said_by ? `${each.assertion} (“${each.said_by}”)` : each.assertion,
      each.read_as.map(([written, read]) => `${written} → ${read}`).join(", ") || "as written"]));
  const relations = Object.entries(found.relations).filter(([, p]) => p >= 0.005).sort((one, other) => other[1] - one[1]);
  const words = el("div", { class: "words" }, ...found.words.map((group) => el("div", {}, ...group.map((line) => el("p", {}, line)))));
  const codes = el("div", { class: "codes", id: "pair-codes" }, el("p", { class: "quiet" }, "Looking up the codes …"));
  return [box, el("h3", {}, "What was understood"), understood, el("h3", {}, "Under each policy"), policies,
    ...(relations.length ? [el("p", { class: "quiet" }, `Relations: ${relations.map(([name, p]) => `${name} ${p.toFixed(2)}`).join(", ")}.`)] : []),
    el("h3", {}, "Why"), words, el("h3", {}, "ICD-10-CM candidates"), codes];
}

function showCodes(place, { edition, mapped }) {
  place.replaceChildren(...mapped.map((each) => el("div", {},
    el("strong", {}, each.diagnosis), each.icd10 === null ? el("p", { class: "quiet" }, "No name is near enough; the nearest are:") : "",
    el("ol", {}, ...each.candidates.map((one) => el("li", one.code === each.icd10 ? { class: "chosen" } : {},
      el("span", {}, one.code), el("span", {}, one.name), el("span", {}, one.score.toFixed(2))))))),
  el("p", { class: "quiet" }, `${edition}; in bold what is chosen.`));
}

function compare(a, b) {
  return during("pair", "Comparing …", async () => {
    const found = await ask("api/match", { a, b });
    return () => {
      const result = find("pair-result");
      result.replaceChildren(...pairBlocks(found));
      result.hidden = false;
      tell("pair", `${a} and ${b}: ${verdict(found.match)}${found.doubtful ? ", doubtful" : ""}, probability ${share(found.probability)}.`);
      const codes = find("pair-codes");
      ask("api/icd", { diagnoses: [a, b], k: 5 }).then(
        (mapping) => codes.isConnected && showCodes(codes, mapping),
        (error) => codes.replaceChildren(el("p", { class: "quiet" }, error.message))
      );
    };
  });
}

find("pair-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { a, b } = event.target.elements;
  compare(a.value.trim(), b.value.trim());
});
for (const button of document.querySelectorAll(".try button")) {
  button.addEventListener("click", () => {
    const { a, b } = find("pair-form").elements;
    [a.value, b.value] = [button.dataset.a, button.dataset.b];
    compare(a.value, b.value);
  });
}

// Two lists

const lines = (text) => text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter(Boolean);

find("lists-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { a, b, k } = event.target.elements;
  const first = lines(a.value), second = lines(b.value);
  if (!first.length || !second.length) return tell("lists", "Each list needs a line.", true);
  during("lists", "Comparing …", async () => {
    const { links, not_understood: left } = await ask("api/link", { a: first, b: second, k: Number(k.value) });
    return () => {
      const rows = links.map((each) => [each.a, each.b ?? `not understood (${each.not_understood ?? "nothing to compare with"})`,
        mark(each), share(each.probability), each.relation ?? "–",
        ...(takesLabels ? [el("td", { class: "judge-cell" }, ...(each.b === null ? [] : judge(each.a, each.b, each.match, each.label, true)))] : [])]);
      const header = ["First", "Best of the second", "M says", "Probability", "Relation", ...(takesLabels ? ["Is that right?"] : [])];
      const unread = Object.entries(left).map(([text, why]) => `${text} (${why})`);
      find("lists-result").replaceChildren(table("Best matches", header, rows),
        ...(unread.length ? [el("p", { class: "quiet" }, `Left out of the second list, since not understood: ${unread.join("; ")}.`)] : []));
      find("lists-result").hidden = false;
      const found = new Set(links.filter((each) => each.match).map((each) => each.a)).size;
      tell("lists", `${found} of ${new Set(first).size} of the first list have a match in the second.`);
    };
  });
});

if (takesLabels) ask("api/labels").then(showLabels, (error) => tell("labels", error.message, true));
