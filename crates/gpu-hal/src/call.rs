//! One call of an operation by the front.

use alloc::format;

use crate::op::{Op, Out, OutOf, Reads, Size};
use crate::{
    BaseOf, CancelToken, Capabilities, Domain, DomainOf, ErrorKind, HalError, Operation, Operations, Result, TableRef,
    Types,
};

/// Calls an operation: one that is listed, with arguments that are right.
pub(crate) fn call<O: Op, B: Operations>(backend: &B, mut args: O::Args<'_, B::T>) -> Result<OutOf<O, B::T>> {
    let call = Call::new(backend, O::NAME)?;
    let capabilities = backend.capabilities();
    O::check(&args, capabilities)?;
    let mut blocks = Blocks { capabilities, refused: None };
    O::reads(&args, &mut blocks);
    if let Some(domain) = blocks.refused {
        let detail = format!("{} takes whole domains and prefixes, not {domain:?}", capabilities.backend);
        return Err(HalError::unsupported(O::NAME, detail));
    }
    let (size, requests) = (O::size(&args), O::requests(&args));
    let made = call.named(size, |raw| O::run(&mut args, raw))?;
    match (requests, O::Out::count(&made)) {
        (Some(requests), results) if results != requests => {
            let detail = format!("{results} results for {requests} requests: the backend is broken");
            Err(HalError::new(ErrorKind::Backend, O::NAME, detail))
        }
        _ => Ok(made),
    }
}

/// Blocks of circle domains are for backends that say so.
struct Blocks<'a, T: Types> {
    capabilities: &'a Capabilities,
    refused: Option<DomainOf<T>>,
}

impl<T: Types> Reads<T> for Blocks<'_, T> {
    fn table(&mut self, _: &TableRef<'_, T>) {}

    fn domain(&mut self, domain: &DomainOf<T>) {
        if domain.block_index() != 0 && !self.capabilities.blocks {
            self.refused.get_or_insert(*domain);
        }
    }
}

/// One call of a listed operation.
pub(crate) struct Call<'a, O> {
    raw: &'a O,
    pub(crate) operation: Operation,
}

macro_rules! spans {
    ($($op:ident $of_op:ident),+; $($other:ident $of_other:ident),+; $($rest:tt)+) => {
        spans!(@ $($op $of_op),+, $($other $of_other),+);
    };
    (@ $($variant:ident $method:ident),+) => {
        /// The span of an operation that reads `bytes` bytes. Devices that work on their own may still do so when it
        /// ends.
        fn span(operation: Operation, size: Size, bytes: u64) -> tracing::Span {
            match operation {
                $(Operation::$variant => tracing::debug_span!(
                    stringify!($method), columns = size.columns, rows = size.rows, bytes
                ),)+
            }
        }
    };
}

crate::__operations!(spans;);

impl<'a, O: Operations> Call<'a, O> {
    pub(crate) fn new(raw: &'a O, operation: Operation) -> Result<Self> {
        let Capabilities { operations, backend, .. } = raw.capabilities();
        if !operations.contains(&operation) {
            return Err(HalError::unsupported(operation, format!("not an operation of {backend}")));
        }
        CancelToken::check(operation)?;
        Ok(Self { raw, operation })
    }

    /// Runs it. Its errors bear its name, also where it is made of other operations.
    pub(crate) fn named<R>(&self, size: Size, run: impl FnOnce(&O) -> Result<R>) -> Result<R> {
        let bytes = size.elements * size_of::<BaseOf<O::T>>() as u64;
        let _span = span(self.operation, size, bytes).entered();
        let result = run(self.raw).map_err(|error| HalError { op: self.operation.into(), ..error });
        // An operation that was stopped has no result, even if it reports one.
        CancelToken::check(self.operation)?;
        result
    }
}
