//! Jobs in their normal form, lists of tasks, and files that are no proof of a job.

use bytes::Bytes;
use sdk::circle_proof::{SecurityKind, Suite};

use super::*;

/// A file of `vectors/`.
fn vector(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A stored proof: its file, itself, and the verifier's result.
fn proven(name: &str) -> (Vec<u8>, Proof, Verified) {
    let file = vector(&format!("proofs/{name}.small.low.bincode"));
    let max_bytes = circle_proof::Policy::ANY.max_bytes;
    let read = || cairo::file::decode::<Proof>(&file, max_bytes, Suite::Blake2s).unwrap().0;
    let policy = cairo::verify::Policy { proof: circle_proof::Policy::ANY, ..Default::default() };
    let verified = cairo::verify::verify(read(), &policy, &Expect::default()).unwrap();
    let proof = read();
    (file, proof, verified)
}

/// Jobs of before the word have the same normal form.
#[test]
fn samples_are_said_if_they_are_not_the_default() {
    let of = |samples: Option<&str>| {
        let words = samples.iter().map(|samples| ("preprocessed-samples".to_owned(), (*samples).to_owned()));
        let inputs = BTreeMap::from([(PROGRAM.to_owned(), Digest::of(&Bytes::new()))]);
        normal(&Job { kind: "cairo".to_owned(), words: words.collect(), inputs })
    };
    let plain = of(None).unwrap();
    assert_eq!(of(Some("read")).unwrap(), plain);
    let mut expected = plain;
    expected.words.insert("preprocessed-samples".to_owned(), "all".to_owned());
    assert_eq!(of(Some("all")).unwrap(), expected);
    assert!(of(Some("none")).is_err());
}

/// A job that is cancelled while its program runs ends then, whether or not the program ever does.
#[test]
fn a_run_ends_with_its_job() {
    use std::cell::Cell;
    let mut program: serde_json::Value = serde_json::from_slice(&vector("programs/fib_10.json")).unwrap();
    let main = program["identifiers"]["__main__.main"]["pc"].as_u64().unwrap() as usize;
    // `jmp rel 0`.
    program["data"][main] = "0x10780017fff7fff".into();
    program["data"][main + 1] = "0x0".into();
    let inputs = BTreeMap::from([(PROGRAM.to_owned(), Bytes::from(serde_json::to_vec(&program).unwrap()))]);
    let digests = inputs.iter().map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
    let job = normal(&Job { kind: "cairo".to_owned(), words: BTreeMap::new(), inputs: digests }).unwrap();
    let asked = Cell::new(0);
    let follow = |_: Stage| {
        asked.set(asked.get() + 1);
        if asked.get() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let error = ProgramWords::of(&job).unwrap().0.load(&job, &inputs, &RunSigns::default(), &follow).unwrap_err();
    assert!(matches!(error, Error::Cancelled(Stage::Trace)), "{error}");
    assert_eq!((failure(&error), asked.get()), (Failure::Stopped, 3));
}

/// A list whose files are inputs runs as it does with files, and each of its parts is asked for.
#[test]
fn tasks_are_inputs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let task = |path: &str| {
        let path = folder.join(path);
        format!("{{\"type\": \"CairoPiePath\", \"path\": {path:?}, \"program_hash_function\": \"blake\"}}")
    };
    let tasks = ["pies/fib.zip", "pies/hashes.zip", "pies/fib.zip"].map(task).join(", ");
    let text = format!("{{\"tasks\": [{tasks}], \"fact_topologies_path\": \"x\", \"single_page\": true}}");
    let file = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let (list, files) = submit::list(text.as_bytes(), file).unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["task-0", "task-1"]);
    assert_eq!(submit::list(text.replace("\"x\"", "\"y\"").as_bytes(), file).unwrap().0, list);
    let mut inputs: Inputs = files;
    inputs.insert(PROGRAM.to_owned(), Bytes::from(list));
    let words = BTreeMap::from([("program-type".to_owned(), "tasks".to_owned())]);
    let digests = inputs.iter().map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
    let job = normal(&Job { kind: "cairo".to_owned(), words, inputs: digests }).unwrap();
    assert_eq!(normal(&job), Ok(job.clone()));
    let words = ProgramWords::of(&job).unwrap().0;
    let output = words.load(&job, &inputs, &RunSigns::default(), &on).unwrap().output;
    let read = TaskList::read(text.as_bytes(), 1 << 20, file).unwrap();
    let options = cairo_run::Options { tasks: Some(Arc::new(read.tasks)), ..cairo_run::Options::default() };
    assert_eq!(output, cairo_run::load(&BootloaderProgram::Simple.json().unwrap(), &options).unwrap().output);
    inputs.remove("task-1");
    let error = words.load(&job, &inputs, &RunSigns::default(), &on).unwrap_err().to_string();
    assert!(error.contains("task 1: no input is its file `task-1`"), "{error}");
    for (word, role) in [(None, "args-file"), (None, "task-x"), (Some("args"), "task-2")] {
        let mut job = job.clone();
        job.inputs.insert(role.to_owned(), Digest::of(b""));
        job.words.extend(word.map(|word| (word.to_owned(), "1".to_owned())));
        assert!(ProgramWords::of(&job).is_err(), "{word:?} {role}");
    }
}

#[test]
fn a_file_of_another_program_or_with_other_options_is_refused() {
    let [(fib_file, fib, fib_found), (tiny_file, tiny, tiny_found)] = ["fib_10", "tiny"].map(proven);
    let program = Bytes::from(vector("programs/fib_10.json"));
    let inputs = BTreeMap::from([(PROGRAM.to_owned(), Digest::of(&program))]);
    let words = BTreeMap::from([("preprocessed".to_owned(), "canonical-small".to_owned())]);
    let job = Job { kind: "cairo".to_owned(), words, inputs };
    let words = ProgramWords::of(&job).unwrap().0;
    let load = || {
        words.load(&job, &BTreeMap::from([(PROGRAM.to_owned(), program.clone())]), &RunSigns::default(), &on).unwrap()
    };
    let any = circle_proof::Policy::ANY;
    let expected = Expected::new(Variant::CanonicalSmall, fib_found.options, 0, any.clone(), load());
    let check = |proof, found, file: &[u8]| expected.check(proof, found, file).map_err(|error| error.to_string());
    assert_eq!(check(&fib, &fib_found, &fib_file), Ok(()));
    // The file is another one than the proof that was verified.
    let error = check(&fib, &fib_found, &tiny_file).unwrap_err();
    assert!(error.contains("another proof"), "{error}");
    // It is the proof that was verified, and that is of another program than the job's.
    let error = check(&tiny, &tiny_found, &tiny_file).unwrap_err();
    assert!(error.contains("program"), "{error}");
    assert!(check(&fib, &fib_found, &fib_file[..fib_file.len() - 1]).is_err());
    let options = CircleOptions { pow_bits: fib_found.options.pow_bits + 1, ..fib_found.options };
    let error =
        Expected::new(Variant::CanonicalSmall, options, 0, any.clone(), load()).check(&fib, &fib_found, &fib_file);
    assert!(error.unwrap_err().to_string().contains("the proof has"));
    let salted = Expected::new(Variant::CanonicalSmall, fib_found.options, 7, any, load());
    assert!(salted.check(&fib, &fib_found, &fib_file).unwrap_err().to_string().contains("the salt 0, not 7"));
    // Worth less than was asked for: the stored proof has few queries.
    let policy = cairo::verify::Policy::default().proof;
    let strict = Expected::new(Variant::CanonicalSmall, fib_found.options, 0, policy, load());
    assert!(strict.check(&fib, &fib_found, &fib_file).unwrap_err().to_string().contains("bits"));
}

/// The verification of a worker's proof reports the figure that the job asks for.
#[test]
fn a_proof_is_asked_for_with_the_figure_of_security_of_its_job() {
    let program = Bytes::from(vector("programs/fib_10.json"));
    let inputs = BTreeMap::from([(PROGRAM.to_owned(), Digest::of(&program))]);
    let bytes = BTreeMap::from([(PROGRAM.to_owned(), program)]);
    for (security, kind) in [("provable-20", SecurityKind::Provable), ("claimed-90", SecurityKind::Claimed)] {
        let words = BTreeMap::from([("security".to_owned(), security.to_owned())]);
        let job = Job { kind: "cairo".to_owned(), words, inputs: inputs.clone() };
        let (words, parameters, policy) = ProgramWords::of(&job).unwrap();
        let loaded = words.load(&job, &bytes, &RunSigns::default(), &on).unwrap();
        assert_eq!((policy.kind, parameters.request(&loaded).unwrap().kind), (kind, kind));
    }
}
