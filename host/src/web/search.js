// Results as one types. Without this script the form works by itself.
(() => {
  const form = document.getElementById("search");
  const input = document.getElementById("q");
  const list = document.getElementById("suggestions");
  const count = document.getElementById("count");
  if (!form || !input || !list || !count) return;
  let current = -1;
  let waiting = 0;
  let running = null;
  let shown = "";

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");

  const options = () => [...list.querySelectorAll("[data-ico]")];

  const close = () => {
    list.hidden = true;
    current = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const choose = (next) => {
    const all = options();
    if (all.length === 0) return;
    current = (next + all.length) % all.length;
    all.forEach((option, at) => option.setAttribute("aria-selected", String(at === current)));
    input.setAttribute("aria-activedescendant", all[current].id);
    all[current].scrollIntoView({ block: "nearest" });
  };

  const open = (option) => { location.href = "/company/" + option.dataset.ico; };

  const search = async () => {
    const typed = input.value.trim();
    if (running) running.abort();
    if (typed === "") { shown = ""; close(); return; }
    running = new AbortController();
    try {
      const answer = await fetch("/suggest?q=" + encodeURIComponent(typed), { signal: running.signal });
      if (answer.status !== 200) { close(); return; }
      list.innerHTML = await answer.text();
      shown = typed;
      current = -1;
      input.removeAttribute("aria-activedescendant");
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
      const found = options().length;
      count.textContent = list.getAttribute("aria-label") + ": " + found;
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) {
        if (input.value.trim() !== "" && shown === input.value.trim()) {
          list.hidden = false;
          input.setAttribute("aria-expanded", "true");
        }
        return;
      }
      event.preventDefault();
      choose(event.key === "ArrowDown" ? current + 1 : current < 0 ? -1 : current - 1);
    } else if (event.key === "Enter" && !list.hidden && current >= 0) {
      event.preventDefault();
      open(options()[current]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    }
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest("[data-ico]");
    event.preventDefault();
    if (option) open(option);
  });
  input.addEventListener("blur", close);
})();
