//! Random Cairo programs: they run as on another machine, their proofs are the same elsewhere, and there is no proof
//! of another run.

use adversary_cairo::machine;
use adversary_cairo::random::draw;
use cairo::Proof;
use cairo::file::bincode;
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Policy, verify};
use cairo_run::{Cells, Loaded, Options, load};

use super::faults::Reach;
use super::report::Counts;
use super::round::{Maker, Pair, Round, Trials, go_on};
use sdk::circle_proof::CircleOptions;
use sdk::hal::CircleStark;
use sdk::prover::circle::Keep;
use sdk::{CairoRequest, Device, Error, Follow};

/// More steps than any of the programs takes.
const MAX_STEPS: usize = 1 << 20;

/// The reach of faults in proofs of programs.
const REACH: Reach = Reach { operations: 512, results: 27 };

/// Devices that keep the preprocessed columns from one program to the next. Where there is one alone, it is its own
/// judge: it goes another way then, as it keeps less. The one with faults keeps nothing: where a fault strikes depends
/// on no proof before.
pub(super) struct Programs(pub(super) Pair<CircleStark>);

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
        let proof =
            device.prove_with(&CairoRequest { keep, ..CairoRequest::of(input, variant, options) }, follow)?.proof;
        let bytes = bincode(&proof, options.suite)?;
        Ok((proof, bytes))
    }
}

impl Trials for Programs {
    fn names(&self) -> [String; 2] {
        self.0.names()
    }

    fn go(&self, round: &Round) -> Result<Counts, String> {
        let (Self(pair), seed) = (self, round.seed);
        let loaded = runs(seed)?;
        let fold_step = 1 + (seed % 3) as u32;
        let options = CircleOptions { pow_bits: 4, log_blowup: 1, queries: 16, fold_step, ..CircleOptions::default() };
        let run = Run { input: &loaded.run, options };
        let prove = |device: &Device<CircleStark>, maker: Maker, follow: &Follow<'_>| {
            run.prove(device, (maker == Maker::Judge).then_some(Keep::Sources), follow)
        };
        round.trials(pair, REACH, prove, |proof, counts| {
            for (what, forged) in forgeries(&proof) {
                let policy = Policy { proof: circle_proof::Policy::ANY, ..Policy::default() };
                match verify(forged, &policy, &Expect::default()) {
                    Err(_) => counts.refused += 1,
                    Ok(_) => return Err(format!("{what}, and accepted").into()),
                }
            }
            let (what, other) = other_run(run.input, seed);
            match (Run { input: &other, ..run }).prove(&pair.device, None, &go_on) {
                // Runs are taken to be true, so this is the error.
                Err(Error::Miscomputed { .. }) => counts.refused += 1,
                Err(error) => return Err(pair.error(&format!("{what}, refused for another reason"), &error)),
                Ok(_) => return Err(format!("{what}, and proven").into()),
            }
            Ok(())
        })
    }
}

/// The run of the program of a seed, with its outcome checked.
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
    let returns = &mut other.state_transitions.casm_states_by_opcode.ret_opcode;
    let mut steps = returns.to_vec();
    let at = (seed / 2) as usize % steps.len().max(1);
    let what = if seed.is_multiple_of(2) {
        steps.remove(at);
        "a step left out"
    } else {
        steps.insert(at, steps[at]);
        "a step twice"
    };
    *returns = steps.into();
    (what, other)
}
