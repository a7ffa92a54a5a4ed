//! A Chromium without a screen, spoken to by its DevTools protocol over a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Programs that can be the browser, the smallest first.
const BROWSERS: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    /// The page that is open, and how it is spoken to.
    target: Option<Value>,
    session: Option<String>,
    /// Its complaints.
    pub(crate) complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// A browser, if there is one.
    pub(crate) fn start() -> Option<Self> {
        let is_there =
            |program: &&str| Command::new(program).arg("--version").output().is_ok_and(|said| said.status.success());
        let program = BROWSERS.into_iter().find(is_there)?;
        let profile = tempfile::tempdir().unwrap();
        // It reads messages from 3 and writes to 4. As root, in a container, it has no sandbox; it opens only the page.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2", program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(["--remote-debugging-pipe", "about:blank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(out).split(0).map_while(Result::ok) {
                let _ = send.send(serde_json::from_slice(&message).unwrap());
            }
        });
        Some(Self { child, to, from, calls: 0, target: None, session: None, complaints: Vec::new(), _profile: profile })
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let message = self.from.recv_timeout(Duration::from_secs(30)).expect("the browser answers");
            if message["id"] == self.calls {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.listen(&message);
        }
    }

    fn listen(&mut self, message: &Value) {
        let params = &message["params"];
        let complains = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error",
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            _ => false,
        };
        if complains {
            self.complaints.push(params.to_string());
        }
    }

    /// Opens a page, instead of the one that is open, as a window of this width shows it.
    pub(crate) fn open(&mut self, url: &str, width: u32) {
        self.session = None;
        if let Some(target) = self.target.take() {
            self.call("Target.closeTarget", json!({"targetId": target}));
        }
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.target = Some(target);
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", screen);
        self.call("Page.navigate", json!({"url": url}));
        self.wait(&format!("location.href === '{url}' && document.readyState === 'complete'"));
    }

    /// The result of a script on the page.
    pub(crate) fn run(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let given = self.call("Runtime.evaluate", asked);
        assert!(given.get("exceptionDetails").is_none(), "{script}: {given}");
        given["result"]["value"].clone()
    }

    /// Waits until a script gives true.
    pub(crate) fn wait(&mut self, script: &str) {
        let end = Instant::now() + Duration::from_secs(15);
        while self.run(script) != true {
            if Instant::now() > end {
                let text = self.run("document.body.innerText");
                panic!("never: {script}; the page says {text}; complaints: {:?}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
