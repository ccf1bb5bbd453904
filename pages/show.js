// Draws every chart of the page from the JSON beside it. Expressions are interpreted, never compiled to code,
// and nothing may be loaded.
const refuse = () => Promise.reject(new Error("nothing is loaded from outside"));
const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
const options = {
  mode: "vega-lite",
  ast: true,
  actions: false,
  renderer: "svg",
  defaultStyle: false,
  loader,
  logLevel: 1,
  tooltip: { disableDefaultStyle: true },
};
const printedWidth = 380;
const views = [];
for (const holder of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(holder.dataset.chart).textContent);
  vegaEmbed(holder, spec, options).then(
    ({ view }) => {
      holder.classList.add("drawn");
      views.push(view);
    },
    (error) => {
      holder.textContent = `The chart could not be drawn (${error.message}); its data are in the table.`;
    }
  );
}
// On paper two charts stand side by side, whatever the window was.
addEventListener("beforeprint", () => views.forEach((view) => view.width(printedWidth).run()));
addEventListener("afterprint", () => dispatchEvent(new Event("resize")));
