"use strict";
(() => {
  const form = document.getElementById("filters");
  const cases = [...document.querySelectorAll("details[data-state]")];
  const shown = document.getElementById("shown");
  if (!form) { return; }
  form.hidden = false;
  const apply = () => {
    const text = document.getElementById("text").value.toLowerCase();
    const label = document.getElementById("label").value;
    const states = new Set([...form.querySelectorAll("input[type=checkbox]:checked")].map((c) => c.value));
    let n = 0;
    for (const c of cases) {
      const labels = [...c.querySelectorAll(":scope > summary .label")].map((l) => l.textContent);
      const fits = states.has(c.dataset.state) && (!label || labels.includes(label)) &&
        (!text || c.textContent.toLowerCase().includes(text));
      c.hidden = !fits;
      n += fits ? 1 : 0;
    }
    shown.textContent = n + " of " + cases.length + " shown";
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  const open = () => {
    const at = document.getElementById(location.hash.slice(1));
    if (at && at.tagName === "DETAILS") { at.hidden = false; at.open = true; at.scrollIntoView(); }
  };
  window.addEventListener("hashchange", open);
  apply();
  open();
})();
