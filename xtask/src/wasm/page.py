"""The page in a browser without a screen: page.py BROWSER FOLDER. Serves the folder, which has the page, the module and files, and
has the browser open the page as a reader does: by a link, by dropping a file, by choosing one; on a narrow and on a wide screen."""

import functools
import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading

# How the page is asked, the file and what is asked of it, the width of the window, and texts that must be seen.
CASES = [
    ("link", "goldilocks-fibonacci.polystark", 360, ["Accepted", "simple-fibonacci", "64", "provable"]),
    ("drop", "circle-fibonacci.polystark", 1280, ["Accepted", "circle", "1024", "provable", "proof-of-work bits"]),
    ("choose", "circle-digest.polystark", 360, ["Accepted", "poseidon2", "conjectured"]),
    ("drop", "goldilocks-fibonacci.half", 360, ["Refused: this proves nothing", "truncated"]),
    ("choose", "circle-fibonacci.late", 1280, ["Refused: this proves nothing"]),
    ("drop", "goldilocks-weak.polystark", 1280, ["Refused by policy", "are required"]),
    ("link", "circle-m31.polystark&channel=blake2s_m31", 1280, ["Accepted", "plonk", "blake2s_m31"]),
    ("choose", "circle-m31.polystark", 360, ["Refused by policy", "blake2s_m31"]),
    ("link", "circle-m31.polystark&channel=blake3", 360, ["No verdict", "there is no channel blake3"]),
    ("link", "circle-lookups.magic", 1280, ["Refused: not a file", "no Polystark file"]),
    ("link", "client.bin&statement=facts.json", 360, ["Accepted", "client proof of Starknet", "task's program", "92 bits"]),
    ("drop", "client.bin", 1280, ["Refused", "does not say its statement"]),
    ("choose", "client.bin&statement=other-facts.json", 360, ["Refused: this proves nothing", "does not prove these felts"]),
    ("link", "missing", 360, ["No verdict", "404"]),
]

READER = """<!doctype html><meta charset="utf-8"><script type="module">
const cases = await (await fetch("/cases")).json();
const seen = [];
for (const [how, file, width] of cases) {
  const frame = document.createElement("iframe");
  frame.width = width;
  frame.height = 800;
  const loaded = new Promise((done) => { frame.onload = done; });
  frame.src = "/verify.html" + (how === "link" ? "?file=" + file : "");
  document.body.append(frame);
  await loaded;
  const page = frame.contentWindow;
  if (how !== "link") {
    const files = new page.DataTransfer();
    for (const name of file.split("&statement=")) {
      files.items.add(new page.File([await (await fetch("/" + name)).blob()], name));
    }
    if (how === "drop") {
      const drop = new page.DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
      page.document.getElementById("drop").dispatchEvent(drop);
    } else {
      const input = page.document.getElementById("file");
      input.files = files.files;
      input.dispatchEvent(new page.Event("change"));
    }
  }
  const verdict = page.document.getElementById("verdict");
  // The page answers while the worker works: a count of its own turns of the loop.
  let turns = 0;
  while (!["good", "bad"].includes(verdict.className) && turns < 3000) {
    turns += 1;
    await new Promise((done) => page.setTimeout(done, 10));
  }
  const root = page.document.documentElement;
  seen.push({ text: verdict.innerText, overflow: root.scrollWidth - root.clientWidth });
  frame.remove();
}
await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    seen = queue.Queue()

    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        if self.path == "/reader":
            self.answer("text/html", READER)
        elif self.path == "/cases":
            self.answer("application/json", json.dumps(CASES))
        else:
            super().do_GET()

    def do_POST(self):
        self.seen.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("text/plain", "")

    def log_message(self, *_):
        pass


def main(browser, folder):
    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        # As root, in a container, Chromium has no sandbox; it opens nothing but this page.
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += [f"--user-data-dir={profile}", "--remote-debugging-port=0"]
        command += [f"http://127.0.0.1:{server.server_port}/reader"]
        log = open(f"{folder}/browser.log", "w")
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            seen = Handler.seen.get(timeout=120)
        except queue.Empty:
            sys.exit(f"the browser does not answer: {folder}/browser.log")
        finally:
            process.terminate()
            process.wait()
    for (how, file, width, texts), page in zip(CASES, seen, strict=True):
        missing = [text for text in texts if text not in page["text"]]
        if missing or page["overflow"] > 0:
            sys.exit(f"{how} {file}, {width} px: {missing} not in {page['text']!r}; {page['overflow']} px too wide")
    print(f"wasm: the page says of {len(CASES)} files what it must")


main(sys.argv[1], sys.argv[2])
