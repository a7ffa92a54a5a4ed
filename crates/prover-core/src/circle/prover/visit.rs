//! A proof of zeros on a backend that computes nothing, to see the requests of a statement to a device.

use std::sync::Arc;

use circle_air::Statement;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, StarkBackend};

use super::{Prover, Ready};
use crate::circle::ProveError;
use crate::circle::keep::Keep;
use crate::circle::preprocessed::Preprocessed;
use crate::circle::witness::{FromMaker, MakeMain, TraceMaker, Witness};
use crate::mode::OnDevice;
use crate::observer::Silent;

impl<B: StarkBackend<P = CircleStark>> Prover<B> {
    /// Asks a backend for all that proofs of a statement ask it for, with zeros for data and with no check of the
    /// results: of a trace of the host, and of one that the device makes, if it can. For a backend that computes
    /// nothing and remembers its calls, such as one on `gpu_runtime::Recorder`.
    ///
    /// # Errors
    /// Options that do not fit, a statement that contradicts itself, or the backend's errors.
    pub fn visit(backend: &Arc<B>, statement: Arc<dyn Statement>, options: &CircleOptions) -> Result<(), ProveError> {
        let ready = Ready::new(&**backend, statement, options, false)?;
        ready.visit(backend, &Witness::Shape)?;
        match ready.generator(|program| &program.program) {
            Ok(generator) => {
                let witness = Witness::Device(generator);
                witness.check_shape(&ready.shape.recorded)?;
                ready.visit(backend, &witness)
            }
            Err(_) => Ok(()),
        }
    }
}

impl<B: StarkBackend<P = CircleStark>, M: TraceMaker> Prover<B, M> {
    /// As [`Prover::visit`], of the trace that `maker` makes, with preprocessed columns that statements share.
    ///
    /// # Errors
    /// As [`Prover::visit`], and the maker's errors.
    pub fn visit_made(
        backend: &Arc<B>,
        statement: Arc<dyn Statement>,
        options: &CircleOptions,
        maker: &M,
    ) -> Result<(), ProveError> {
        let ready = Ready::new(&**backend, statement, options, true)?;
        ready.visit(backend, &FromMaker(maker))
    }
}

impl<B: StarkBackend<P = CircleStark>> Ready<B> {
    fn visit(&self, backend: &Arc<B>, main: &dyn MakeMain<B, OnDevice>) -> Result<(), ProveError> {
        let trace = self.preprocessed(OnDevice::Zeros, &**backend)?;
        let preprocessed = Preprocessed::own(&**backend, trace, &self.shape.layout)?;
        let programs = self.shape.programs.iter().map(|programs| programs.map(|program| &program.program)).collect();
        self.context(OnDevice::Zeros, &**backend, programs, &preprocessed, &Silent, Keep::All).prove(main).map(|_| ())
    }
}
