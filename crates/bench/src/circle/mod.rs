//! Measuring the Circle protocol.

use circle_air::{RecordedStatement, airs};
use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::work::Prices;
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Combination, CombinationGroup, EvalOrder, Factor, HashFn, Multiplier,
    RunningColumn, RunningKind,
};

use crate::Error;
use crate::measurable::{Evaluation, Measurable, Ratio};
use crate::shapes::{Example, LOG_BLOWUP, Shape};

/// Columns of tree 0, of the main trace, the result.
const FIBONACCI: Example = Example { name: "fibonacci", parameters: &[], width: 3 + 1 + 4 };
const WIDE_FIBONACCI: Example = Example { name: "wide-fibonacci", parameters: &[("w", 100)], width: 100 + 4 };
/// The lookup columns, too.
const PLONK: Example = Example { name: "plonk", parameters: &[], width: 4 + 5 + 12 + 4 };

fn recorded(example: Example, log: u32) -> Result<RecordedStatement, Error> {
    let parameters: Vec<(String, String)> =
        example.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    let refused = |source| Error::Example { name: example.name, source };
    let air = airs::build(example.name, log, &parameters).map_err(|error| refused(error.into()))?;
    RecordedStatement::new(&*air, None).map_err(|error| refused(error.into()))
}

/// The combination of a component's constraints, all of weight 1: their sum over the vanishing polynomial of its
/// `2^log_size` rows.
fn combination(log_size: u32, constraints: usize) -> Combination<CircleStark> {
    let vanishing = Factor { log_power: log_size - 1, constant: M31::ZERO, inverse: true };
    let multiplier = Multiplier { factors: vec![vanishing], column: None };
    let terms = (0..constraints).map(|output| (output, QM31::ONE)).collect();
    Combination { groups: vec![CombinationGroup { multiplier, terms }] }
}

impl Measurable for CircleStark {
    const PRICES: Prices = Prices::CIRCLE;
    const PRODUCTS: Option<f64> = None;
    const HASH: HashFn = HashFn::Blake2s;
    const RATIO: &'static str = "of 2 fractions";

    fn shapes() -> Vec<Shape> {
        let ratio = Self::RATIO;
        vec![
            Shape::Upload { width: 64, log: 20 },
            Shape::Download { width: 64, log: 20 },
            Shape::CopyTo { width: 64, log: 20 },
            Shape::Sync,
            Shape::Ntt { width: 64, log: 24, inverse: false, on_rows: false },
            Shape::Ntt { width: 64, log: 24, inverse: true, on_rows: false },
            Shape::Ntt { width: 256, log: 20, inverse: false, on_rows: false },
            Shape::Lde { width: 64, log: 20, from_rows: false },
            Shape::Lde { width: 64, log: 20, from_rows: true },
            Shape::UploadLde { width: 64, log: 20 },
            Shape::Split { log: 22 },
            Shape::Select { width: 64, log: 20 },
            Shape::Merkle { hash: HashFn::Blake2s, width: 16, log: 24 },
            Shape::Merkle { hash: HashFn::Blake2s, width: 64, log: 22 },
            Shape::Merkle { hash: HashFn::Poseidon252, width: 8, log: 22 },
            Shape::Root { log: 20 },
            Shape::Open { width: 8, log: 20 },
            Shape::Prepare { example: WIDE_FIBONACCI },
            Shape::Running { ratio, is_logup: false, log: 22 },
            Shape::Running { ratio, is_logup: true, log: 22 },
            Shape::Constraints { example: FIBONACCI, log: 22 },
            Shape::Constraints { example: PLONK, log: 22 },
            Shape::Constraints { example: WIDE_FIBONACCI, log: 20 },
            Shape::EvalAt { width: 64, log: 22 },
            Shape::Deep { width: 64, log: 22 },
            Shape::Fold { log: 24, on_line: false },
            Shape::Fold { log: 24, on_line: true },
            Shape::Grind { bits: 24 },
        ]
    }

    fn domain(log: u32) -> CircleDomain {
        CircleDomain::canonic(log)
    }

    fn rows(log: u32) -> Basis<CircleDomain> {
        Basis::Evaluations { domain: CircleDomain::canonic(log), order: EvalOrder::Row }
    }

    fn evaluated(log: u32) -> Basis<CircleDomain> {
        Basis::Evaluations { domain: CircleDomain::canonic(log), order: EvalOrder::Storage }
    }

    fn layer(log: u32, on_line: bool) -> CircleDomain {
        if on_line { CircleDomain::line(log) } else { CircleDomain::canonic(log) }
    }

    fn point(element: QM31) -> CirclePoint<QM31> {
        CirclePoint::from_parameter(element).expect("an element that looks random is no root of -1")
    }

    /// `1/(a - z)` and `b/(b - z)`, for columns a and b.
    fn ratio() -> Result<Ratio<Self>, Error> {
        let mut builder = ProgramBuilder::<Self>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
        let [a, b] = [0, 1].map(|column| builder.load(0, column, 0));
        let (z, one) = (builder.param(0), builder.constant(M31::ONE));
        let (first, second) = (builder.sub(a, z), builder.sub(b, z));
        for node in [one, first, b, second] {
            builder.output(node);
        }
        let program = builder.finish().expect("every node above is in the group");
        let column = |numerator| RunningColumn {
            kind: RunningKind::Sum,
            inclusive: true,
            numerator,
            denominator: numerator + 1,
        };
        Ok(Ratio { program, columns: vec![column(0), column(2)] })
    }

    fn evaluation(example: Example, log: u32) -> Result<Evaluation<Self>, Error> {
        let component = recorded(example, log)?.components.swap_remove(0);
        // As provers prepare it.
        let program = component.constraints.without_empty_groups();
        Ok(Evaluation {
            heights: vec![log + LOG_BLOWUP; program.groups().len()],
            domain: CircleDomain::canonic(log + LOG_BLOWUP),
            log_trace: log,
            // Constraints have degree 3 at most, so their quotients have 2^(n+1) coefficients.
            log_eval: log + 1,
            combination: combination(log, component.constraint_count()),
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_as_wide_as_said() {
        for example in [FIBONACCI, WIDE_FIBONACCI, PLONK] {
            let recorded = recorded(example, 5).unwrap();
            assert_eq!(recorded.components.len(), 1, "{}", example.name);
            let constraints = &recorded.components[0].constraints;
            let width: usize = (0..constraints.groups().len()).map(|group| constraints.base_width(group)).sum();
            assert_eq!(width as u64 + 4, example.width, "{}", example.name);
        }
    }
}
