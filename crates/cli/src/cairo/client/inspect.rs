//! A client proof in `polystark cairo inspect`.

use std::path::Path;

use sdk::Error;
use sdk::circle_proof::{Policy, hex};
use sdk::client::{CIRCUIT_ROOT, ClientVerifier};
use sdk::hal::Bytes;
use serde::Serialize;

use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::views::{proof_row, security_rows};

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    unpacked_bytes: usize,
    /// The roots of the circuit's trees: the one that verifiers know, then those of the proof.
    roots: [String; 4],
    claimed_security: SecurityView,
    proof: ProofView,
}

/// Shows the content of a client proof. Nothing of it is verified.
pub(in crate::cairo) fn inspect(file: &Path, bytes: &[u8], output: &Output) -> Result<(), Failure> {
    let verifier = ClientVerifier::new(&Policy::ANY).map_err(Error::from)?;
    let written = verifier.written(bytes).map_err(Error::from)?;
    let [main, interaction, composition] = ClientVerifier::roots(&written).map(|root| hex(&root));
    let view = View {
        status: "not verified",
        file: file.display().to_string(),
        file_bytes: bytes.len(),
        unpacked_bytes: written.len(),
        roots: [hex(&CIRCUIT_ROOT), main, interaction, composition],
        claimed_security: SecurityView::new(verifier.security()),
        proof: ProofView::new(bytes),
    };
    let mut rows = vec![
        ("file", format!("a client proof of Starknet, {} unpacked", Bytes(written.len() as u64))),
        ("statement", "not in the file: `polystark cairo client-verify` takes its facts".to_owned()),
    ];
    let trees = ["preprocessed root", "main root", "interaction root", "composition root"];
    rows.extend(trees.into_iter().zip(view.roots.iter().cloned()));
    rows.extend(security_rows(verifier.security()));
    rows.push(proof_row(&view.proof));
    output.result(&view, &format!("not verified: this is what the file says\n{}", table(&rows)))
}
