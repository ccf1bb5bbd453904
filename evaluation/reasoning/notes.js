(() => {
  // Which notes are shown: all filters hold in one and the same run.
  const at = (name) => document.getElementById(name);
  if (!at("nb")) return;
  at("nb").hidden = false;
  const notes = [...document.querySelectorAll(".nb")].map((note) => ({
    note,
    text: note.textContent.toLowerCase(),
    runs: [...note.querySelectorAll(".nb-run")],
    marks: [...note.querySelectorAll(".nb-marks > span")],
  }));
  const chosen = (name) => at(name)?.value ?? "";
  const apply = () => {
    const words = chosen("nb-search").toLowerCase().split(/\s+/).filter(Boolean);
    const [run, category, show] = ["nb-run", "nb-category", "nb-show"].map(chosen);
    let shown = 0;
    for (const { note, text, runs, marks } of notes) {
      const own = runs.filter(
        (one) => (!run || one.dataset.run === run) && (!show || one.dataset.shows.split(" ").includes(show))
      );
      const kept =
        own.length > 0 && (!category || note.dataset.category === category) && words.every((word) => text.includes(word));
      note.hidden = !kept;
      shown += kept;
      for (const one of runs) one.hidden = Boolean(run || show) && !own.includes(one);
      for (const mark of marks) mark.hidden = Boolean(run) && mark.dataset.run !== run;
    }
    at("nb-status").textContent = `${shown} of ${notes.length} notes. Beside each run: observations explained alike / common / of either side.`;
  };
  for (const name of ["nb-search", "nb-run", "nb-category", "nb-show"]) at(name)?.addEventListener("input", apply);
  apply();
})();
