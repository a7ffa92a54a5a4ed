//! Blocks of domains that are no prefixes.

use field::Field;
use gpu_hal::{Basis, DeepTerm, Domain, ErrorKind, EvalOrder, EvalRequest, HalError, Operation, StarkBackend};

use super::table;
use crate::{Random, Suite, TestProtocol};

/// Operations on blocks ([`gpu_hal::Domain::block`]) give the right values, or are refused where the capabilities say
/// that the backend takes none.
pub fn blocks<P: TestProtocol>(suite: &Suite<P>) {
    let random = &mut Random::new(21);
    for _ in 0..24 {
        let whole = P::domain(random, 6);
        let Some(domain) = whole.block(4, 1 + random.below(3) as u32) else { continue };
        block(suite, random, whole, domain).unwrap_or_else(|error| panic!("{domain:?} of '{}': {error}", suite.name()));
    }
}

fn block<P: TestProtocol>(
    suite: &Suite<P>,
    random: &mut Random,
    whole: P::Domain,
    domain: P::Domain,
) -> Result<(), HalError> {
    // Blocks of a coset are cosets, which every backend takes.
    let is_taken = domain.block_index() == 0 || suite.dual.capabilities().blocks;
    let judge = |op: Operation, result: Result<(), HalError>| match result {
        Err(error) if !is_taken => {
            assert_eq!((error.kind, error.op), (ErrorKind::Unsupported, op.into()), "{domain:?}: {error}");
            Ok(())
        }
        Ok(()) if !is_taken => panic!("{op} of '{}' accepts {domain:?}", suite.name()),
        result => result,
    };
    let (dual, log_size) = (&suite.dual, domain.log_size());
    let values = Basis::Evaluations { domain, order: EvalOrder::Storage };
    if suite.has(Operation::Ntt) {
        let mut both = table(dual, random, 3, log_size)?;
        judge(Operation::Ntt, dual.ntt(both.as_mut(), Basis::Coefficients, values))?;
        judge(Operation::Ntt, dual.ntt(both.as_mut(), values, Basis::Coefficients))?;
    }
    if suite.has(Operation::Lde) {
        let both = table(dual, random, 3, log_size)?;
        judge(Operation::Lde, dual.lde(both.as_ref(), values, whole).map(drop))?;
        judge(Operation::Lde, dual.lde(both.as_ref(), Basis::Coefficients, domain).map(drop))?;
    }
    if suite.has(Operation::UploadLde) {
        let column: Vec<P::Base> = random.elements(1 << log_size);
        let upload = |from, to| dual.upload_lde(&[&column], log_size, from, to, false).map(drop);
        judge(Operation::UploadLde, upload(values, whole))?;
        judge(Operation::UploadLde, upload(Basis::Coefficients, domain))?;
    }
    if suite.has(Operation::FriFold) {
        let layer = table(dual, random, P::DEGREE, log_size)?;
        judge(Operation::FriFold, dual.fri_fold(layer.as_ref(), domain, random.ext()).map(drop))?;
    }
    // Points and quotients are of domains that traces are evaluated on.
    if !domain.same_basis(&P::trace_domain(&mut Random::new(0), log_size)) {
        return Ok(());
    }
    let both = table(dual, random, 3, log_size)?;
    let point = P::point(random);
    if suite.has(Operation::EvalAt) {
        let request = EvalRequest { columns: both.as_ref(), from: values, points: &[point] };
        judge(Operation::EvalAt, dual.eval_at(&[request]).map(drop))?;
    }
    if suite.has(Operation::DeepQuotient) {
        let weights = vec![(0, 1, random.ext())];
        let term = DeepTerm::<P> { point, weights, constant: random.ext(), slope: P::Ext::ZERO };
        let tables = [both.as_ref()];
        judge(Operation::DeepQuotient, dual.deep_quotient(&tables, domain, &[term]).map(drop))?;
        if P::Domain::LIFTS && is_taken {
            // For tables, too, there may be a block alone: this one, or a larger one that it is in.
            let (low, high) = (table(dual, random, 2, log_size - 1)?, table(dual, random, 2, log_size + 1)?);
            let weights = vec![(0, 1, random.ext()), (1, 0, random.ext())];
            let term = DeepTerm::<P> { point, weights, constant: random.ext(), slope: P::slope(random) };
            let log_cut = domain.log_whole() - log_size;
            let terms = [term];
            let deep =
                |tables: &[_], log_cut| gpu_hal::Operations::deep_quotient(dual.raw(), tables, log_cut, domain, &terms);
            deep(&[both.as_ref(), low.as_ref()], log_cut)?;
            deep(&[low.as_ref(), high.as_ref()], log_cut - 1)?;
        }
    }
    Ok(())
}
