//! Inputs for the operations that run a constraint program.

use field::{Field, PrimeField};
use gpu_hal::ir::{Group, Kind, ProgramBuilder, RowRecorder, Words};
use gpu_hal::op::{self, Cost};
use gpu_hal::{
    Columns, Constraints, MapArgs, Protocol, RowRun, RunningForm, RunningRequest, StarkBackend, TreeMapArgs,
};

use crate::Error;
use crate::measurable::{Evaluation, Measurable, Ratio};
use crate::prepared::{OperationResult, Prepared, cost};
use crate::shapes::{Example, LOG_PAIRS, PRODUCT_COLUMNS, PRODUCT_TABLE};
use crate::table::{elements, extensions, table};

/// Columns that accumulate fractions, or with `is_logup` the same fractions as columns of lookups.
pub(crate) fn running<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
    is_logup: bool,
) -> Result<Prepared<'a, B>, Error> {
    let ratio = P::ratio()?;
    let (program, table, challenges) = inputs(backend, &ratio, log)?;
    let fractions: Vec<(usize, usize)> =
        ratio.columns.iter().map(|column| (column.numerator, column.denominator)).collect();
    let made = (fractions.len() << log) as f64;
    Ok(Prepared {
        cost: {
            let (columns, params, form) = ([table.as_ref()], &challenges, RunningForm::Columns(&ratio.columns));
            let args = RunningRequest { program: &program, columns: &columns, log_height: log, params, form };
            cost::<op::Running, B>(&&[args][..])
        },
        made: Some((made, "rows")),
        run: Box::new(move || {
            let form = if is_logup { RunningForm::Logup(&fractions) } else { RunningForm::Columns(&ratio.columns) };
            let (columns, params) = ([table.as_ref()], &challenges);
            let args = RunningRequest { program: &program, columns: &columns, log_height: log, params, form };
            backend
                .running(&[args])
                .map(|made| OperationResult::Tables(made.into_iter().map(|made| made.columns).collect()))
        }),
    })
}

/// The products of two columns and of the first with its next row.
pub(crate) fn map<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 2, kind: Kind::Base }], 0);
    let [a, b, next] = [(0, 0), (1, 0), (0, 1)].map(|(column, offset)| builder.load(0, column, offset));
    for (left, right) in [(a, b), (a, next)] {
        let product = builder.mul(left, right);
        builder.output(product);
    }
    let program = builder.finish().expect("every node above is in the group");
    let prepared = backend.prepare(&program)?;
    let table = table(backend, 2, log)?;
    Ok(Prepared {
        cost: {
            let columns = [table.as_ref()];
            cost::<op::Map, B>(&&MapArgs { program: &prepared, columns: &columns, log_height: log, outputs: &[0, 1] })
        },
        made: Some(((2u64 << log) as f64, "elements")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = MapArgs { program: &prepared, columns: &columns, log_height: log, outputs: &[0, 1] };
            backend.map(&args).map(OperationResult::Table)
        }),
    })
}

/// A product and its square, which goes up: at a leaf of a column with its next row, at a node of what its children
/// hand up.
pub(crate) fn tree_map<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let program = |widths: &[usize], factors: [(usize, usize, i32); 2]| {
        let groups = widths.iter().map(|&width| Group { width, kind: Kind::Base }).collect();
        let mut builder = ProgramBuilder::<P>::new(groups, 0);
        let [a, b] = factors.map(|(group, column, offset)| builder.load(group, column, offset));
        let product = builder.mul(a, b);
        let square = builder.mul(product, product);
        for node in [product, square, square] {
            builder.output(node);
        }
        builder.finish().expect("every node above is in its group")
    };
    let leaf = program(&[1], [(0, 0, 0), (0, 0, 1)]);
    let node = program(&[1, 2], [(1, 0, 0), (1, 1, 0)]);
    let (leaf, node) = (backend.prepare(&leaf)?, backend.prepare(&node)?);
    let table = table(backend, 1, log)?;
    Ok(Prepared {
        cost: {
            let columns = [table.as_ref()];
            let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: log, width: 2 };
            cost::<op::TreeMap, B>(&&args)
        },
        made: Some(((2u64 << log) as f64, "elements")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: log, width: 2 };
            backend.tree_map(&args).map(OperationResult::Table)
        }),
    })
}

/// The limbs of two values that are read by index, the coefficients of their product, and counts of pairs of limbs of
/// the first: most of the work of a row of a Cairo multiplication.
pub(crate) fn rows<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let ((width, log_table), limb_bits) = (PRODUCT_TABLE, LOG_PAIRS / 2);
    let recorder = RowRecorder::<P::Base>::new(0);
    let (values, counter) = (recorder.table(width as usize), recorder.counter());
    let factor = |index: Words<'_, P::Base>| {
        let index = index & ((1 << log_table) - 1);
        let words: Vec<_> = (0..width as usize).map(|column| recorder.read(values, column, index)).collect();
        recorder.pack(&words).join(27, 8).split(limb_bits, 28)
    };
    let (a, b) = (factor(recorder.row()), factor(recorder.row() * 40_503));
    [a, b, a.convolve(b)].into_iter().for_each(|value| recorder.columns(value));
    let pairs: Vec<_> = (0..14).map(|k| (a.at(2 * k) << limb_bits) | a.at(2 * k + 1)).collect();
    recorder.count(counter, recorder.pack(&pairs));
    let program = recorder.finish().expect("indices are below the height of the table, and limbs below their bound");

    let small = |x: &P::Base| P::Base::from_u64(x.as_u64() & ((1 << 27) - 1));
    let words: Vec<P::Base> = elements::<P>((width as usize) << log_table, 1).iter().map(small).collect();
    let read = backend.upload(&words, width as usize, log_table)?;
    let zeros: Vec<P::Base> = std::iter::repeat_n(P::Base::ZERO, 1 << LOG_PAIRS).collect();
    let mut counter = backend.upload(&zeros, 1, LOG_PAIRS)?;
    Ok(Prepared {
        cost: {
            let tables = [read.as_ref()];
            let args = RowRun { program: &program, source: &[], period: 0, tables: &tables, log_height: log };
            cost::<op::Rows, B>(&(&args, vec![counter.as_mut()], None))
        },
        made: Some(((PRODUCT_COLUMNS << log) as f64, "elements")),
        run: Box::new(move || {
            let tables = [read.as_ref()];
            let args = RowRun { program: &program, source: &[], period: 0, tables: &tables, log_height: log };
            backend.rows(&args, &mut [counter.as_mut()]).map(|made| OperationResult::Table(made.columns))
        }),
    })
}

pub(crate) fn constraints<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    example: Example,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let Evaluation { program, heights, domain, log_trace, log_eval, combination } = P::evaluation(example, log)?;
    let prepared = backend.prepare(&program)?;
    let tables = (heights.iter().enumerate())
        .map(|(group, log_height)| table(backend, program.base_width(group) as u64, *log_height))
        .collect::<Result<Vec<_>, _>>()?;
    let params = extensions::<P>(program.params());
    Ok(Prepared {
        cost: {
            let (program, columns, params, combination) = (&prepared, &[][..], &params[..], &combination);
            let args = Constraints { program, columns, domain, log_trace, log_eval, params, combination };
            cost::<op::ConstraintEval, B>(&&[args][..])
        },
        made: Some(((1u64 << log_eval) as f64, "points")),
        run: Box::new(move || {
            let columns: Vec<Columns<&B::Buffer>> = tables.iter().map(Columns::as_ref).collect();
            let (program, params, combination) = (&prepared, &params, &combination);
            let args = Constraints { program, columns: &columns, domain, log_trace, log_eval, params, combination };
            backend.constraint_eval(&[args]).map(OperationResult::Tables)
        }),
    })
}

/// The program of an example.
pub(crate) fn prepare<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    example: Example,
) -> Result<Prepared<'a, B>, Error> {
    // The program does not depend on the rows.
    let program = P::evaluation(example, 4)?.program;
    Ok(Prepared {
        cost: Cost::default(),
        made: Some((program.nodes().len() as f64, "nodes")),
        run: Box::new(move || backend.prepare(&program).map(OperationResult::Program)),
    })
}

/// The prepared program, its columns, its parameters.
type Inputs<B> = (
    <B as StarkBackend>::Program,
    Columns<<B as StarkBackend>::Buffer>,
    Vec<<<B as StarkBackend>::P as Protocol>::Ext>,
);

fn inputs<P: Measurable, B: StarkBackend<P = P>>(backend: &B, ratio: &Ratio<P>, log: u32) -> Result<Inputs<B>, Error> {
    let program = backend.prepare(&ratio.program)?;
    let table = table(backend, ratio.program.base_width(0) as u64, log)?;
    Ok((program, table, extensions::<P>(ratio.program.params())))
}
