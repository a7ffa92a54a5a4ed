//! A backend that is broken on purpose, in the results of one operation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use field::Field;
use gpu_hal::decorate::{Call, Hook};
use gpu_hal::ir::ProgramBuilder;
use gpu_hal::op::Outcome;
use gpu_hal::{Columns, DeviceTree, ErrorKind, HalError, LeafLayout, Operation, Result, StarkBackend, Types};
use hal_conformance::TestProtocol;

/// How an operation is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Damage {
    /// The last element of the last column, byte or list is another one, in results of at least this many rows or
    /// items.
    LastFrom(usize),
    /// The same, but only in results of at most this many rows or items.
    LastUpTo(usize),
    /// The first two results of a call change places.
    Swapped,
    /// The lists of row programs, or sums beside tables, alone are damaged.
    Lists,
    /// The counters of row programs alone are damaged.
    Counters,
    /// Every second call is damaged.
    EverySecond,
    /// Errors become another kind.
    ErrorKind(ErrorKind),
    /// Results are kept alive: their memory is not given back.
    Leak,
    /// It says that it is not supported.
    Unsupported,
}

/// Damages the results of one operation.
pub(super) struct Broken<B: StarkBackend> {
    operation: Operation,
    damage: Damage,
    calls: AtomicU64,
    leaked: Mutex<Vec<Columns<B::Buffer>>>,
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Broken<B> {
    pub(super) fn new(operation: Operation, damage: Damage) -> Self {
        Self { operation, damage, calls: AtomicU64::new(0), leaked: Mutex::new(Vec::new()) }
    }

    fn applies(&self, items: usize, call: u64) -> bool {
        match self.damage {
            Damage::LastFrom(low) => items >= low,
            Damage::LastUpTo(high) => items > 0 && items <= high,
            Damage::EverySecond => items > 0 && call % 2 == 1,
            _ => false,
        }
    }

    /// The table with its last element changed.
    fn damaged(&self, inner: &B, table: Columns<&B::Buffer>) -> Result<Columns<B::Buffer>> {
        let mut elements = inner.download(table, 0..table.height())?;
        if let Some(last) = elements.last_mut() {
            *last += P::Base::ONE;
        }
        inner.upload(&elements, table.width, table.log_height)
    }

    fn damage_table(&self, inner: &B, table: &mut Columns<B::Buffer>, call: u64) -> Result<()> {
        if self.applies(table.height(), call) {
            *table = self.damaged(inner, table.as_ref())?;
        }
        Ok(())
    }

    fn break_it(&self, inner: &B, outcome: Outcome<'_, B::T>) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if self.damage == Damage::Swapped {
            swap(outcome);
            return Ok(());
        }
        match outcome {
            Outcome::Nothing | Outcome::Stashed(_) | Outcome::Fault(_) => {}
            Outcome::Table(table) if self.damage == Damage::Leak => {
                let copy = inner.copy_to(table.as_ref(), inner)?;
                self.leaked.lock().expect("no panic under the lock").push(copy);
            }
            Outcome::Table(table) | Outcome::Uploaded((_, table)) => self.damage_table(inner, table, call)?,
            Outcome::Rows(made, counters) => {
                self.damage_table(inner, &mut made.columns, call)?;
                if self.damage == Damage::Lists {
                    made.lists
                        .iter_mut()
                        .try_for_each(|list| self.damaged(inner, list.as_ref()).map(|damaged| *list = damaged))?;
                }
                if self.damage == Damage::Counters {
                    for counter in counters {
                        let shape = Columns::new(&*counter.data, counter.width, counter.log_height);
                        *counter.data = self.damaged(inner, shape)?.data;
                    }
                }
            }
            Outcome::Tables(tables) => {
                for table in tables {
                    self.damage_table(inner, table, call)?;
                }
            }
            Outcome::Accumulated(tables, _) => {
                for accumulated in tables {
                    if self.damage == Damage::Leak {
                        let copy = inner.copy_to(accumulated.columns.as_ref(), inner)?;
                        self.leaked.lock().expect("no panic under the lock").push(copy);
                    }
                    self.damage_table(inner, &mut accumulated.columns, call)?;
                }
            }
            Outcome::InPlace(table) => {
                if self.applies(table.height(), call) {
                    let shape = Columns::new(&*table.data, table.width, table.log_height);
                    *table.data = self.damaged(inner, shape)?.data;
                }
            }
            Outcome::Elements(elements) => {
                if self.applies(elements.len(), call)
                    && let Some(last) = elements.last_mut()
                {
                    *last += P::Base::ONE;
                }
            }
            Outcome::Tree(tree) => {
                if self.applies(1 << tree.log_leaves(), call) {
                    let zeros = vec![P::Base::ZERO; 1 << tree.log_leaves()];
                    let table = inner.upload(&zeros, 1, tree.log_leaves())?;
                    let hash = inner.capabilities().hashes[0];
                    *tree = inner.merkle(&[table.as_ref()], LeafLayout::new(1), hash)?;
                }
            }
            Outcome::Digest(digest) => {
                if self.applies(32, call) {
                    digest[31] ^= 1;
                }
            }
            Outcome::Opened(opened) => {
                let rows = opened.last().map_or(0, |opened| opened.rows.len() + opened.paths.len());
                if self.applies(rows, call)
                    && let Some(last) = opened.last_mut()
                {
                    if let Some(path) = last.paths.last_mut()
                        && let Some(digest) = path.last_mut()
                    {
                        digest[0] ^= 1;
                    } else if let Some(element) = last.rows.last_mut().and_then(|row| row.last_mut()) {
                        *element += P::Base::ONE;
                    }
                }
            }
            Outcome::Program(program) => {
                if self.applies(1, call) {
                    let empty = ProgramBuilder::<P>::new(Vec::new(), 0).finish().expect("an empty program");
                    *program = inner.prepare(&empty)?;
                }
            }
            Outcome::Values(values) => {
                let applies = self.applies(values.last().map_or(0, Vec::len), call);
                if let Some(value) = values.last_mut().and_then(|of| of.last_mut()).and_then(|of| of.last_mut())
                    && applies
                {
                    *value += P::Ext::ONE;
                }
            }
            Outcome::Sums(sums) => {
                if self.applies(sums.last().map_or(0, Vec::len), call)
                    && let Some(sum) = sums.last_mut().and_then(|of| of.last_mut())
                {
                    *sum += P::Ext::ONE;
                }
            }
            Outcome::BoundSums(made) => {
                for made in made {
                    if self.damage == Damage::Lists
                        && let Some(sum) = made.sums.last_mut()
                    {
                        *sum += P::Ext::ONE;
                    }
                    self.damage_table(inner, &mut made.values, call)?;
                }
            }
            Outcome::Nonce(nonce) => {
                // The next valid nonce would do for a verifier; only the first will do for the contract.
                if self.applies(1, call) {
                    *nonce = nonce.map(|nonce| nonce + 1);
                }
            }
        }
        Ok(())
    }
}

/// Lets the first two results of a list of requests change places.
fn swap<T: Types>(outcome: Outcome<'_, T>) {
    fn first_two<R>(results: &mut [R]) {
        if let [first, second, ..] = results {
            std::mem::swap(first, second);
        }
    }
    match outcome {
        Outcome::Tables(tables) => first_two(tables),
        Outcome::Accumulated(tables, _) => first_two(tables),
        Outcome::Opened(opened) => first_two(opened),
        Outcome::Values(values) => first_two(values),
        Outcome::Sums(sums) => first_two(sums),
        Outcome::BoundSums(made) => first_two(made),
        _ => {}
    }
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Hook<B> for Broken<B> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        if call.operation != self.operation {
            return run();
        }
        match self.damage {
            Damage::Unsupported => return Err(HalError::unsupported(call.operation, "broken on purpose")),
            Damage::ErrorKind(kind) => {
                return run().map_err(|error| HalError::new(kind, error.op, error.detail));
            }
            _ => {}
        }
        let mut result = run()?;
        self.break_it(inner, outcome(&mut result))?;
        Ok(result)
    }
}
