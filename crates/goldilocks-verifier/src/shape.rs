//! Everything about a proof that can be checked by counting (section 11.1). Later checks index freely.

use air::RecordedAir;
use field::{ExtensionField, Field, Goldilocks};
use goldilocks_proof::lambdaworks::layout;
use goldilocks_proof::{Opening, Part, Proof, lambdaworks};
use gpu_hal::CosetProtocol;

use crate::VerifyError;

/// Compares two counts and builds the error if they differ.
fn expect<T: PartialEq>(expected: T, found: T, error: impl FnOnce(T, T) -> VerifyError) -> Result<(), VerifyError> {
    if expected == found { Ok(()) } else { Err(error(expected, found)) }
}

/// Checks the shape of the proof. Path lengths are left to [`goldilocks_proof::merkle`], which checks them before it
/// hashes.
pub(crate) fn check<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    proof: &Proof<P>,
) -> Result<(), VerifyError> {
    let layout = air.layout();
    let (main, aux, parts) = (layout.main_columns, layout.aux_columns, layout.composition_parts);
    let layers = layout::layers(air.log_trace_length());
    let queries = options.queries as usize;

    expect(air.trace_length() as u64, proof.trace_length, |expected, found| VerifyError::TraceLength {
        expected,
        found,
    })?;
    expect(aux > 0, proof.aux_root.is_some(), |expected, _| VerifyError::AuxRoot { expected })?;
    let ood = &proof.trace_ood;
    let width = main + aux;
    expect(width as u64, ood.width, |expected, found| VerifyError::OodWidth { expected, found })?;
    expect(layout.frame_rows as u64, ood.height, |expected, found| VerifyError::OodHeight { expected, found })?;
    expect(width.saturating_mul(layout.frame_rows), ood.data.len(), |expected, found| VerifyError::OodValues {
        expected,
        found,
    })?;
    expect(parts, proof.composition_ood.len(), |expected, found| VerifyError::CompositionOod { expected, found })?;
    expect(layers, proof.fri_roots.len(), |expected, found| VerifyError::FriRoots { expected, found })?;
    expect(queries, proof.fri_decommitments.len(), |expected, found| VerifyError::FriDecommitments {
        expected,
        found,
    })?;
    expect(queries, proof.deep_openings.len(), |expected, found| VerifyError::DeepOpenings { expected, found })?;
    expect(options.grinding > 0, proof.nonce.is_some(), |expected, _| VerifyError::Nonce { expected })?;
    let mut canonical =
        all_canonical(&ood.data) && all_canonical(&proof.composition_ood) && proof.fri_last_value.is_canonical();

    for (query, decommitment) in proof.fri_decommitments.iter().enumerate() {
        expect(layers, decommitment.paths.len(), |expected, found| VerifyError::FriPaths { query, expected, found })?;
        expect(layers, decommitment.values.len(), |expected, found| VerifyError::FriValues { query, expected, found })?;
        canonical &= all_canonical(&decommitment.values);
    }
    for (query, opening) in proof.deep_openings.iter().enumerate() {
        canonical &= evaluations(query, Part::Composition, parts, &opening.composition)?;
        canonical &= evaluations(query, Part::Main, main, &opening.main)?;
        expect(aux > 0, opening.aux.is_some(), |expected, _| VerifyError::AuxOpening { query, expected })?;
        if let Some(opening) = &opening.aux {
            canonical &= evaluations(query, Part::Aux, aux, opening)?;
        }
        if opening.composition.path != opening.composition.path_sym {
            return Err(VerifyError::CompositionPaths { query });
        }
    }
    if canonical { Ok(()) } else { Err(VerifyError::NotCanonical) }
}

fn all_canonical<E: Field>(elements: &[E]) -> bool {
    elements.iter().all(Field::is_canonical)
}

/// Checks the number of values; returns whether all are canonical.
fn evaluations<E: ExtensionField<Goldilocks>>(
    query: usize,
    part: Part,
    columns: usize,
    opening: &Opening<E>,
) -> Result<bool, VerifyError> {
    for (symmetric, values) in [(false, &opening.evaluations), (true, &opening.evaluations_sym)] {
        expect(columns, values.len(), |expected, found| VerifyError::Evaluations {
            query,
            part,
            symmetric,
            expected,
            found,
        })?;
    }
    Ok(all_canonical(&opening.evaluations) && all_canonical(&opening.evaluations_sym))
}
