// Keeps a part of a page up to date. Without this script the reader reloads the page.
(() => {
  const PAUSE = 2000;
  const ATTEMPTS = 600;
  let attempts = 0;

  const update = async () => {
    const shown = document.querySelector("[data-live]");
    if (!shown || attempts >= ATTEMPTS) return;
    attempts += 1;
    // What the reader is using stays as it is.
    if (!document.hidden && !shown.contains(document.activeElement)) {
      try {
        const answer = await fetch(shown.dataset.live, { headers: { accept: "text/html" } });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.getElementById(shown.id);
        if (!next) return;
        if (next.innerHTML !== shown.innerHTML || !("live" in next.dataset)) shown.replaceWith(next);
      } catch {
        // The server may be restarting.
      }
    }
    setTimeout(update, PAUSE);
  };

  setTimeout(update, PAUSE);
})();
