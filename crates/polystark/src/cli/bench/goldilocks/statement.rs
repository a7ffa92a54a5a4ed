//! The operations of a proof with their least work, in the order in which the prover calls them. A test compares the calls with
//! those that a meter counts.

use polystark::air::{GroupRole, Recorded};
use polystark::hal::Operation;
use polystark::prover::{Composition, Plan};
use polystark::{Goldilocks3, ProofOptions};

use crate::cli::bench::cost::Cost;
use crate::cli::bench::work::{self, Work};

const DEGREE: u64 = Goldilocks3::COLUMNS;

/// Every call of a proof. `orders` are those of the recurrences that the device makes the main columns by, if it does; `nonce` is that of
/// the proof, `levels` as in [`crate::cli::bench::floor::Machine`].
pub(super) fn calls(
    recorded: &Recorded<Goldilocks3>,
    plan: &Plan,
    options: &ProofOptions,
    orders: Option<&[u64]>,
    nonce: Option<u64>,
    levels: u32,
) -> Vec<(Operation, Work)> {
    let mut calls = Calls { calls: Vec::new(), options, levels, log_trace: plan.log_trace, log_lde: plan.log_lde };
    let layout = recorded.layout();
    let (main, aux) = (layout.main_columns as u64, layout.aux_columns as u64 * DEGREE);
    let frame = layout.frame_rows as u64;

    let extension = work::lde::<Goldilocks3>(main, plan.log_trace, plan.log_lde, true, levels);
    match orders {
        None => calls.push(Operation::UploadLde, work::transfer::<Goldilocks3>(main, plan.log_trace) + extension),
        Some(orders) => {
            for order in orders {
                calls.push(Operation::Recurrence, work::recurrence::<Goldilocks3>(*order, plan.log_trace));
            }
            if main > 1 {
                let elements = (main << plan.log_trace) as f64;
                calls.push(Operation::Select, work::copy::<Goldilocks3>(elements, elements));
            }
            calls.push(Operation::Lde, extension);
        }
    }
    calls.tree(main, plan.log_lde, 1);
    if aux > 0 {
        calls.auxiliary(recorded);
        calls.commit_rows(aux);
    }
    let parts = calls.composition(recorded, plan);
    calls.tree(parts, plan.log_lde, 2);
    for width in [main, aux].into_iter().filter(|width| *width > 0) {
        calls.push(Operation::EvalAt, work::eval_at::<Goldilocks3>(width, plan.log_trace, frame, true));
    }
    calls.push(Operation::EvalAt, work::eval_at::<Goldilocks3>(parts, plan.log_trace, 1, true));
    let weights = frame * (main + aux) + parts;
    calls
        .push(Operation::DeepQuotient, work::deep::<Goldilocks3>(main + aux + parts, plan.log_lde, weights, frame + 1));
    for layer in 1..=plan.log_trace {
        calls.push(Operation::FriFold, work::fold::<Goldilocks3>(plan.log_lde - layer + 1));
        if layer < plan.log_trace {
            calls.tree(DEGREE, plan.log_lde - layer, 2);
        }
    }
    calls.push(Operation::Download, work::transfer::<Goldilocks3>(DEGREE, plan.log_lde - plan.log_trace));
    if let Some(nonce) = nonce {
        calls.push(Operation::Grind, Goldilocks3::search(nonce));
    }
    calls.push(Operation::Open, Work::default());
    calls.calls
}

struct Calls<'a> {
    calls: Vec<(Operation, Work)>,
    options: &'a ProofOptions,
    levels: u32,
    log_trace: u32,
    log_lde: u32,
}

impl Calls<'_> {
    fn push(&mut self, operation: Operation, work: Work) {
        self.calls.push((operation, work));
    }

    fn upload(&mut self, width: u64, log: u32) {
        self.push(Operation::Upload, work::transfer::<Goldilocks3>(width, log));
    }

    fn lde(&mut self, width: u64, log_from: u32, log_to: u32, from_values: bool) {
        self.push(Operation::Lde, work::lde::<Goldilocks3>(width, log_from, log_to, from_values, self.levels));
    }

    fn tree(&mut self, width: u64, log: u32, rows_per_leaf: u32) {
        let work = work::merkle::<Goldilocks3>(
            self.options.hash,
            width * u64::from(rows_per_leaf),
            log - rows_per_leaf.ilog2(),
        );
        self.push(Operation::Merkle, work);
        self.push(Operation::Root, Work::default());
    }

    fn commit_rows(&mut self, width: u64) {
        self.lde(width, self.log_trace, self.log_lde, true);
        self.tree(width, self.log_lde, 1);
    }

    fn periodic(&mut self, recorded: &Recorded<Goldilocks3>) -> Vec<(u64, u32)> {
        let tables: Vec<(u64, u32)> =
            recorded.periodic().iter().map(|table| (table.width() as u64, table.log_height())).collect();
        tables.iter().for_each(|(width, log)| self.upload(*width, *log));
        tables
    }

    fn auxiliary(&mut self, recorded: &Recorded<Goldilocks3>) {
        let host = recorded.host_aux().len() as u64 * DEGREE;
        let all = recorded.layout().aux_columns as u64 * DEGREE;
        if let Some(spec) = recorded.running() {
            self.periodic(recorded);
            self.push(Operation::Running, work::running(&spec.program, spec.columns.len() as u64, self.log_trace));
        }
        if host > 0 {
            self.upload(host, self.log_trace);
        }
        if host > 0 && recorded.running().is_some() {
            let elements = (all << self.log_trace) as f64;
            self.push(Operation::Select, work::copy::<Goldilocks3>(elements, elements));
        }
    }

    /// Base columns of the composition parts.
    fn composition(&mut self, recorded: &Recorded<Goldilocks3>, plan: &Plan) -> u64 {
        for (width, log) in self.periodic(recorded) {
            self.lde(width, log, log + plan.log_lde - plan.log_trace, true);
        }
        let exemptions = recorded.groups().iter().position(|role| *role == GroupRole::Exemptions);
        if let Some(group) = exemptions {
            let width = recorded.constraints().base_width(group) as u64;
            self.upload(width, plan.log_trace);
            self.lde(width, plan.log_trace, plan.log_lde, false);
        }
        let log_eval = match plan.composition {
            Composition::Direct => plan.log_lde,
            Composition::Prefix { log_eval } => log_eval,
        };
        // The work does not depend on the challenge.
        let combination = recorded.combination(polystark::field::Fp3::default());
        let work = work::constraint_eval(recorded.constraints(), &combination, log_eval);
        self.push(Operation::ConstraintEval, work);
        let parts = recorded.layout().composition_parts as u64;
        if plan.composition != Composition::Direct {
            if parts == 1 {
                self.lde(DEGREE, log_eval, plan.log_lde, true);
            } else {
                self.push(Operation::Ntt, work::ntt::<Goldilocks3>(DEGREE, log_eval, self.levels));
                let elements = ((DEGREE * parts) << plan.log_trace) as f64;
                self.push(Operation::Split, work::copy::<Goldilocks3>(elements, elements));
                self.lde(DEGREE * parts, plan.log_trace, plan.log_lde, false);
            }
        }
        DEGREE * parts
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use polystark::backend_reference::CpuReference;
    use polystark::hal::Metered;
    use polystark::prover::{Prover, Silent};
    use polystark::{Request, air};

    use super::*;

    fn check(request: &Request, generated: bool) {
        let air = request.build().unwrap();
        let backend = Arc::new(Metered::new(CpuReference::<Goldilocks3>::new()));
        let prover = Prover::new(backend.clone(), air.clone()).unwrap();
        if generated && !prover.generates() {
            return;
        }
        let plan = prover.plan(&request.options).unwrap();
        backend.reset();
        let proof = match generated {
            true => prover.prove_generated(&request.options, polystark::proof::Seed::Default, &Silent),
            false => prover.prove(&air.trace(), &request.options, polystark::proof::Seed::Default, &Silent),
        };
        let meter = backend.snapshot();
        let orders: Option<Vec<u64>> = air
            .trace_program()
            .filter(|_| generated)
            .map(|program| program.columns.iter().map(|column| column.coefficients.len() as u64).collect());
        let calls = calls(prover.recorded(), &plan, &request.options, orders.as_deref(), proof.unwrap().nonce, 8);
        let mut counted: BTreeMap<Operation, u64> = BTreeMap::new();
        calls.iter().for_each(|(operation, _)| *counted.entry(*operation).or_default() += 1);
        let metered: BTreeMap<Operation, u64> =
            meter.operations.iter().map(|(operation, count)| (*operation, count.calls)).collect();
        assert_eq!(counted, metered, "{request:?}, generated: {generated}");
        // The link carries at least what the works say.
        let transferred: f64 = calls
            .iter()
            .filter(|(operation, _)| [Operation::Upload, Operation::UploadLde].contains(operation))
            .map(|(_, work)| work.link_bytes)
            .sum();
        let uploaded = meter.of(Operation::Upload).uploaded + meter.of(Operation::UploadLde).uploaded;
        assert_eq!(transferred, uploaded as f64, "{request:?}, generated: {generated}");
    }

    #[test]
    fn the_calls_are_those_of_the_prover() {
        for info in air::airs::all() {
            let mut request = Request::new(info.name, 64);
            request.options.blowup = 8;
            request.options.grinding = 3;
            if info.name == "wide" {
                request.parameters = [("width".to_owned(), 3), ("degree".to_owned(), 4)].into();
            }
            check(&request, false);
            check(&request, true);
        }
    }
}
