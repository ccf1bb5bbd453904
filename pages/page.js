// The manners of a page: a folded part opens where a link leads to it, charts take their width when it opens,
// and a table that is wider than its place says so.
const openTarget = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  const part = name && document.getElementById(name)?.closest("details");
  if (part && !part.open) {
    part.open = true;
    part.scrollIntoView();
  }
};
const sayWide = () => {
  for (const scroll of document.querySelectorAll(".scroll")) {
    const hint = scroll.nextElementSibling;
    if (hint?.classList.contains("sideways")) hint.hidden = scroll.scrollWidth <= scroll.clientWidth + 1;
  }
};
addEventListener("hashchange", openTarget);
addEventListener("resize", sayWide);
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.classList.contains("part")) dispatchEvent(new Event("resize"));
    else sayWide();
  },
  true
);
openTarget();
sayWide();
