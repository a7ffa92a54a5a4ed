//! Jobs about Starknet's client proofs: kind `cairo-client`. The CairoPIE is the one input, and there are no words but
//! the form: a CairoPIE has one proof.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cairo_run::{Felt252, StopFlag, pie};
use farm::{Failure, Job, JobProof, Requirements, Step};
use sdk::circle_proof::{CAIRO_PROFILE, Policy};
use sdk::client::{CAIRO_OPTIONS, ClientRun, ClientVerifier, VerifierCircuit, facts};
use sdk::hal::CircleStark;
use sdk::proof_format::text::excerpt;
use sdk::support::TypeMap;
use sdk::{ClientProven, ClientRequest, Device, Error, Follow, Stage, StatementError};

use super::bounds::{Bounds, Planned};
use super::kind::{Devices, Inputs, JobKind};
use super::statements::{failure, steps};
use super::words::FORM;
use crate::protocol::CommandLine as _;

/// The name of the kind.
pub(super) const KIND: &str = "cairo-client";
/// The role of the CairoPIE.
pub(super) const PIE: &str = "pie";

/// Jobs about client proofs. A CairoPIE is the memory of a run that has ended: the bootloader takes it in and runs none
/// of its program, so that no process of its own is needed as for a stranger's program.
#[derive(Default)]
pub(super) struct Clients {
    /// The circuit, once it is built.
    circuit: TypeMap,
    kept: Mutex<Option<KeptColumns>>,
}

/// The device on which the preprocessed columns of both proofs stay from one job to the next.
struct KeptColumns {
    device: Device<CircleStark>,
    /// Bytes of the columns; 0 before a proof has made them.
    bytes: u64,
}

impl Clients {
    /// The circuit. Others wait while it is built.
    fn circuit(&self) -> Result<Arc<VerifierCircuit>, Error> {
        Ok(self.circuit.get_or_try_insert_with(|| VerifierCircuit::new().map(Arc::new))?)
    }

    /// The device that keeps the columns: the one of the last job, or a new one.
    fn keeping(&self, device: &Device<CircleStark>) -> Device<CircleStark> {
        self.kept().get_or_insert_with(|| KeptColumns { device: device.keeping(), bytes: 0 }).device.clone()
    }

    /// A proof has made the columns on that device. `bytes` says what they take; it is asked once, and nobody waits for
    /// it.
    fn have_made(&self, bytes: impl FnOnce() -> Result<u64, Error>) -> Result<(), Error> {
        if self.kept_bytes() == 0 {
            let bytes = bytes()?;
            // Another thread may have released the device meanwhile.
            self.kept().iter_mut().for_each(|kept| kept.bytes = bytes);
        }
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Option<KeptColumns>> {
        // No update can stop halfway.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobKind for Clients {
    fn name(&self) -> &'static str {
        KIND
    }

    fn open(&self, devices: &Devices) -> Result<(), String> {
        devices.of::<CircleStark>().map(drop)
    }

    fn normal(&self, _: &Devices, job: &Job) -> Result<Job, String> {
        normal(job)
    }

    fn kept_bytes(&self) -> u64 {
        self.kept().as_ref().map_or(0, |kept| kept.bytes)
    }

    /// A proof that is being made has them until it ends.
    fn release(&self) {
        *self.kept() = None;
    }

    /// The run is made, and the circuit, the first time.
    fn needs(&self, devices: &Devices, bounds: Bounds, job: &Job, inputs: &Inputs) -> Result<Requirements, String> {
        normal(job)?;
        bounds.needs(CAIRO_OPTIONS.suite.tree(), CAIRO_OPTIONS.pow_bits, || {
            let device = devices.of::<CircleStark>()?;
            let plan = || {
                device.plan(&ClientRequest {
                    run: &run(inputs, &|_| ControlFlow::Continue(()))?,
                    circuit: Some(&self.circuit()?),
                })
            };
            let plan = plan().map_err(|error: Error| error.to_string())?;
            Ok(Planned {
                bytes: plan.peak_bytes(),
                operations: plan.cairo.device.constraint_operations + plan.circuit.constraint_operations,
                operations_a_second: CircleStark::OPERATIONS_A_SECOND,
            })
        })
    }

    fn prove(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        inputs: &Inputs,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure> {
        normal(job).map_err(Failure::Job)?;
        // The planner may have had other bounds.
        bounds.check_work(CAIRO_OPTIONS.suite.tree(), CAIRO_OPTIONS.pow_bits).map_err(Failure::Costly)?;
        let device = devices.of::<CircleStark>().map_err(Failure::Worker)?;
        let follow = steps(follow);
        if follow(Stage::Trace).is_break() {
            return Err(Failure::Stopped);
        }
        let make = || {
            let run = run(inputs, &follow)?;
            let circuit = self.circuit()?;
            let request = ClientRequest { run: &run, circuit: Some(&circuit) };
            let device = self.keeping(&device);
            let ClientProven { proof, .. } = device.prove_with(&request, &follow)?;
            self.have_made(|| Ok(device.plan(&request)?.kept_bytes()))?;
            let preimage = run.output_preimage().to_vec();
            // Its file does not say the statement, and a verifier must know it.
            let printed = Some(facts::json(&preimage));
            Ok(JobProof { proof: proof.bytes, verify: Box::new(move |bytes| check(bytes, &preimage)), printed })
        };
        make().map_err(|error: Error| failure(&error))
    }
}

/// The job in its normal form.
pub(super) fn normal(job: &Job) -> Result<Job, String> {
    let (form, value) = FORM;
    if let Some(word) = job.words.iter().find(|(word, said)| *word != form || *said != value) {
        return Err(format!("a job of kind `{KIND}` has no word but `{form}`, {value}: not `{}`", excerpt(word.0)));
    }
    if let Some(role) = job.inputs.keys().find(|role| *role != PIE) {
        return Err(format!("there is no input `{}`: it is `{PIE}`", excerpt(role)));
    }
    if !job.inputs.contains_key(PIE) {
        return Err(format!("the input `{PIE}` is missing"));
    }
    let words = BTreeMap::from([(form.to_owned(), value.to_owned())]);
    Ok(Job { kind: job.kind.clone(), words, inputs: job.inputs.clone() })
}

/// The run of the CairoPIE in the bootloader, as long as the follower goes on.
fn run(inputs: &Inputs, follow: &Follow<'_>) -> Result<ClientRun, Error> {
    let bytes = inputs.get(PIE).map(|bytes| &bytes[..]).unwrap_or_default();
    let pie = pie::read(bytes, pie::DEFAULT_MAX_BYTES);
    let pie = pie.map_err(|error| StatementError::Other(format!("CairoPIE: {error}")))?;
    let (pie, stop) = (Arc::new(pie), StopFlag::default());
    Ok(stop.watch(|| follow(Stage::Trace).is_continue(), || ClientRun::new_until(&pie, &stop))?)
}

/// Whether a file is a proof of this preimage that verifiers take by default.
fn check(file: &[u8], preimage: &[Felt252]) -> Result<(), String> {
    let policy = Policy::asking(CAIRO_PROFILE);
    let verdict = ClientVerifier::new(&policy).and_then(|verifier| verifier.verify(file, preimage));
    verdict.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bytes::Bytes;
    use farm::Digest;

    use super::*;

    fn vector(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn job(words: &[(&str, &str)], roles: &[&str]) -> Job {
        let owned = |(word, value): &(&str, &str)| ((*word).to_owned(), (*value).to_owned());
        let inputs = roles.iter().map(|role| ((*role).to_owned(), Digest::of(b"a pie")));
        Job { kind: KIND.to_owned(), words: words.iter().map(owned).collect(), inputs: inputs.collect() }
    }

    #[test]
    fn a_cairo_pie_is_one_job() {
        let plain = normal(&job(&[], &[PIE])).unwrap();
        assert_eq!(normal(&plain), Ok(plain.clone()));
        assert_eq!(plain, job(&[FORM], &[PIE]));
        let error = |words: &[(&str, &str)], roles: &[&str]| normal(&job(words, roles)).unwrap_err();
        assert!(error(&[("pow-bits", "1")], &[PIE]).contains("`pow-bits`"));
        assert!(error(&[(FORM.0, "2")], &[PIE]).contains("`form`"));
        assert!(error(&[], &[]).contains("missing"));
        assert!(error(&[], &[PIE, "program"]).contains("no input `program`"));
    }

    #[test]
    fn jobs_share_what_is_kept_until_it_is_released() {
        #[derive(Default)]
        struct Columns;
        let plain = Device::<CircleStark>::open("cpu", Some(1)).unwrap();
        let clients = Clients::default();
        let columns = || clients.keeping(&plain).kept::<Columns>().unwrap();
        let first = columns();
        // A first proof that fails has made nothing.
        assert_eq!(clients.kept_bytes(), 0);
        let failed = clients.have_made(|| Err(Error::Cancelled(Stage::Trace)));
        assert!(matches!(failed, Err(Error::Cancelled(_))) && clients.kept_bytes() == 0);
        clients.have_made(|| Ok(7)).unwrap();
        clients.have_made(|| panic!("what is kept is not planned again")).unwrap();
        let second = columns();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(clients.kept_bytes(), 7);
        clients.release();
        assert_eq!((clients.kept_bytes(), Arc::strong_count(&first)), (0, 2));
        // Its proof ends after the release.
        clients.have_made(|| Ok(8)).unwrap();
        assert_eq!(clients.kept_bytes(), 0);
        assert!(!Arc::ptr_eq(&first, &columns()));
    }

    /// The public proof is one of the public CairoPIE's job, and no other file is; nor is it of another statement.
    #[test]
    fn a_file_of_another_statement_is_refused() {
        let inputs = BTreeMap::from([(PIE.to_owned(), Bytes::from(vector("pies/transfers_10.zip")))]);
        let run = run(&inputs, &|_| ControlFlow::Continue(())).unwrap();
        let written = vector("circuits/cairo_pie_10_transfers.proof.bin");
        let file = sdk::client::file::pack(&written).unwrap();
        assert_eq!(check(&file, run.output_preimage()), Ok(()));
        assert!(check(&file[..file.len() - 1], run.output_preimage()).is_err());
        let mut other = run.output_preimage().to_vec();
        other[5] += Felt252::ONE;
        assert!(check(&file, &other).is_err());
    }

    #[test]
    fn what_is_no_cairo_pie_is_refused() {
        let fib = vector("pies/fib.zip");
        for wrong in [&b""[..], b"PK", &fib[..fib.len() - 1]] {
            let inputs = BTreeMap::from([(PIE.to_owned(), Bytes::copy_from_slice(wrong))]);
            assert!(run(&inputs, &|_| ControlFlow::Continue(())).is_err());
        }
    }
}
