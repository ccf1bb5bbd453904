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
      if (!raw.right[i].length || data.lengths[at] < 0) continue;
      let doubt = false;
      let sure = false;
      for (let rank = 1; rank <= Math.min(held, raw.k); rank++) {
        const pair = data.entries[start + rank - 1];
        if (pair < 0) continue;
        if (pairs.match[pair] && !data.rank[at]) data.rank[at] = rank;
        if (pairs.doubt[pair] >= 0) doubt = true;
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
