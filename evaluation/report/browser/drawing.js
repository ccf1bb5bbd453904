// Cases as elements. Every text of the data goes in as text.
const RELATION_WORDS = {
  same: "the same disease",
  narrower: "narrower than the right answer",
  broader: "broader than the right answer",
  related: "related",
  unrelated: "unrelated",
  excluded: "cannot be the right answer",
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
          ? [`✓ ${data.rank[at]}`, "found", `a right answer at rank ${data.rank[at]}`]
          : ["✗", "missed", "no right answer"];
  return { sign: doubtful ? `${sign} ?` : sign, kind: doubtful ? `${kind} doubtful` : kind, said: doubtful ? `${said}, doubtful` : said };
}

function mark(data, i, j, name) {
  const { sign, kind, said } = outcome(data, i, j);
  const shown = element("span", { "aria-hidden": "true" }, sign);
  return element("span", { class: `cases-mark ${kind}` }, shown, name ? ` ${data.models[j]}` : "", hidden(name ? `: ${said}` : said));
}

function drawnCase(data, i, chosen) {
  const right = data.right[i].map((string) => data.strings[string]);
  const marks = element("span", { class: "cases-marks" });
  for (let j = 0; j < data.m; j++) {
    const one = mark(data, i, j, true);
    if (j === chosen) one.classList.add("chosen");
    marks.append(one, " ");
  }
  const head = element(
    "summary",
    {},
    element("strong", { class: "cases-name" }, data.cases[i]),
    " ",
    right.length ? element("span", { class: "cases-right" }, right.join(" · ")) : element("span", { class: "cases-right undefined" }, "no right answer given"),
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
  const link = element("a", { href: `#${written({ ...unfiltered(), open: data.cases[i] })}` }, "Link to this case");
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
    more > 0 ? element("p", { class: "cases-told" }, `and ${number(more)} more`) : null
  );
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
  const doubt = before || pairs.doubt[pair] < 0 ? "" : data.doubts[pairs.doubt[pair]];
  const unscored = doubt && pairs.probability[pair] < 0;
  if (doubt) told.append(" ", element("span", { class: "cases-doubt" }, `? ${unscored ? why : doubt}`));
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
  if (pairs.relation[pair] >= 0) words.push(RELATION_WORDS[data.relations[pairs.relation[pair]]]);
  if (data.right[i].length > 1) words.push(`nearest: ${data.strings[pairs.right[pair]]}`);
  return words.join(", ");
}
