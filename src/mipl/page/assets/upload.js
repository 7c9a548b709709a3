// Sends chosen or dropped files, one after another, each as the body of a request.
// Nothing is shown as markup: names go into text nodes.
(() => {
  let sending = null;

  const say = (area, text, failed) => {
    const line = area.querySelector("[data-told]");
    line.textContent = text;
    line.classList.toggle("bad", Boolean(failed));
  };

  const send = (area, file, path, told) =>
    new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      sending = request;
      request.open("POST", area.dataset.upload);
      request.setRequestHeader("X-File-Name", encodeURIComponent(path));
      request.upload.onprogress = (event) => {
        const share = event.total ? Math.floor((100 * event.loaded) / event.total) : 0;
        say(area, `${told} ${path}: ${share} %`);
      };
      request.onload = () => {
        if (request.status === 200) return done();
        let sentence = `the server has refused ${path}.`;
        try {
          sentence = JSON.parse(request.responseText).detail || sentence;
        } catch {}
        fail(new Error(sentence));
      };
      request.onerror = () => fail(new Error("the connection to the server was lost."));
      request.onabort = () => fail(new Error("stopped; nothing was imported."));
      request.send(file);
    });

  const sendAll = async (area, files) => {
    if (!files.length || area.dataset.busy) return;
    area.dataset.busy = "yes";
    try {
      for (let i = 0; i < files.length; i++) {
        const [file, path] = files[i];
        await send(area, file, path, `File ${i + 1} of ${files.length},`);
      }
      say(area, "All files are there.");
      location.assign(area.dataset.next);
    } catch (error) {
      say(area, error.message[0].toUpperCase() + error.message.slice(1), true);
    } finally {
      delete area.dataset.busy;
      sending = null;
    }
  };

  const entries = async (entry) => {
    if (entry.isFile) {
      const file = await new Promise((done, fail) => entry.file(done, fail));
      return [[file, entry.fullPath.replace(/^\//, "")]];
    }
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return found;
      for (const one of some) found.push(...(await entries(one)));
    }
  };

  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-upload] input[type=file]")) return;
    const area = event.target.closest("[data-upload]");
    const chosen = [...event.target.files];
    sendAll(area, chosen.map((one) => [one, one.webkitRelativePath || one.name]));
    event.target.value = "";
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-stop]") && sending) sending.abort();
    const opens = event.target.closest("[data-opens]");
    if (opens) {
      const area = opens.closest("[data-upload]");
      area.querySelector(`input[data-kind=${opens.dataset.opens}]`).click();
    }
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, async (event) => {
      const area = event.target.closest && event.target.closest("[data-upload]");
      if (!area) return;
      event.preventDefault();
      area.classList.toggle("over", kind === "dragover");
      if (kind !== "drop") return;
      const items = [...event.dataTransfer.items].map((one) => one.webkitGetAsEntry());
      const found = [];
      for (const item of items.filter(Boolean)) found.push(...(await entries(item)));
      sendAll(area, found);
    });
  }
})();
