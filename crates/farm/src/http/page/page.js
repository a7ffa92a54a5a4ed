// The farm's page: what /v1 says, as it changes.
const MOST_JOBS = 1000; // Jobs that are remembered: those that changed last.
const MOST_ROWS = 100; // Jobs that are shown.
const LOOK_MS = 2000; // How often numbers and workers are asked for.
const DRAW_MS = 200; // How often the list of jobs is drawn at most.
const SILENT_MS = 25000; // A worker says every ten seconds, if nothing else was chosen, that it is there.
const FINAL = ["done", "failed", "set-aside", "cancelled"];
const STATES = ["running", "queued", ...FINAL];
const PRIORITIES = ["high", "normal", "low"];

const $ = (id) => document.getElementById(id);
const jobs = new Map(); // Status by name, the one that changed last behind the others.
let clock = 0; // The server's clock less ours.
let chosen = null; // The job that is looked at.
let crew = null; // The workers, once they are known.
let token = sessionStorage.getItem("token") ?? "";

function element(kind, text, name) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

const now = () => Date.now() + clock;
const short = (digest) => digest.slice(0, 12);
const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

function duration(ms) {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172800 ? `${(seconds / 3600).toFixed(0)} h` : `${(seconds / 86400).toFixed(0)} days`;
}

function size(bytes) {
  if (bytes === null) return "unknown";
  const power = Math.max(0, Math.min(4, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${+(bytes / 1024 ** power).toPrecision(3)} ${["bytes", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

// Asks for the token until there is an answer that is not 401.
let asking = null;
async function ask(path, init = {}) {
  for (;;) {
    const used = token;
    const headers = { ...init.headers, ...(used && { Authorization: `Bearer ${used}` }) };
    const reply = await fetch(path, { ...init, headers, cache: "no-store" });
    if (reply.status !== 401) return reply;
    if (used !== token) continue;
    asking ??= enter(used !== "").finally(() => { asking = null; });
    await asking;
  }
}

function enter(refused) {
  $("refused").textContent = refused ? "The farm does not know this token." : "";
  $("token").value = "";
  $("ask").showModal();
  return new Promise((entered) => {
    $("ask").onclose = () => {
      token = $("token").value.trim();
      sessionStorage.setItem("token", token);
      entered();
    };
  });
}

async function json(path, init) {
  const reply = await ask(path, init);
  const value = await reply.json();
  if (!reply.ok) throw new Error(`${value.title}: ${value.detail}`);
  return value;
}

function say(text, kind) {
  if ($("link").textContent !== text) $("link").textContent = text;
  $("link").className = kind;
}

// Names and values, the values replaced where they are there already.
function list(id, pairs) {
  const items = pairs.map(([name, value]) => {
    const item = element("div");
    item.append(element("dt", name), element("dd", value));
    return item;
  });
  $(id).replaceChildren(...items);
}

// Makes a table's body have these rows: key and cells, each a text or an element that is kept while its key is the same.
const kept = new WeakMap();
function rows(id, wanted) {
  const body = $(id).tBodies[0];
  const labels = [...$(id).tHead.rows[0].cells].map((cell) => cell.textContent);
  const old = new Map([...body.rows].map((row) => [kept.get(row), row]));
  wanted.forEach(([key, cells], at) => {
    const row = old.get(key) ?? element("tr");
    old.delete(key);
    kept.set(row, key);
    cells.forEach(([text, name, make], column) => {
      const cell = row.cells[column] ?? row.appendChild(element("td"));
      cell.dataset.label = labels[column];
      const mark = `${name ?? ""} ${text}`;
      if (kept.get(cell) === mark) return;
      kept.set(cell, mark);
      cell.className = name ?? "";
      cell.replaceChildren(make ? make() : text);
    });
    if (body.rows[at] !== row) body.insertBefore(row, body.rows[at] ?? null);
  });
  for (const row of old.values()) row.remove();
}

function drawNumbers({ jobs: states, queue, throughput }) {
  list("states", STATES.map((state) => [state, states[state]]));
  list("queue", PRIORITIES.map((priority) => [priority, queue[priority]]));
  const { seconds, done, ended } = throughput;
  const sum = (slots) => slots.reduce((a, b) => a + b, 0);
  // The slot that runs is not full: the minute before it.
  const minute = done.slice(-1 - 60 / seconds, -1);
  const lost = sum(ended) ? `, ${count(sum(ended), "job")} without` : "";
  $("rate").textContent = `${count(sum(minute), "proof")} in the last minute, ${sum(done)} in ten minutes${lost}`;
  const most = Math.max(1, ...done.map((count, at) => count + ended[at]));
  const width = 600 / done.length;
  const bars = done.flatMap((count, at) => {
    const [good, bad] = [count, ended[at]].map((part) => (part / most) * 118);
    return [["done", good, 120 - good], ["ended", bad, 120 - good - bad]].filter(([, height]) => height > 0)
      .map(([name, height, y]) => {
        const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        const place = { class: name, x: at * width + 1, y, width: width - 2, height };
        Object.entries(place).forEach(([key, value]) => bar.setAttribute(key, value));
        return bar;
      });
  });
  $("chart").replaceChildren(...bars);
}

const look = (name) => () => {
  const button = element("button", short(name), "name");
  button.type = "button";
  button.title = name;
  button.onclick = () => { location.hash = name; };
  return button;
};

function drawWorkers(workers) {
  crew = workers;
  rows("workers", workers.map((worker) => {
    const silent = now() - worker.seen;
    return [worker.name, [
      [worker.name], [worker.device], [size(worker.room)],
      worker.job ? [worker.job, "", look(worker.job)] : [worker.draining ? "draining" : "idle"],
      [worker.waits ?? "", worker.waits ? "failed" : ""],
      [`${worker.done}`, "number"], [`${worker.failed}`, worker.failed ? "number failed" : "number"],
      [`${duration(Math.floor(silent / 1000) * 1000)} ago`, silent > SILENT_MS ? "silent" : ""],
    ]];
  }));
}

function drawAlarms(alarms) {
  $("alarms").hidden = !alarms.length;
  const text = ({ job, first, second, at }) =>
    `${new Date(at).toLocaleString()}: job ${job}, worker ${first} (whose proof is published) and worker ${second}`;
  const items = alarms.map((alarm) => element("li", text(alarm)));
  if ($("alarms").lastElementChild.childElementCount !== items.length) $("alarms").lastElementChild.replaceChildren(...items);
}

// What a job is about: files by the beginning of their digests, or with all of them.
function words(job, digest = short) {
  const files = Object.entries(job.inputs ?? {}).map(([role, file]) => `${role} ${digest(file)}`);
  return [job.kind, ...files, ...Object.entries(job.words).map(([word, value]) => `${word}=${value}`)].join(" ");
}

function proof(name) {
  const link = element("a", "Proof");
  link.href = `/v1/jobs/${name}/proof`;
  link.download = `${name}.proof`;
  // A link has no headers: with a token the bytes are fetched first.
  link.onclick = async (event) => {
    if (!token) return;
    event.preventDefault();
    const reply = await ask(link.href);
    if (!reply.ok) return say(`The proof cannot be had: ${reply.status} ${reply.statusText}`, "bad");
    const saved = element("a");
    saved.href = URL.createObjectURL(await reply.blob());
    saved.download = link.download;
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
  };
  return link;
}

function cancel(name) {
  const button = element("button", "Cancel");
  button.type = "button";
  button.setAttribute("aria-label", `Cancel job ${short(name)}`);
  button.onclick = async () => {
    if (button.className !== "sure") {
      button.className = "sure";
      button.textContent = "Cancel it?";
      setTimeout(() => { button.className = ""; button.textContent = "Cancel"; }, 5000);
      return;
    }
    button.disabled = true;
    try {
      take(await json(`/v1/jobs/${name}`, { method: "DELETE" }));
    } catch (error) {
      button.disabled = false;
      say(error.message, "bad");
    }
  };
  return button;
}

const RANK = Object.fromEntries(["running", "queued"].map((state, at) => [state, at]));
function order(a, b) {
  const rank = (RANK[a.state] ?? 2) - (RANK[b.state] ?? 2);
  if (rank) return rank;
  if (a.state === "queued") {
    const first = PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority);
    return first || a.submitted - b.submitted || (a.name < b.name ? -1 : 1);
  }
  return (b.ended ?? b.begun) - (a.ended ?? a.begun) || (a.name < b.name ? -1 : 1);
}

function drawJobs() {
  const state = $("state").value;
  const text = $("text").value.trim().toLowerCase();
  const has = (job) => `${job.name} ${words(job.job, String)} ${job.worker ?? ""}`.toLowerCase().includes(text);
  const found = [...jobs.values()].filter((job) => (!state || job.state === state) && has(job)).sort(order);
  rows("jobs", found.slice(0, MOST_ROWS).map((job) => {
    const { name, worker, submitted, error } = job;
    const percent = job.state === "running" ? `, ${job.phase ?? "begins"}, ${Math.round(job.share * 100)} %` : "";
    const fits = (worker) => worker.room === null || job.bytes <= worker.room;
    const room = job.state === "queued" && crew && !crew.some(fits) ? `, no worker has ${size(job.bytes)} of memory` : "";
    const again = job.state === "queued" && job.attempts ? `, attempt ${job.attempts} failed` : "";
    const why = error && job.state !== "done" ? `: ${error}` : "";
    return [name, [
      [name, "", look(name)], [words(job.job)], [`${job.state}${percent}${room}${again}${why}`, `state ${job.state}`],
      [job.priority], [worker ?? "none"], [new Date(submitted).toLocaleTimeString()],
      job.state === "done" ? ["proof", "", () => proof(name)]
        : FINAL.includes(job.state) ? ["none"] : ["cancel", "", () => cancel(name)],
    ]];
  }));
  const more = found.length > MOST_ROWS ? `, ${MOST_ROWS} of them shown` : "";
  $("shown").textContent = `${count(found.length, "job")}${more}`;
  drawJob();
}

function drawJob() {
  const job = jobs.get(chosen);
  $("job").hidden = !job;
  if (!job) return;
  const { phases, ended, state } = job;
  $("job-title").textContent = `Job ${job.name}`;
  const end = ended ?? (state === "running" ? now() : job.begun ?? 0);
  const times = phases.map(([phase, from], at) => [phase, Math.max((phases[at + 1]?.[1] ?? end) - from, 0)]);
  $("bar").hidden = !times.length;
  $("bar").setAttribute("aria-label", `Phases: ${times.map(([phase, ms]) => `${phase} ${duration(ms)}`).join(", ")}`);
  $("bar").replaceChildren(...times.map(([phase, ms], at) => {
    const part = element("i", undefined, state === "running" && at === times.length - 1 ? "runs" : "");
    part.style.flexGrow = Math.max(ms, 1);
    part.title = `${phase}: ${duration(ms)}`;
    return part;
  }));
  list("phases", times.map(([phase, ms]) => [phase, duration(ms)]));
  const facts = [["state", state], ["statement", words(job.job, String)], ["priority", job.priority], ["memory", size(job.bytes)],
    ["attempts", job.attempts], ["worker", job.worker ?? "none"], ["submitted", new Date(job.submitted).toLocaleString()]];
  if (job.deadline) facts.push(["deadline", new Date(job.deadline).toLocaleString()]);
  if (job.begun && ended) facts.push(["took", duration(ended - job.begun)]);
  if (job.error) facts.push(["error", job.error]);
  if (job.printed) facts.push(["printed", job.printed]);
  if (job.proof) facts.push(["proof's digest", job.proof], ["proof's size", size(job.proof_bytes)]);
  list("facts", facts);
}

// The job that the address names, which may be sent to somebody else, is shown.
async function choose() {
  const called = () => location.hash.slice(1).toLowerCase();
  const name = called();
  chosen = /^[0-9a-f]{64}$/.test(name) ? name : null;
  try {
    // The first digits of a name, as the list shows them, are enough.
    if (/^[0-9a-f]{4,64}$/.test(name) && !jobs.has(name)) {
      const job = await json(`/v1/jobs/${name}`);
      if (called() !== name) return;
      chosen = job.name;
      take(job);
    }
  } catch (error) {
    say(error.message, "bad");
  }
  drawJob();
  if (!jobs.has(chosen)) return;
  $("job").focus({ preventScroll: true });
  $("job").scrollIntoView({ block: "nearest" });
}

let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => { drawing = false; drawJobs(); }, DRAW_MS);
}

function take(status) {
  jobs.delete(status.name);
  jobs.set(status.name, status);
  for (const name of jobs.keys()) {
    if (jobs.size <= MOST_JOBS) break;
    if (name !== chosen) jobs.delete(name);
  }
  draw();
}

// Jobs that are not known; all of them if changes may have been missed. Events that come meanwhile are taken later.
async function load(all) {
  const state = $("state").value;
  const query = state ? [state] : STATES;
  const pages = await Promise.all(query.map((one) => json(`/v1/jobs?state=${one}&limit=${MOST_ROWS}`)));
  pages.flatMap((page) => page.jobs).filter((job) => all || !jobs.has(job.name)).forEach(take);
  draw();
}

// Events by fetch, since an EventSource sends no token. Comes back behind the last one that was read.
async function follow() {
  let last = "";
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const reply = await ask("/v1/events", { headers: last && { "Last-Event-ID": last } });
      if (!reply.ok) throw new Error((await reply.json()).title);
      if (!last) await load(true);
      say("live", "good");
      wait = 500;
      let text = "";
      for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
        const events = (text + piece).split("\n\n");
        text = events.pop();
        for (const event of events) {
          const field = (name) => event.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
          last = field("id") ?? last;
          if (field("event") === "status") take(JSON.parse(field("data")));
          if (field("event") === "gap") await load(true);
        }
      }
      say("connecting again", "");
    } catch (error) {
      say(`no connection: ${error.message}`, "bad");
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function watch() {
  for (;;) {
    try {
      const [summary, workers, alarms] = await Promise.all(["summary", "workers", "alarms"].map((what) => json(`/v1/${what}`)));
      clock = summary.now - Date.now();
      drawNumbers(summary);
      drawWorkers(workers);
      drawAlarms(alarms);
      drawJob();
    } catch (error) {
      say(`no numbers: ${error.message}`, "bad");
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

STATES.forEach((state) => $("state").append(new Option(state, state)));
$("state").onchange = () => { draw(); load(false).catch((error) => say(error.message, "bad")); };
$("text").oninput = draw;
$("filter").onsubmit = (event) => event.preventDefault();
$("close").onclick = () => { history.pushState(null, "", location.pathname); choose(); };
onhashchange = choose;
onpopstate = choose;
choose();
watch();
follow();
