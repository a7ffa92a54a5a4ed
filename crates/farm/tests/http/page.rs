//! The page, as people see it.

use bytes::Bytes;
use farm::http::HttpOptions;
use farm::{Digest, Job, Priority, ProofConflict, State, Status, Worker};
use hal_conformance::left_out;

use super::browser::Browser;
use super::memory::{MOMENT, done, job, queued, running};
use super::wire::{Server, wait};

/// A farm with jobs in all states.
fn fill(server: &Server) {
    let farm = &server.farm;
    let of = |rows, priority| queued(job(rows), priority);
    farm.put(of(1, Priority::High));
    farm.put(of(2, Priority::Low));
    farm.put(running(&of(3, Priority::Normal), "left"));
    farm.put(done(&running(&of(4, Priority::Normal), "right"), b"proof"));
    farm.proofs.lock().unwrap().insert(job(4).name(), Bytes::from_static(b"proof"));
    let ends = |rows, state, error: &str| Status {
        state,
        error: Some(error.into()),
        ended: Some(MOMENT + 4000),
        ..running(&of(rows, Priority::Normal), "left")
    };
    farm.put(ends(5, State::Failed, "the trace breaks constraint 3 at row 17"));
    farm.put(ends(6, State::SetAside, "out of memory"));
    farm.put(queued(cairo(), Priority::Normal));
    let worker = |name: &str, device: &str, job| Worker {
        name: name.into(),
        device: device.into(),
        room: Some(139 << 30),
        job,
        done: 12,
        failed: 1,
        begun: MOMENT,
        seen: MOMENT,
        draining: false,
        waits: None,
    };
    let left = worker("left", "cuda:0 NVIDIA H200", Some(job(3).name()));
    *farm.workers.lock().unwrap() = vec![left, worker("right", "cpu", None)];
    let (first_proof, second_proof) = (Digest::of(b"a"), Digest::of(b"b"));
    let alarm = ProofConflict {
        job: job(4).name(),
        first: "right".into(),
        first_proof,
        second: "left".into(),
        second_proof,
        at: MOMENT,
    };
    *farm.alarms.lock().unwrap() = vec![alarm];
}

/// A job about a program.
fn cairo() -> Job {
    let inputs = [("program".to_owned(), Digest::of(b"a program"))].into();
    Job { kind: "cairo".into(), words: [("format".to_owned(), "binary".to_owned())].into(), inputs }
}

/// The row of a job.
fn row(rows: u64) -> String {
    format!("[...document.querySelectorAll('#jobs tbody tr')].find((row) => row.innerText.includes('rows={rows}'))")
}

#[test]
fn people_see_the_farm_and_cancel_a_job() {
    let Some(mut browser) = Browser::start() else {
        left_out("the page: there is no Chromium here; on Debian: apt install chromium-headless-shell");
        return;
    };
    for width in [1280, 1051, 800, 400] {
        let server = Server::start(HttpOptions::default());
        fill(&server);
        browser.open(&format!("http://{}/", server.address), width);
        browser.wait("document.querySelectorAll('#jobs tbody tr').length === 7");
        browser.wait("document.querySelectorAll('#workers tbody tr').length === 2");
        let text = browser.run("document.body.innerText").as_str().unwrap().to_owned();
        for seen in [
            "live",
            "Two workers made different proofs",
            "worker right (whose proof is published) and worker left",
            "1 in ten minutes, 2 jobs without",
            "cuda:0 NVIDIA H200",
            "139 GiB",
            "idle",
            "running, commit, 25 %",
            "set-aside: out of memory",
            "failed: the trace breaks constraint 3 at row 17",
            "7 jobs",
        ] {
            assert!(text.contains(seen), "{width} px: {seen:?} is not in {text}");
        }
        assert!(browser.run("document.querySelectorAll('#chart rect').length").as_u64() > Some(0));
        let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.run(overflow), 0, "{width} px");

        // Slots follow the clock, so the page is given some: the one that runs is not in the minute before it.
        browser.run(
            "const real = fetch; \
             window.fetch = async (path, init) => { \
             const reply = await real(path, init); \
             if (path !== '/v1/summary') return reply; \
             const throughput = { seconds: 10, done: [8, 1, 0, 2, 0, 0, 1, 16], ended: [0, 0, 0, 0, 0, 0, 0, 3] }; \
             return new Response(JSON.stringify({ ...await reply.json(), throughput })); }",
        );
        let rate = "4 proofs in the last minute, 28 in ten minutes, 3 jobs without";
        browser.wait(&format!("document.getElementById('rate').textContent === '{rate}'"));

        // A job's phases, by its name in the list; changes appear without a reload.
        browser.run(&format!("{}.querySelector('button.name').click()", row(3)));
        assert_eq!(browser.run("location.hash"), format!("#{}", job(3).name()));
        browser.wait("document.querySelectorAll('#bar i').length === 2");
        server.farm.put(done(&running(&queued(job(3), Priority::Normal), "left"), b"p"));
        browser.wait("document.getElementById('job').innerText.includes(\"proof's digest\")");
        assert_eq!(browser.run("document.getElementById('bar').ariaLabel"), "Phases: trace 0.50 s, commit 2.00 s");
        assert_eq!(browser.run(overflow), 0, "{width} px, with a job");

        // It stands above the list, and has an address that shows it elsewhere.
        let above = "document.getElementById('job').getBoundingClientRect().bottom <= \
                     document.getElementById('jobs').getBoundingClientRect().top";
        assert_eq!(browser.run(above), true, "{width} px");
        browser.run("document.getElementById('close').click()");
        browser.wait("document.getElementById('job').hidden && location.hash === ''");
        browser.run(&format!("location.hash = '{}'", cairo().name()));
        browser.wait("!document.getElementById('job').hidden");
        let program = Digest::of(b"a program").to_string();
        let shown = browser.run("document.getElementById('facts').innerText").as_str().unwrap().to_owned();
        assert!(shown.contains(&format!("program {program}")), "{width} px: {shown}");
        browser.run("history.back()");
        browser.wait("document.getElementById('job').hidden");

        // No word of these is broken into two lines.
        let broken = "[...document.querySelectorAll('#jobs td, #jobs td button, #workers td')].filter((cell) => { \
                      const text = cell.firstChild; \
                      if (text?.nodeType !== Node.TEXT_NODE) return false; \
                      return [...text.data.matchAll(/[a-zA-Z]{3,20}/g)].some((word) => { \
                      const range = document.createRange(); \
                      range.setStart(text, word.index); \
                      range.setEnd(text, word.index + word[0].length); \
                      return range.getClientRects().length > 1; }); }).map((cell) => cell.innerText)";
        assert_eq!(browser.run(broken), serde_json::json!([]), "{width} px");

        // One click asks, the second cancels.
        let button = format!("{}.querySelector('td:last-child button')", row(2));
        browser.run(&format!("{button}.click()"));
        assert_eq!(browser.run(&format!("{button}.innerText")), "Cancel it?");
        assert_eq!(server.get(&format!("/v1/jobs/{}", job(2).name())).json()["state"], "queued");
        browser.run(&format!("{button}.click()"));
        browser.wait(&format!("{}.innerText.includes('cancelled')", row(2)));
        wait("it is cancelled", || {
            server.get("/v1/jobs?state=cancelled").json()["jobs"].as_array().unwrap().len() == 1
        });

        browser.run("const select = document.getElementById('state'); select.value = 'done'; select.onchange()");
        browser.wait("document.querySelectorAll('#jobs tbody tr').length === 2");
        browser.run("const text = document.getElementById('text'); text.value = 'rows=4'; text.oninput()");
        browser.wait("document.getElementById('shown').textContent === '1 job'");
        let proof = browser.run(&format!("fetch({}.querySelector('a').href).then((reply) => reply.text())", row(4)));
        assert_eq!(proof, "proof");
        assert!(browser.complaints.is_empty(), "{width} px: {:?}", browser.complaints);
    }

    // A farm with tokens asks for one until it is right. A browser complains of each 401.
    let server = Server::start(super::tokens::with_tokens());
    fill(&server);
    browser.open(&format!("http://{}/", server.address), 400);
    for token in ["wrong-wrong-wrong", "reader-reader-reader"] {
        browser.wait("document.getElementById('ask').open");
        browser.run(&format!(
            "document.getElementById('token').value = '{token}'; document.querySelector('#ask button').click()"
        ));
    }
    browser.wait("document.querySelectorAll('#jobs tbody tr').length === 7");
    assert_eq!(browser.run("document.getElementById('refused').textContent"), "The farm does not know this token.");
    // An action that the role does not allow is refused with a message.
    let button = format!("{}.querySelector('td:last-child button')", row(2));
    browser.run(&format!("{button}.click(); {button}.click()"));
    browser.wait("document.getElementById('link').innerText.includes('needs the role `submit`')");
}
