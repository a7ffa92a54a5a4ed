//! Inputs for the operations of sum-checks.

use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{BindRequest, Multilinear, Protocol, StarkBackend, SumRequest, op};

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

/// The sums of a round of a grand product.
pub(crate) fn sum<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let log = log.max(1);
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
    let low = (log - 1) / 2;
    let halves = [log - 1 - low, low].map(|log| crate::table::table(backend, P::DEGREE as u64, log));
    let [high, low] = halves;
    let (high, low) = (high?, low?);
    Ok(Prepared {
        cost: {
            let weights = [Multilinear::all(high.as_ref()), Multilinear::all(low.as_ref())];
            let values = [Multilinear::all(table.as_ref())];
            let request = SumRequest { program: &program, values: &values, params: &[], outputs: &[0, 1], weights };
            cost::<op::Sum, B>(&&[request][..])
        },
        made: Some(((1u64 << (log - 1)) as f64, "corners")),
        run: Box::new(move || {
            let weights = [Multilinear::all(high.as_ref()), Multilinear::all(low.as_ref())];
            let values = [Multilinear::all(table.as_ref())];
            let request = SumRequest { program: &program, values: &values, params: &[], outputs: &[0, 1], weights };
            backend.sum(&[request]).map(|_| OperationResult::Nothing)
        }),
    })
}
