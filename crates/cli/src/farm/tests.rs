//! Jobs in words, and their proofs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use farm::{Failure, Job, JobProof, Prover as _, Step};

use super::bounds::Bounds;
use super::prover::Statements;
use super::statements::Expected;
use super::words::{HIDES, known, request};
use crate::arguments::DeviceArguments;
use crate::protocol::CommandLine;
use sdk::hal::CircleStark;
use sdk::{Goldilocks3, Registry};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    device: DeviceArguments,
}

const BOUNDS: Bounds = Bounds { prove_seconds: 6 * 3600, plan_seconds: 120 };

fn prover() -> Statements {
    let Line { device } = Line::try_parse_from(["worker", "--backend", "cpu", "--threads", "1"]).unwrap();
    Statements::new(Arc::new(Registry::shipped()), device, BOUNDS)
}

/// A job of words like `air=fibonacci`.
fn job(kind: &str, words: &str) -> Job {
    let word = |text: &str| text.split_once('=').map(|(word, value)| (word.to_owned(), value.to_owned())).unwrap();
    Job { kind: kind.to_owned(), words: words.split_whitespace().map(word).collect(), inputs: BTreeMap::new() }
}

#[test]
fn equal_statements_have_equal_names() {
    let prover = prover();
    let normal = |words: &str| prover.normal(&job("goldilocks", words)).unwrap();
    let one = normal("air=simple-fibonacci rows=2^6 queries=90");
    // Given words and defaults, in any form.
    let found = ["blowup", "grinding"].map(|word| format!("{word}={}", one.words[word])).join(" ");
    let other = normal(&format!("rows=64 air=simple-fibonacci queries=90 coset-offset=3 hash=keccak256 {found}"));
    assert_eq!((one.name(), &one), (other.name(), &other));
    assert_ne!(one.name(), normal("air=simple-fibonacci rows=64 queries=91").name());
    // A channel that a file would not name is no part of the name.
    let circle = |words: &str| prover.normal(&job("circle", &format!("air=fibonacci rows=64 {words}"))).unwrap();
    assert_eq!(circle("").name(), circle("channel=blake2s").name());
    assert_ne!(circle("").name(), circle("channel=blake2s_m31").name());
    // The figure that options must reach is no part of the name where they reach the verifiers' default.
    let asked = normal("air=simple-fibonacci rows=64 security=provable-128");
    assert!(!asked.words.contains_key("security") && asked.words.contains_key("grinding"), "{asked:?}");
    // A job that asks for less says so, and is refused else.
    let asked = normal("air=simple-fibonacci rows=64 security=conjectured-60");
    assert_eq!((&asked.words["security"][..], prover.normal(&asked).as_ref()), ("conjectured-60", Ok(&asked)));
    let error = prover.normal(&job("circle", "air=plonk rows=2^20")).unwrap_err();
    assert!(error.contains("no options reach provable-100") && error.contains("--security provable-9"), "{error}");
}

#[test]
fn a_normal_form_is_its_own() {
    let prover = prover();
    let normal = |job: &Job| prover.normal(job).unwrap_or_else(|error| panic!("{job:?}: {error}"));
    // The meaning of the words is a part of the name.
    assert_eq!(normal(&job("circle", "air=fibonacci rows=64")).words["form"], "1");
    let mut jobs = Vec::new();
    for info in sdk::air::airs::all() {
        let mut words = format!("air={} rows=16", info.name);
        for param in info.params.iter().filter(|param| param.default.is_none()) {
            words += &format!(" param.{}={}", param.name, if param.name == "width" { 3 } else { 4 });
        }
        jobs.push(job("goldilocks", &words));
    }
    jobs.push(job("goldilocks", "air=simple-fibonacci rows=16 transcript-seed=00ff blowup=8"));
    jobs.push(job("goldilocks", "air=fibonacci-rap rows=16 format=compact"));
    // The default of a parameter is that of the rows that are not free.
    let of_free = job("goldilocks", "air=fibonacci-rap rows=16 format=compact param.free=3");
    assert_eq!(normal(&of_free).words["param.steps"], "12");
    jobs.push(of_free);
    jobs.push(job("circle", "air=fibonacci rows=64"));
    jobs.push(job("circle", "air=range-squares rows=64 param.table=3"));
    jobs.push(job("circle", "air=fibonacci rows=64 lifting=none queries=7 security=claimed-0"));
    for job in &jobs {
        let once = normal(job);
        assert_eq!(normal(&once), once);
    }
    // A lower preprocessed tree lifts the domain by default; the normal form says to where.
    assert_ne!(normal(&jobs[jobs.len() - 2]).words["lifting"], "none");
}

#[test]
fn a_proof_is_of_its_job_alone() {
    let (prover, none) = (prover(), BTreeMap::new());
    let go = |_| ControlFlow::Continue(());
    for (kind, words) in [
        ("goldilocks", "air=simple-fibonacci rows=16 queries=3 grinding=1 security=claimed-0"),
        ("goldilocks", "air=simple-fibonacci rows=16 queries=3 grinding=1 security=claimed-0 transcript-seed=00ff"),
        ("goldilocks", "air=simple-fibonacci rows=16 queries=3 security=claimed-0 format=compact"),
        ("circle", "air=fibonacci rows=16 queries=3 pow-bits=1 security=claimed-0"),
        ("circle", "air=fibonacci rows=16 queries=3 pow-bits=1 security=claimed-0 channel=blake2s_m31"),
    ] {
        let job = prover.normal(&job(kind, words)).unwrap();
        assert!(prover.needs(&job, &none).unwrap().bytes > 1000);
        let make = || prover.prove(&job, &none, &go).unwrap_or_else(|error| panic!("{words}: {error}"));
        let JobProof { proof, verify, .. } = make();
        assert_eq!(verify(&proof), Ok(()), "{words}");
        let again = make();
        assert_eq!(again.proof, proof);
        let mut changed = proof;
        *changed.last_mut().unwrap() ^= 1;
        assert!((again.verify)(&changed).is_err(), "{words}");
    }
}

#[test]
fn what_was_verified_is_compared_with_the_job() {
    fn differ<F: CommandLine>(words: &str, others: &[&str]) {
        let Line { device } = Line::try_parse_from(["worker", "--backend", "cpu", "--threads", "1"]).unwrap();
        let device = device.open::<F>(&Registry::shipped()).unwrap();
        let asked = |words: &str| request(device.airs(), &job("", words)).unwrap();
        let expected = |words| {
            let (request, statement) = asked(words);
            Expected::new(device.airs(), &request, &statement.air).unwrap()
        };
        let report = device.prove(&asked(words).0).unwrap().report;
        assert_eq!(expected(words).check(&report), Ok(()));
        for other in others {
            let error = expected(other).check(&report).expect_err(other).to_string();
            assert!(error.contains("expected"), "{other}: {error}");
        }
    }
    differ::<Goldilocks3>(
        "air=simple-fibonacci rows=16 queries=3 grinding=1 security=claimed-0",
        &[
            "air=simple-fibonacci rows=16 queries=3 grinding=2 security=claimed-0",
            "air=simple-fibonacci rows=32 queries=3 grinding=1 security=claimed-0",
            "air=fibonacci-rap rows=16 queries=3 grinding=1 security=claimed-0",
        ],
    );
    differ::<CircleStark>(
        "air=fibonacci rows=16 queries=3 pow-bits=1 security=claimed-0 param.a=1",
        &[
            "air=fibonacci rows=32 queries=3 pow-bits=1 security=claimed-0 param.a=1",
            "air=fibonacci rows=16 queries=4 pow-bits=1 security=claimed-0 param.a=1",
            "air=fibonacci rows=16 queries=3 pow-bits=1 security=claimed-0 param.a=2",
            "air=fibonacci rows=16 queries=3 pow-bits=1 security=claimed-0 param.a=1 channel=blake2s_m31",
        ],
    );
}

#[test]
fn all_arguments_of_a_statement_are_in_its_normal_form() {
    let prover = prover();
    // The seed has no default, and that of the channel is not said.
    let kinds = [
        ("goldilocks", "air=simple-fibonacci rows=16 transcript-seed=00"),
        ("goldilocks", "air=simple-fibonacci rows=16 format=compact"),
        ("circle", "air=fibonacci rows=16 channel=blake2s_m31"),
    ];
    let forms = kinds.map(|(kind, words)| prover.normal(&job(kind, words)).unwrap().words);
    for word in known() {
        // The security that options must reach is no part of them, nor what is looked for; parameters have a dot; no
        // job hides its witness.
        let is_written = forms.iter().any(|form| form.keys().any(|key| key.split('.').next() == Some(&word)));
        assert!(
            is_written || ["security", "min-security-bits", "smallest", "fastest", HIDES].contains(&&*word),
            "`{word}` may change a proof, and jobs do not say it"
        );
    }
}

#[test]
fn a_proof_says_where_it_is_and_stops() {
    let (prover, none) = (prover(), BTreeMap::new());
    let job = prover
        .normal(&job("goldilocks", "air=simple-fibonacci rows=16 queries=3 grinding=1 security=claimed-0"))
        .unwrap();
    let seen = std::cell::RefCell::new(Vec::new());
    let follow = |step: Step| {
        seen.borrow_mut().push(step);
        ControlFlow::Continue(())
    };
    prover.prove(&job, &none, &follow).unwrap();
    let seen = seen.into_inner();
    assert!(seen.len() > 5 && seen.windows(2).all(|pair| pair[0].share <= pair[1].share), "{seen:?}");
    assert!(seen.last().is_some_and(|last| last.phase == "verification" && last.share < 1.0), "{seen:?}");
    assert_eq!(prover.prove(&job, &none, &|_| ControlFlow::Break(())).err(), Some(Failure::Stopped));
}

#[test]
fn what_is_no_job_is_said() {
    let prover = prover();
    for (kind, words, reason) in [
        ("plonk", "air=fibonacci rows=16", "there is no kind `plonk`"),
        ("goldilocks", "rows=16", "--air"),
        ("goldilocks", "air=simple-fibonacci rows=15", "15"),
        ("goldilocks", "air=nothing rows=16", "nothing"),
        ("goldilocks", "air=simple-fibonacci rows=16 pow-bits=3", "--pow-bits does not exist"),
        ("goldilocks", "air=simple-fibonacci rows=16 output=/etc/passwd", "--output"),
        ("goldilocks", "air=simple-fibonacci rows=16 -o=file", "`-o` is no word"),
        ("goldilocks", "air=simple-fibonacci rows=16 param.x=1", "x"),
        ("goldilocks", "air=simple-fibonacci rows=16 format=compact zk=true", "`zk` is for `polystark prove`"),
        ("goldilocks", "air=simple-fibonacci rows=16 form=2", "of form `2`"),
        ("cairo", "form=01", "of form `01`"),
        ("cairo", "queries=3", "the input `program` is missing"),
        ("cairo", "keep=all", "leave `keep` out"),
    ] {
        let error = prover.normal(&job(kind, words)).expect_err(words);
        assert!(error.contains(reason), "{words}: {error}");
    }
    let mut job = job("circle", "air=fibonacci rows=16");
    job.inputs.insert("program".to_owned(), farm::Digest::of(b""));
    assert!(prover.normal(&job).unwrap_err().contains("has no inputs"));
}

#[test]
fn a_program_has_its_words_and_its_inputs() {
    let prover = prover();
    let with = |words: &str, role: &str| {
        let mut job = job("cairo", words);
        job.inputs.insert("program".to_owned(), farm::Digest::of(b"a program"));
        job.inputs.insert(role.to_owned(), farm::Digest::of(b"[]"));
        job
    };
    let one = prover.normal(&with("args=1,0x10", "program-input")).unwrap();
    assert_eq!((&one.words["args"][..], &one.words["form"][..]), ("0x1,0x10", "1"));
    assert_eq!((&one.words["preprocessed"][..], &one.words["pow-bits"][..]), ("auto", "26"));
    assert_eq!(prover.normal(&one).unwrap(), one);
    assert!(prover.normal(&with("args=1", "args-file")).unwrap_err().contains("exclude each other"));
    assert!(prover.normal(&with("format=cairo-serde", "program-input")).unwrap_err().contains("cannot be read again"));
    assert!(prover.normal(&with("", "secret")).unwrap_err().contains("there is no input `secret`"));
    // Bytes that are no program are the job's fault.
    let inputs = BTreeMap::from([("program".to_owned(), bytes::Bytes::from_static(b"a program"))]);
    let failed = prover.prove(&one, &inputs, &|_| ControlFlow::Continue(())).err();
    assert!(matches!(failed, Some(Failure::Job(_))), "{failed:?}");
}

/// The job of a file of `vectors/faults`.
fn fault(name: &str) -> Job {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut submission: farm::Submission = serde_json::from_str(&text).unwrap();
    // At any security: a job of less than 100 bits is refused unless it says so.
    submission.job.words.insert("security".to_owned(), "claimed-0".to_owned());
    submission.job
}

#[test]
fn work_without_end_is_refused_where_it_is_planned_and_where_it_is_proven() {
    let (prover, none) = (prover(), BTreeMap::new());
    let go = |_| ControlFlow::Continue(());
    for job in [
        fault("job-grinding64.json"),
        job("goldilocks", "air=simple-fibonacci rows=16 queries=3 grinding=45 security=claimed-0"),
    ] {
        let normal = prover.normal(&job).unwrap();
        let refused = prover.needs(&normal, &none).unwrap_err();
        assert!(refused.contains("--prove-seconds") && refused.contains("proof of work"), "{refused}");
        let failed = prover.prove(&normal, &none, &go).err();
        assert!(matches!(&failed, Some(Failure::Costly(why)) if *why == refused), "{failed:?}");
    }
}

#[test]
fn constraints_are_part_of_what_a_proof_is_thought_to_take() {
    let Line { device } = Line::try_parse_from(["worker", "--backend", "cpu", "--threads", "1"]).unwrap();
    let few = Statements::new(Arc::new(Registry::shipped()), device, Bounds { prove_seconds: 1, ..BOUNDS });
    // 80 MB and 10^8 operations. A build with assertions took 20 s for it.
    let job = job("goldilocks", "air=wide param.width=256 param.degree=8 rows=2^12 security=claimed-0");
    let refused = few.needs(&job, &BTreeMap::new()).unwrap_err();
    assert!(refused.contains("--prove-seconds") && refused.contains("its constraints take"), "{refused}");
    prover().needs(&job, &BTreeMap::new()).unwrap();
}

#[test]
fn jobs_of_many_columns_are_known_before_they_are_planned() {
    let prover = prover();
    let wide = |width: u64| job("goldilocks", &format!("air=wide rows=16 param.width={width} param.degree=8"));
    assert!(prover.is_costly(&wide(60_000)) && prover.is_costly(&wide(1 << 16)));
    // Nor is something that is no job.
    let mut others = vec![wide(4), wide(1 << 17), job("goldilocks", "air=nothing"), job("nothing", "")];
    for info in sdk::circle_air::airs::all() {
        let mut words = format!("air={} rows=2^{}", info.name, info.most_log_rows.min(24));
        for param in info.params.iter().filter(|param| param.default.is_none()) {
            words += &format!(" param.{}=4", param.name);
        }
        others.push(job("circle", &words));
    }
    let begun = Instant::now();
    for job in &others {
        assert!(!prover.is_costly(job), "{job:?}");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_search_for_a_nonce_stops_when_it_is_cancelled() {
    let Line { device } = Line::try_parse_from(["worker", "--backend", "cpu", "--threads", "1"]).unwrap();
    let prover = Statements::new(Arc::new(Registry::shipped()), device, Bounds { prove_seconds: u64::MAX, ..BOUNDS });
    for job in
        [fault("job-grinding64.json"), job("circle", "air=fibonacci rows=64 queries=1 pow-bits=32 security=claimed-0")]
    {
        let job = prover.normal(&job).unwrap();
        prover.needs(&job, &BTreeMap::new()).unwrap();
        let (begun, last) = (Instant::now(), std::cell::Cell::new(Instant::now()));
        let follow = |step: Step| {
            last.set(Instant::now());
            let is_late = step.phase == "grinding" && begun.elapsed() > Duration::from_millis(500);
            if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(prover.prove(&job, &BTreeMap::new(), &follow).err(), Some(Failure::Stopped));
        // It is asked often, and ends at once.
        assert!(last.get().elapsed() < Duration::from_secs(2) && begun.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn no_plan_takes_time_by_the_rows() {
    let (prover, begun) = (prover(), Instant::now());
    let mut jobs = vec![fault("job-rpo24.json")];
    for info in sdk::circle_air::airs::all() {
        let mut words = format!("air={} rows=2^{} security=provable-60", info.name, info.most_log_rows.min(24));
        for param in info.params.iter().filter(|param| param.default.is_none()) {
            words += &format!(" param.{}=4", param.name);
        }
        jobs.push(job("circle", &words));
    }
    for info in sdk::air::airs::all() {
        let mut words = format!("air={} rows=2^22 security=provable-60", info.name);
        for param in info.params.iter().filter(|param| param.default.is_none()) {
            words += &format!(" param.{}={}", param.name, if param.name == "width" { 3 } else { 4 });
        }
        jobs.push(job("goldilocks", &words));
    }
    for job in jobs {
        let since = Instant::now();
        let normal = prover.normal(&job).unwrap_or_else(|error| panic!("{job:?}: {error}"));
        if let Err(error) = prover.needs(&normal, &BTreeMap::new()) {
            panic!("{job:?}: {error}");
        }
        // Hashing 2^24 rows of rpo-m31 takes minutes.
        assert!(since.elapsed() < Duration::from_secs(10), "{job:?} took {:?}", since.elapsed());
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_leaves_of_a_statement_are_hashed_until_it_is_cancelled() {
    let (prover, none) = (prover(), BTreeMap::new());
    let job = prover.normal(&job("circle", "air=rpo-m31 rows=2^13 queries=3 pow-bits=1 security=claimed-0")).unwrap();
    let asked = std::cell::Cell::new(0);
    let follow = |step: Step| {
        asked.set(asked.get() + u64::from(step.phase == "main trace"));
        // The phase begins, and lasts.
        if asked.get() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(prover.prove(&job, &none, &follow).err(), Some(Failure::Stopped));
    assert_eq!(asked.get(), 4);
}
