//! Inputs for the operations of `bench ops`: on the device before the clock starts.

use field::{Field, PrimeField, powers};
use gpu_hal::op::{self, Cost, Data};
use gpu_hal::work::tries;
use gpu_hal::{
    Basis, DeepTerm, Domain, EvalOrder, EvalRequest, LeafLayout, Leaves, LinearRecurrence, NonceSearch, OpenRequest,
    RandomRows, StarkBackend,
};

use crate::measurable::Measurable;
use crate::prepared::{OperationResult, Prepared, cost};
use crate::shapes::{LOG_BLOWUP, PARTS, POINTS, QUERIES, Shape};
use crate::table::{elements, extensions, table};
use crate::{Error, programs, sumchecks};

fn in_storage_order<P: Measurable>(log: u32) -> Basis<P::Domain> {
    Basis::Evaluations { domain: P::domain(log), order: EvalOrder::Storage }
}

/// Makes the inputs of `shape`.
pub(crate) fn prepare<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    shape: &Shape,
) -> Result<Prepared<'a, B>, Error> {
    let size = |width: u64, log: u32| Some(((width << log) as f64, "elements"));
    let one_row = LeafLayout::new(1);
    Ok(match *shape {
        Shape::Upload { width, log } => {
            let data = elements::<P>((width as usize) << log, 1);
            Prepared {
                cost: cost::<op::Upload, B>(&(Data::Slice(&data), width as usize, log)),
                run: Box::new(move || backend.upload(&data, width as usize, log).map(OperationResult::Table)),
                made: size(width, log),
            }
        }
        Shape::CopyTo { width, log } => {
            let (table, elements) = (table(backend, width, log)?, (width << log) as f64);
            Prepared {
                run: Box::new(move || backend.copy_to(table.as_ref(), backend).map(OperationResult::Table)),
                cost: Cost { moved: 2.0 * elements, ..Cost::default() },
                made: size(width, log),
            }
        }
        Shape::Download { width, log } => {
            let table = table(backend, width, log)?;
            Prepared {
                cost: cost::<op::Download, B>(&(table.as_ref(), 0..1 << log)),
                run: Box::new(move || backend.download(table.as_ref(), 0..1 << log).map(OperationResult::Elements)),
                made: size(width, log),
            }
        }
        Shape::Sync => Prepared {
            run: Box::new(move || backend.sync().map(|()| OperationResult::Nothing)),
            cost: Cost::default(),
            made: None,
        },
        Shape::Ntt { width, log, inverse, on_rows } => {
            let mut table = table(backend, width, log)?;
            let values = match P::rows(log) {
                Basis::Evaluations { domain, .. } if on_rows => {
                    Basis::Evaluations { domain, order: EvalOrder::Storage }
                }
                _ => in_storage_order::<P>(log),
            };
            let (mut from, mut to) = (Basis::Coefficients, values);
            if inverse {
                std::mem::swap(&mut from, &mut to);
            }
            Prepared {
                cost: cost::<op::Ntt, B>(&(table.as_mut(), from, to)),
                run: Box::new(move || backend.ntt(table.as_mut(), from, to).map(|()| OperationResult::Nothing)),
                made: size(width, log),
            }
        }
        Shape::Lde { width, log, from_rows } => {
            let table = table(backend, width, log)?;
            let (from, to) = (if from_rows { P::rows(log) } else { Basis::Coefficients }, P::domain(log + LOG_BLOWUP));
            Prepared {
                cost: cost::<op::Lde, B>(&(table.as_ref(), from, to)),
                run: Box::new(move || backend.lde(table.as_ref(), from, to).map(OperationResult::Table)),
                made: size(width, log + LOG_BLOWUP),
            }
        }
        Shape::UploadLde { width, log } => {
            let data = elements::<P>((width as usize) << log, 1);
            let (from, to) = (P::rows(log), P::domain(log + LOG_BLOWUP));
            let columns: Vec<_> = data.chunks_exact(1 << log).collect();
            Prepared {
                cost: cost::<op::UploadLde, B>(&(&columns, log, from, to, true)),
                run: Box::new(move || {
                    let columns: Vec<_> = data.chunks_exact(1 << log).collect();
                    let (rows, extended) = backend.upload_lde(&columns, log, from, to, true)?;
                    drop(rows);
                    Ok(OperationResult::Table(extended))
                }),
                made: size(width, log + LOG_BLOWUP),
            }
        }
        Shape::Split { log } => {
            let table = table(backend, P::COLUMNS, log)?;
            let log_part = log - PARTS.ilog2();
            Prepared {
                cost: cost::<op::Split, B>(&(table.as_ref(), PARTS, log_part)),
                run: Box::new(move || backend.split(table.as_ref(), PARTS, log_part).map(OperationResult::Table)),
                made: size(P::COLUMNS, log),
            }
        }
        Shape::Select { width, log } => {
            let table = table(backend, width, log)?;
            let picks: Vec<(usize, usize)> = (0..width as usize).map(|column| (0, column)).collect();
            Prepared {
                cost: cost::<op::Select, B>(&(&[table.as_ref()], &picks)),
                run: Box::new(move || backend.select(&[table.as_ref()], &picks).map(OperationResult::Table)),
                made: size(width, log),
            }
        }
        Shape::Merkle { hash, width, log } => {
            let table = table(backend, width, log)?;
            let leaves = Leaves { rows_per_leaf: one_row.rows_per_leaf, log_height: log, log_parts: 0 };
            let cost = cost::<op::Merkle, B>(&(&[table.as_ref()], leaves, hash));
            Prepared {
                run: Box::new(move || backend.merkle(&[table.as_ref()], one_row, hash).map(OperationResult::Tree)),
                made: cost.hashes.map(|(_, permutations)| (permutations, "hashes")),
                cost,
            }
        }
        Shape::Root { log } => {
            let tree = backend.merkle(&[table(backend, 1, log)?.as_ref()], one_row, P::HASH)?;
            Prepared {
                run: Box::new(move || backend.root(&tree).map(|_| OperationResult::Nothing)),
                cost: Cost::default(),
                made: None,
            }
        }
        Shape::Open { width, log } => {
            let table = table(backend, width, log)?;
            let tree = backend.merkle(&[table.as_ref()], one_row, P::HASH)?;
            let rows: Vec<usize> =
                elements::<P>(QUERIES, 2).iter().map(|element| element.as_u64() as usize % (1 << log)).collect();
            Prepared {
                run: Box::new(move || {
                    let columns = [table.as_ref()];
                    let request = OpenRequest { columns: &columns, tree: &tree, rows: &rows, leaves: &rows };
                    backend.open(&[request]).map(|_| OperationResult::Nothing)
                }),
                cost: Cost::default(),
                made: Some((QUERIES as f64, "queries")),
            }
        }
        Shape::Prepare { example } => programs::prepare(backend, example)?,
        Shape::Running { log, is_logup, .. } => programs::running(backend, log, is_logup)?,
        Shape::Map { log } => programs::map(backend, log)?,
        Shape::TreeMap { log } => programs::tree_map(backend, log)?,
        Shape::Rows { log } => programs::rows(backend, log)?,
        Shape::Bind { log } => sumchecks::bind(backend, log)?,
        Shape::Sum { log } => sumchecks::sum(backend, log)?,
        Shape::BindSum { log } => sumchecks::bind_sum(backend, log)?,
        Shape::Constraints { example, log } => programs::constraints(backend, example, log)?,
        Shape::EvalAt { width, log } => {
            let table = table(backend, width, log)?;
            let points: Vec<P::Point> = extensions::<P>(POINTS).into_iter().map(P::point).collect();
            let from = P::evaluated(log);
            Prepared {
                cost: cost::<op::EvalAt, B>(&&[EvalRequest { columns: table.as_ref(), from, points: &points }][..]),
                run: Box::new(move || {
                    let request = EvalRequest { columns: table.as_ref(), from, points: &points };
                    backend.eval_at(&[request]).map(|_| OperationResult::Nothing)
                }),
                made: size(width, log),
            }
        }
        Shape::Deep { width, log } => {
            let (table, elements) = (table(backend, width, log)?, extensions::<P>(POINTS + 1));
            let terms: Vec<DeepTerm<P>> = elements[1..]
                .iter()
                .map(|element| DeepTerm {
                    point: P::point(*element),
                    weights: powers(*element)
                        .take(width as usize)
                        .enumerate()
                        .map(|(c, weight)| (0, c, weight))
                        .collect(),
                    constant: elements[0],
                    slope: if P::Domain::LIFTS { elements[0] } else { P::Ext::ZERO },
                })
                .collect();
            let domain = P::domain(log);
            Prepared {
                cost: cost::<op::DeepQuotient, B>(&(&[table.as_ref()], 0, domain, &terms)),
                run: Box::new(move || {
                    backend.deep_quotient(&[table.as_ref()], domain, &terms).map(OperationResult::Table)
                }),
                made: size(width, log),
            }
        }
        Shape::Recurrence { log } => {
            let one = vec![P::Base::ONE; 2];
            let fibonacci =
                LinearRecurrence { coefficients: one.clone(), initial: one, restarts: Vec::new(), log_height: log };
            Prepared {
                cost: cost::<op::Recurrence, B>(&&fibonacci),
                run: Box::new(move || backend.recurrence(&fibonacci).map(OperationResult::Table)),
                made: size(1, log),
            }
        }
        Shape::Accumulate { width, log } => {
            let (mut into, from) = (table(backend, width, log)?, table(backend, width, log)?);
            Prepared {
                cost: cost::<op::Accumulate, B>(&(into.as_mut(), from.as_ref())),
                run: Box::new(move || {
                    backend.accumulate(into.as_mut(), from.as_ref()).map(|()| OperationResult::Nothing)
                }),
                made: size(width, log),
            }
        }
        Shape::Random { width, log } => {
            let mut into = table(backend, width, log)?;
            let rows = RandomRows { key: [3; 32], stream: 0, first: 0, from: 0 };
            Prepared {
                cost: cost::<op::Random, B>(&(into.as_mut(), &rows)),
                run: Box::new(move || backend.random(into.as_mut(), &rows).map(|()| OperationResult::Nothing)),
                made: size(width, log),
            }
        }
        Shape::Fold { log, on_line } => {
            let (layer, alpha) = (table(backend, P::COLUMNS, log)?, extensions::<P>(1)[0]);
            let domain = P::layer(log, on_line);
            let folded = domain.folded().unwrap_or(domain);
            Prepared {
                cost: cost::<op::FriFold, B>(&(layer.as_ref(), domain, folded, alpha)),
                run: Box::new(move || backend.fri_fold(layer.as_ref(), domain, alpha).map(OperationResult::Table)),
                made: size(P::COLUMNS, log),
            }
        }
        Shape::Grind { bits } => {
            let challenge = NonceSearch { hash: P::HASH, prefix: *b"polystark bench: a proof of work", bits };
            // As many hashes as the search cannot do without.
            let hashes = tries(P::HASH, backend.grind(&challenge)?.unwrap_or(u64::MAX));
            Prepared {
                run: Box::new(move || backend.grind(&challenge).map(|_| OperationResult::Nothing)),
                cost: Cost { hashes: Some((P::HASH, hashes)), ..Cost::default() },
                made: Some((hashes, "hashes")),
            }
        }
    })
}
