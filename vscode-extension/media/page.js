// Shows runs: parts come as messages and become text nodes and pictures; nothing of them becomes markup.
(() => {
  const host = acquireVsCodeApi();
  const runs = document.getElementById("runs");
  let current;

  function add(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function begin(title) {
    current = add("section", "run");
    current.append(add("header", "", title));
    runs.append(current);
    current.scrollIntoView({ block: "end" });
  }

  function picture(part, alt) {
    const image = add("img");
    image.src = `data:${part.mime};base64,${part.data}`;
    image.alt = alt;
    return image;
  }

  function shown(parts) {
    const [first, second] = parts;
    if (first.encoded) return picture(first, second?.data ?? "");
    if (first.mime.endsWith("notebook.error")) return add("pre", "error", JSON.parse(first.data).stack);
    if (first.mime.endsWith("notebook.stderr")) return add("pre", "stderr", first.data);
    return add("pre", "", (second ?? first).data);
  }

  function part(message) {
    if (!current) begin("");
    if (message.clear) for (const old of current.querySelectorAll("pre, img")) old.remove();
    if (message.parts.length === 0) return;
    const [first] = message.parts;
    const last = current.lastElementChild;
    const goesOn = last && last.dataset.mime === first.mime && /stdout|stderr/.test(first.mime);
    if (goesOn) last.append(first.data);
    else {
      const element = shown(message.parts);
      element.dataset.mime = first.mime;
      current.append(element);
    }
    current.scrollIntoView({ block: message.report ? "start" : "end" });
  }

  function end(message) {
    current?.classList.add(message.bad ? "bad" : "good");
    current?.append(add("footer", "", message.text));
    current?.scrollIntoView({ block: "end" });
    for (const button of document.querySelectorAll("button")) button.disabled = false;
  }

  function again(messages) {
    runs.replaceChildren();
    current = undefined;
    for (const message of messages) heard(message);
  }

  function heard(message) {
    if (message.kind === "begin") begin(message.title);
    else if (message.kind === "part") part(message);
    else if (message.kind === "end") end(message);
    else if (message.kind === "again") again(message.messages);
  }

  window.addEventListener("message", ({ data }) => heard(data));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-do]");
    if (button) {
      if (button.dataset.runs) for (const each of document.querySelectorAll("button[data-runs]")) each.disabled = true;
      host.postMessage({ do: button.dataset.do });
      return;
    }
    const link = event.target.closest("a[href]");
    if (link) {
      event.preventDefault();
      host.postMessage({ open: link.getAttribute("href") });
    }
  });

  host.postMessage({ do: "ready" });
})();
