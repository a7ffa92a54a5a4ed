//! Inputs for the operations of `bench ops`: on the device before the clock starts.

use field::{Field, PrimeField, powers};
use gpu_hal::{Basis, DeepTerm, EvalAt, EvalOrder, Grind, LeafLayout, OpenRequest, Recurrence, StarkBackend};

use crate::amount::Work;
use crate::measurable::Measurable;
use crate::prepared::{Kept, Prepared};
use crate::shapes::{LOG_BLOWUP, PARTS, POINTS, QUERIES, Shape};
use crate::table::{elements, extensions, table};
use crate::{Error, programs, work};

fn in_storage_order<P: Measurable>(log: u32) -> Basis<P::Domain> {
    Basis::Evaluations { domain: P::domain(log), order: EvalOrder::Storage }
}

/// Makes the inputs of `shape`. `levels` are the levels of a transform between two trips to memory.
pub(crate) fn prepare<'a, P: Measurable, B: StarkBackend<P = P>>(
    backend: &'a B,
    shape: &Shape,
    levels: u32,
) -> Result<Prepared<'a, B>, Error> {
    let size = |width: u64, log: u32| Some(((width << log) as f64, "elements"));
    let one_row = LeafLayout::new(1);
    Ok(match *shape {
        Shape::Upload { width, log } => {
            let data = elements::<P>((width as usize) << log, 1);
            Prepared {
                run: Box::new(move || backend.upload(&data, width as usize, log).map(Kept::Table)),
                work: work::transfer::<P>(width, log),
                made: size(width, log),
            }
        }
        Shape::CopyTo { width, log } => {
            let (table, elements) = (table(backend, width, log)?, (width << log) as f64);
            Prepared {
                run: Box::new(move || backend.copy_to(table.as_ref(), backend).map(Kept::Table)),
                work: work::copy::<P>(elements, elements),
                made: size(width, log),
            }
        }
        Shape::Download { width, log } => {
            let table = table(backend, width, log)?;
            Prepared {
                run: Box::new(move || backend.download(table.as_ref(), 0..1 << log).map(Kept::Elements)),
                work: work::transfer::<P>(width, log),
                made: size(width, log),
            }
        }
        Shape::Sync => Prepared {
            run: Box::new(move || backend.sync().map(|()| Kept::Nothing)),
            work: Work::default(),
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
                run: Box::new(move || backend.ntt(table.as_mut(), from, to).map(|()| Kept::Nothing)),
                work: work::ntt::<P>(width, log, levels),
                made: size(width, log),
            }
        }
        Shape::Lde { width, log, from_rows } => {
            let table = table(backend, width, log)?;
            let (from, to) = (if from_rows { P::rows(log) } else { Basis::Coefficients }, P::domain(log + LOG_BLOWUP));
            Prepared {
                run: Box::new(move || backend.lde(table.as_ref(), from, to).map(Kept::Table)),
                work: work::lde::<P>(width, log, log + LOG_BLOWUP, from_rows, levels),
                made: size(width, log + LOG_BLOWUP),
            }
        }
        Shape::UploadLde { width, log } => {
            let data = elements::<P>((width as usize) << log, 1);
            let (from, to) = (P::rows(log), P::domain(log + LOG_BLOWUP));
            Prepared {
                run: Box::new(move || {
                    let columns: Vec<_> = data.chunks_exact(1 << log).collect();
                    let (rows, extended) = backend.upload_lde(&columns, log, from, to, true)?;
                    drop(rows);
                    Ok(Kept::Table(extended))
                }),
                work: work::transfer::<P>(width, log) + work::lde::<P>(width, log, log + LOG_BLOWUP, true, levels),
                made: size(width, log + LOG_BLOWUP),
            }
        }
        Shape::Split { log } => {
            let table = table(backend, P::COLUMNS, log)?;
            let log_part = log - PARTS.ilog2();
            Prepared {
                run: Box::new(move || backend.split(table.as_ref(), PARTS, log_part).map(Kept::Table)),
                work: copies::<P>(P::COLUMNS, log),
                made: size(P::COLUMNS, log),
            }
        }
        Shape::Select { width, log } => {
            let table = table(backend, width, log)?;
            let picks: Vec<(usize, usize)> = (0..width as usize).map(|column| (0, column)).collect();
            Prepared {
                run: Box::new(move || backend.select(&[table.as_ref()], &picks).map(Kept::Table)),
                work: copies::<P>(width, log),
                made: size(width, log),
            }
        }
        Shape::Merkle { hash, width, log } => {
            let table = table(backend, width, log)?;
            Prepared {
                run: Box::new(move || backend.merkle(&[table.as_ref()], one_row, hash).map(Kept::Tree)),
                work: work::merkle::<P>(hash, width, log),
                made: Some((work::permutations(hash, width, log), "hashes")),
            }
        }
        Shape::Root { log } => {
            let tree = backend.merkle(&[table(backend, 1, log)?.as_ref()], one_row, P::HASH)?;
            Prepared {
                run: Box::new(move || backend.root(&tree).map(|_| Kept::Nothing)),
                work: Work::default(),
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
                    backend.open(&[request]).map(|_| Kept::Nothing)
                }),
                work: Work::default(),
                made: Some((QUERIES as f64, "queries")),
            }
        }
        Shape::Prepare { example } => programs::prepare(backend, example)?,
        Shape::Running { log, is_logup, .. } => programs::running(backend, log, is_logup)?,
        Shape::Map { log } => programs::map(backend, log)?,
        Shape::TreeMap { log } => programs::tree_map(backend, log)?,
        Shape::Rows { log } => programs::rows(backend, log)?,
        Shape::Constraints { example, log } => programs::constraints(backend, example, log)?,
        Shape::EvalAt { width, log } => {
            let table = table(backend, width, log)?;
            let points: Vec<P::Point> = extensions::<P>(POINTS).into_iter().map(P::point).collect();
            Prepared {
                run: Box::new(move || {
                    let request = EvalAt { columns: table.as_ref(), from: P::evaluated(log), points: &points };
                    backend.eval_at(&[request]).map(|_| Kept::Nothing)
                }),
                work: work::eval_at::<P>(width, log, POINTS as u64),
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
                    slope: if P::LIFTS { elements[0] } else { P::Ext::ZERO },
                })
                .collect();
            Prepared {
                run: Box::new(move || {
                    backend.deep_quotient(&[table.as_ref()], P::domain(log), &terms).map(Kept::Table)
                }),
                work: work::deep::<P>(width, log, width * POINTS as u64, POINTS as u64),
                made: size(width, log),
            }
        }
        Shape::Recurrence { log } => {
            let one = vec![P::Base::ONE; 2];
            let fibonacci =
                Recurrence { coefficients: one.clone(), initial: one, restarts: Vec::new(), log_height: log };
            Prepared {
                run: Box::new(move || backend.recurrence(&fibonacci).map(Kept::Table)),
                work: work::recurrence::<P>(2, log),
                made: size(1, log),
            }
        }
        Shape::Accumulate { width, log } => {
            let (mut into, from) = (table(backend, width, log)?, table(backend, width, log)?);
            let elements = (width << log) as f64;
            Prepared {
                run: Box::new(move || backend.accumulate(into.as_mut(), from.as_ref()).map(|()| Kept::Nothing)),
                work: work::copy::<P>(2.0 * elements, elements),
                made: size(width, log),
            }
        }
        Shape::Fold { log, on_line } => {
            let (layer, alpha) = (table(backend, P::COLUMNS, log)?, extensions::<P>(1)[0]);
            Prepared {
                run: Box::new(move || backend.fri_fold(layer.as_ref(), P::layer(log, on_line), alpha).map(Kept::Table)),
                work: work::fold::<P>(log),
                made: size(P::COLUMNS, log),
            }
        }
        Shape::Grind { bits } => {
            let challenge = Grind { hash: P::HASH, prefix: *b"polystark bench: a proof of work", bits };
            // As many hashes as the search cannot do without.
            let nonce = backend.grind(&challenge)?.unwrap_or(u64::MAX);
            Prepared {
                run: Box::new(move || backend.grind(&challenge).map(|_| Kept::Nothing)),
                work: work::search(P::HASH, nonce),
                made: Some((work::tries(P::HASH, nonce), "hashes")),
            }
        }
    })
}

/// Reading and writing a table.
fn copies<P: Measurable>(width: u64, log: u32) -> Work {
    let elements = (width << log) as f64;
    work::copy::<P>(elements, elements)
}
