//! Random batches of trees proven by GKR, by us and by stwo's `CpuBackend` and `SimdBackend`: proofs, claims and
//! transcripts must be the same, and stwo's verifier must take them.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use adversary::gkr::{Tree, draw};
use circle_air::{base, qm31, secure};
use circle_proof::Suite;
use clap::Parser;
use field::{CanonicalBytes, QM31};
use sha2::{Digest, Sha256};
use stwo::core::channel::{Blake2sChannel, Blake2sM31Channel, Channel, Poseidon252Channel};
use stwo::core::fields::qm31::SecureField;
use stwo::prover::backend::cpu::CpuBackend;
use stwo::prover::backend::simd::SimdBackend;
use stwo::prover::lookups::gkr_prover::{GkrOps, Layer as StwoLayer, prove_batch as stwo_prove_batch};
use stwo::prover::lookups::gkr_verifier::{Gate as StwoGate, GkrArtifact, GkrBatchProof, partially_verify_batch};
use stwo::prover::lookups::mle::Mle;
use sumcheck::Univariate;
use sumcheck::gkr::{Artifact, BatchProof, Gate, Instance, Layer, Mask, encode, prove_batch};

const LINE: &str = "seed\tsuite\ttrees\tproof_len\tproof_sha256\tclaims_sha256\tnext_draw";

#[derive(Parser)]
#[command(about = "Random batches proven by GKR by us and by stwo: the same, or it fails")]
struct Arguments {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Number of seeds.
    #[arg(long, default_value_t = 500)]
    cases: u64,
    /// Writes `vectors/gkr/batches.tsv`.
    #[arg(long)]
    digests: Option<PathBuf>,
}

/// A proof, what it leaves, and the next element of the transcript.
type Proven = (BatchProof<QM31>, Artifact<QM31>, QM31);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut text = format!("{LINE}\n");
    let mut failures = 0;
    for seed in arguments.first..arguments.first.saturating_add(arguments.cases) {
        let batch = draw(seed);
        let suite = Suite::ALL[(seed % Suite::ALL.len() as u64) as usize];
        let theirs = match suite {
            Suite::Blake2s => both::<Blake2sChannel>(&batch),
            Suite::Blake2sM31 => both::<Blake2sM31Channel>(&batch),
            Suite::Poseidon252 => both::<Poseidon252Channel>(&batch),
        };
        if let Some(difference) = first_difference(&ours(&batch, suite), &theirs) {
            failures += 1;
            println!("DIFFERENT seed {seed}: {}, {suite}: {difference}", shapes(&batch));
        }
        text += &line(seed, suite, &batch, &theirs[0]);
    }
    if let Some(path) = arguments.digests {
        std::fs::write(&path, text).expect("a file that can be written");
    }
    println!("oracle: {} batches of GKR, {failures} differ from stwo's", arguments.cases);
    if failures == 0 && arguments.cases > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn first_difference(ours: &Proven, theirs: &[Proven; 2]) -> Option<String> {
    ["CpuBackend", "SimdBackend"].into_iter().zip(theirs).find(|(_, theirs)| ours != *theirs).map(
        |(backend, theirs)| {
            let layer = ours.0.sumchecks.iter().zip(&theirs.0.sumchecks).position(|(a, b)| a != b);
            format!("{backend}: first other sum-check {layer:?}, masks equal: {}", ours.0.masks == theirs.0.masks)
        },
    )
}

fn shapes(batch: &[Tree]) -> String {
    let shape = |tree: &Tree| {
        let Instance { kind, variables } = tree.instance(0).expect("a drawn tree is a layer");
        format!("{kind}:{variables}")
    };
    batch.iter().map(shape).collect::<Vec<_>>().join(",")
}

/// A line of `vectors/gkr/batches.tsv`.
fn line(seed: u64, suite: Suite, batch: &[Tree], (proof, artifact, next): &Proven) -> String {
    let bytes = encode(proof);
    let [mut claims, mut drawn] = [Vec::new(), Vec::new()];
    artifact.point.iter().chain(artifact.claims.iter().flatten()).for_each(|felt| felt.write_bytes(&mut claims));
    next.write_bytes(&mut drawn);
    let [proof, claims] = [&bytes, &claims].map(|bytes| hex(&Sha256::digest(bytes)));
    format!("{seed}\t{suite}\t{}\t{}\t{proof}\t{claims}\t{}\n", shapes(batch), bytes.len(), hex(&drawn))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ours(batch: &[Tree], suite: Suite) -> Proven {
    let mut channel = suite.channel();
    let (proof, artifact) = prove_batch(batch.to_vec(), &mut channel).expect("drawn trees are layers");
    (proof, artifact, channel.draw_felt())
}

fn both<C: Channel + Default>(batch: &[Tree]) -> [Proven; 2] {
    [stwo::<CpuBackend, C>(batch), stwo::<SimdBackend, C>(batch)]
}

fn stwo<B: GkrOps, C: Channel + Default>(batch: &[Tree]) -> Proven {
    let mut channel = C::default();
    let (proof, artifact) = stwo_prove_batch::<B>(&mut channel, batch.iter().map(layer).collect());
    let gate = |tree: &Tree| match tree.kind().gate() {
        Gate::GrandProduct => StwoGate::GrandProduct,
        Gate::LogUp => StwoGate::LogUp,
    };
    partially_verify_batch(batch.iter().map(gate).collect(), &proof, &mut C::default())
        .expect("stwo takes its own proof");
    let GkrBatchProof { sumcheck_proofs, layer_masks_by_instance, output_claims_by_instance } = proof;
    let sumchecks =
        sumcheck_proofs.iter().map(|proof| proof.round_polys.iter().map(|sum| Univariate::new(felts(sum))).collect());
    let mask = |columns: &[[SecureField; 2]]| Mask(columns.iter().map(|values| values.map(qm31)).collect());
    let masks = layer_masks_by_instance.iter().map(|masks| masks.iter().map(|of| mask(of.columns())).collect());
    let outputs = output_claims_by_instance.iter().map(|output| felts(output)).collect();
    let proof = BatchProof { sumchecks: sumchecks.collect(), masks: masks.collect(), outputs };
    let GkrArtifact { ood_point, claims_to_verify_by_instance, n_variables_by_instance } = artifact;
    let artifact = Artifact {
        point: felts(&ood_point),
        claims: claims_to_verify_by_instance.iter().map(|claims| felts(claims)).collect(),
        variables: n_variables_by_instance,
    };
    (proof, artifact, qm31(channel.draw_secure_felt()))
}

fn layer<B: GkrOps>(tree: &Tree) -> StwoLayer<B> {
    let extension = |values: &[QM31]| Mle::new(values.iter().copied().map(secure).collect());
    match tree {
        Layer::GrandProduct(values) => StwoLayer::GrandProduct(extension(values)),
        Layer::LogUp { numerators, denominators } => {
            StwoLayer::LogUpGeneric { numerators: extension(numerators), denominators: extension(denominators) }
        }
        Layer::LogUpMultiplicities { numerators, denominators } => StwoLayer::LogUpMultiplicities {
            numerators: Mle::new(numerators.iter().copied().map(base).collect()),
            denominators: extension(denominators),
        },
        Layer::LogUpSingles { denominators } => StwoLayer::LogUpSingles { denominators: extension(denominators) },
    }
}

fn felts(felts: &[SecureField]) -> Vec<QM31> {
    felts.iter().copied().map(qm31).collect()
}
