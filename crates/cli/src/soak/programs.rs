//! Random Cairo programs: they do what another machine says, their proofs are the same elsewhere, and there is no proof of what did not
//! happen.

use std::sync::Mutex;

use adversary_cairo::machine;
use adversary_cairo::random::draw;
use cairo::file::{Format, encode};
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Policy, Proof, verify};
use cairo_run::{Cells, Loaded, Options, load};

use super::faults::{self, Arm, Reach};
use super::faulty::FaultyDevice;
use super::report::Counts;
use super::round::{PROVEN_ANYWAY, cancel, go_on, same};
use super::{Arguments, Trials, name};
use crate::exit::Failure;
use crate::progress::lock;
use sdk::circle_proof::CircleOptions;
use sdk::hal::CircleStark;
use sdk::prover::circle::Keep;
use sdk::{CairoRequest, Device, Error, Follow, Place, Registry};

/// More steps than any of the programs takes.
const MAX_STEPS: usize = 1 << 20;

/// Of faults in proofs of programs.
const REACH: Reach = Reach { operations: 512, results: 27 };

/// A device, and another way to the right proof.
pub(super) struct Pair {
    device: Device<CircleStark>,
    /// None: the device itself, which goes another way then, as it keeps less.
    judge: Option<Device<CircleStark>>,
    /// The device with faults, if that is wanted. It keeps nothing: where a fault strikes depends on no proof before.
    faulty: Option<Mutex<FaultyDevice<CircleStark>>>,
    may_lack_memory: bool,
    names: [String; 2],
}

/// A run that is to be proven.
struct Run<'a> {
    input: &'a cairo_run::Run,
    options: CircleOptions,
}

impl Run<'_> {
    /// The proof, which is verified, in bincode too.
    fn prove(
        &self,
        device: &Device<CircleStark>,
        keep: Option<Keep>,
        follow: &Follow<'_>,
    ) -> Result<(Proof, Vec<u8>), Error> {
        let Self { input, options } = *self;
        // It holds them all: they have no curve operations.
        let variant = Variant::CanonicalSmall;
        let proof = device.prove_with(&CairoRequest { input, variant, options, keep }, follow)?.proof;
        let bytes = encode(&proof, Format::Bincode)?;
        Ok((proof, bytes))
    }
}

impl Pair {
    /// Both, whose preprocessed columns stay where they are.
    pub(super) fn open(arguments: &Arguments, registry: &Registry) -> Result<Self, Failure> {
        let device: Device<CircleStark> = arguments.device.open(registry)?;
        let against = arguments.against.as_deref().unwrap_or("cpu");
        let judge: Option<Device<CircleStark>> = match against == device.capabilities().backend {
            true => None,
            false => Some(registry.open(against, &Place::default())?),
        };
        Ok(Self {
            names: [&device, judge.as_ref().unwrap_or(&device)].map(name),
            device: device.keeping(),
            judge: judge.map(|judge| judge.keeping()),
            faulty: arguments.faulty(registry)?,
            may_lack_memory: arguments.hold.is_some(),
        })
    }

    fn prove(&self, number: u64, seed: u64, run: &Run<'_>, counts: &mut Counts) -> Result<(), Trouble> {
        let device = &self.device;
        let judge = self.judge.as_ref().unwrap_or(device);
        if number % 4 < 2 {
            let ended = cancel(seed, |follow| run.prove(device, None, follow).map(drop))?;
            counts.cancelled += u64::from(ended.ok_or_else(|| PROVEN_ANYWAY.to_owned())?);
        }
        let (proof, bytes) = run.prove(device, None, &go_on)?;
        let (_, expected) = run.prove(judge, Some(Keep::Prefixes), &go_on)?;
        same(&bytes, &expected)?;
        counts.proofs += 1;
        for (what, forged) in forgeries(&proof) {
            let policy = Policy { proof: circle_proof::Policy::ANY, ..Policy::default() };
            match verify(forged, &policy, &Expect::default()) {
                Err(_) => counts.refused += 1,
                Ok(_) => return Err(format!("{what}, and accepted").into()),
            }
        }
        let (what, other) = other_run(run.input, seed);
        match (Run { input: &other, ..*run }).prove(device, None, &go_on) {
            // Runs are taken to be true, so this is what is said.
            Err(Error::Miscomputed { .. }) => counts.refused += 1,
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(format!("{what}, and proven").into()),
        }
        let Some(faulty) = &self.faulty else { return Ok(()) };
        let mut faulty = lock(faulty);
        let prove = |arm: Arm<'_>| faulty.prove(arm, |device| Ok(run.prove(device, None, &go_on)?.1));
        let is_pardoned = |error: &Error| self.may_lack_memory && error.lacks_memory();
        Ok(faults::prove(prove, REACH, seed, &expected, counts, is_pardoned)?)
    }
}

impl Trials for Pair {
    fn names(&self) -> [String; 2] {
        self.names.clone()
    }

    fn go(&self, number: u64, seed: u64) -> Result<Counts, String> {
        let mut counts = Counts { statements: 1, ..Counts::default() };
        let loaded = runs(seed)?;
        let fold_step = 1 + (seed % 3) as u32;
        let options = CircleOptions { pow_bits: 4, log_blowup: 1, queries: 16, fold_step, ..CircleOptions::default() };
        match self.prove(number, seed, &Run { input: &loaded.run, options }, &mut counts) {
            Ok(()) => Ok(counts),
            Err(Trouble::Error(error)) if self.may_lack_memory && error.lacks_memory() => {
                Ok(Counts { no_room: 1, ..counts })
            }
            Err(Trouble::Error(error)) => Err(error.to_string()),
            Err(Trouble::Wrong(what)) => Err(what),
        }
    }
}

/// What came of a part of a round.
enum Trouble {
    /// The device's, perhaps because somebody else has the memory.
    Error(Error),
    Wrong(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<String> for Trouble {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

/// The run of the program of a seed, which does what it must.
fn runs(seed: u64) -> Result<Loaded, String> {
    let program = draw(seed, false);
    let expected = machine::run(&program, MAX_STEPS).map_err(|fault| format!("the program is none: {fault}"))?;
    let options = Options { max_steps: MAX_STEPS, ..Options::default() };
    let loaded = load(program.json().as_bytes(), &options).map_err(|error| error.to_string())?;
    let memory = &loaded.run.memory;
    let cells = (1..memory.address_to_id.len()).map(|address| Cells(memory).words(address as u32).unwrap_or_default());
    if let Some(what) = expected.memory_differs(cells) {
        return Err(what);
    }
    let (steps, output) = (expected.steps(), &expected.output);
    if (loaded.steps, &loaded.output) != (steps, output) {
        return Err(format!("{} steps and output {:?}, expected {steps} and {output:?}", loaded.steps, loaded.output));
    }
    Ok(loaded)
}

/// A proof with one thing changed.
fn forgeries(proof: &Proof) -> Vec<(&'static str, Proof)> {
    let forged = |change: &dyn Fn(&mut Proof)| {
        let mut forged = proof.clone();
        change(&mut forged);
        forged
    };
    let mut all = vec![
        ("the nonce changed", forged(&|proof| proof.interaction_pow ^= 1)),
        (
            "a word of the program changed",
            forged(&|proof| {
                if let Some((_, word)) = proof.claim.public_data.public_memory.program.last_mut() {
                    word[0] ^= 1;
                }
            }),
        ),
        (
            "two claimed sums in each other's place",
            forged(&|proof| {
                let sums = &mut proof.interaction_claim;
                if let (Some(one), Some(other)) = (&mut sums.ret_opcode, &mut sums.verify_instruction) {
                    std::mem::swap(&mut one.claimed_sum, &mut other.claimed_sum);
                }
            }),
        ),
    ];
    if !proof.claim.public_data.public_memory.output.is_empty() {
        let output = |proof: &mut Proof| proof.claim.public_data.public_memory.output[0].1[0] ^= 1;
        all.push(("a word of the output changed", forged(&output)));
    }
    all
}

/// The run with one step more or less: nobody goes on from where it ends.
fn other_run(input: &cairo_run::Run, seed: u64) -> (&'static str, cairo_run::Run) {
    let mut other = input.clone();
    // Every run has calls and returns.
    let steps = &mut other.state_transitions.casm_states_by_opcode.ret_opcode;
    let at = (seed / 2) as usize % steps.len().max(1);
    if seed.is_multiple_of(2) {
        steps.remove(at);
        ("a step left out", other)
    } else {
        steps.insert(at, steps[at]);
        ("a step twice", other)
    }
}
