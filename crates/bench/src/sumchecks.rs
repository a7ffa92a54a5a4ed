//! Inputs for the operations of sum-checks.

use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{BindRequest, BindSumRequest, ExtOf, Multilinear, Protocol, StarkBackend, SumRequest, Table, op};

use crate::Error;
use crate::measurable::Measurable;
use crate::prepared::{OperationResult, Prepared, cost};
use crate::table::{extensions, table};

/// Two extension columns.
fn columns<P: Protocol>() -> u64 {
    2 * P::DEGREE as u64
}

/// Binds the first variable of all rows.
pub(crate) fn bind<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    // A table of one row has no variable.
    let log = log.max(1);
    let (table, challenge) = (table(backend, columns::<P>(), log)?, extensions::<P>(1)[0]);
    Ok(Prepared {
        cost: cost::<op::Bind, B>(&&[BindRequest { values: Multilinear::all(table.as_ref()), challenge }][..]),
        made: Some(((columns::<P>() << (log - 1)) as f64, "elements")),
        run: Box::new(move || {
            let values = Multilinear::all(table.as_ref());
            backend.bind(&[BindRequest { values, challenge }]).map(OperationResult::Tables)
        }),
    })
}

/// A round of a grand product.
struct Round<B: StarkBackend> {
    program: B::Program,
    table: Table<B::T>,
    /// Weights of the variables behind the one of the sum, by halves.
    weights: [Table<B::T>; 2],
}

impl<P: Measurable, B: StarkBackend<P = P>> Round<B> {
    /// The round of columns of so many variables, of which some are bound before.
    fn new(backend: &B, log: u32, bound: u32) -> Result<Self, Error> {
        let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 2, kind: Kind::Ext }], 0);
        let [low, high] = [0, 1].map(|offset| [0, 1].map(|column| builder.load(0, column, offset)));
        let at_2 = [0, 1].map(|column| {
            let difference = builder.sub(high[column], low[column]);
            builder.add(high[column], difference)
        });
        for [a, b] in [low, at_2] {
            let product = builder.mul(a, b);
            builder.output(product);
        }
        let program = backend.prepare(&builder.finish().expect("loads are of the declared columns"))?;
        let table = table(backend, columns::<P>(), log)?;
        let others = log - 1 - bound;
        let [high, low] =
            [others - others / 2, others / 2].map(|log| crate::table::table(backend, P::DEGREE as u64, log));
        Ok(Self { program, table, weights: [high?, low?] })
    }

    fn weights(&self) -> [Multilinear<'_, B::T>; 2] {
        [0, 1].map(|part| Multilinear::all(self.weights[part].as_ref()))
    }

    fn sum<'r>(&'r self, values: &'r [Multilinear<'r, B::T>]) -> SumRequest<'r, B::T> {
        SumRequest { program: &self.program, values, params: &[], outputs: &OUTPUTS, weights: self.weights() }
    }

    fn bind_sum(&self, challenge: ExtOf<B::T>) -> BindSumRequest<'_, B::T> {
        let (values, weights) = (Multilinear::all(self.table.as_ref()), self.weights());
        BindSumRequest { challenge, program: &self.program, values, params: &[], outputs: &OUTPUTS, weights }
    }
}

/// The outputs of the program.
const OUTPUTS: [usize; 2] = [0, 1];

/// The sums of a round.
pub(crate) fn sum<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let log = log.max(1);
    let round = Round::new(backend, log, 0)?;
    Ok(Prepared {
        cost: {
            let values = [Multilinear::all(round.table.as_ref())];
            cost::<op::Sum, B>(&&[round.sum(&values)][..])
        },
        made: Some(((1u64 << (log - 1)) as f64, "corners")),
        run: Box::new(move || {
            let values = [Multilinear::all(round.table.as_ref())];
            backend.sum(&[round.sum(&values)]).map(|_| OperationResult::Nothing)
        }),
    })
}

/// The sums of a round, of columns that are bound before.
pub(crate) fn bind_sum<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let log = log.max(2);
    let (round, challenge) = (Round::new(backend, log, 1)?, extensions::<P>(1)[0]);
    Ok(Prepared {
        cost: cost::<op::BindSum, B>(&&[round.bind_sum(challenge)][..]),
        made: Some(((1u64 << (log - 2)) as f64, "corners")),
        run: Box::new(move || {
            let made = backend.bind_sum(&[round.bind_sum(challenge)])?;
            Ok(OperationResult::Tables(made.into_iter().map(|made| made.values).collect()))
        }),
    })
}
