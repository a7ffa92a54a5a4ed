//! Prepared constraint programs.

use std::ops::Deref;

use gpu_hal::ir::Schedule;
use gpu_hal::{ConstraintProgram, DeviceProgram};

use crate::cpu::CpuProtocol;

/// A prepared program: its schedule, which the interpreter runs, and the machine code that was made of it.
pub struct CpuProgram<P: CpuProtocol> {
    schedule: Schedule<P>,
    pub(crate) compiled: P::Compiled,
}

impl<P: CpuProtocol> CpuProgram<P> {
    pub(crate) fn new(program: &ConstraintProgram<P>) -> Self {
        Self { schedule: Schedule::new(program), compiled: P::Compiled::default() }
    }
}

impl<P: CpuProtocol> Deref for CpuProgram<P> {
    type Target = Schedule<P>;

    fn deref(&self) -> &Schedule<P> {
        &self.schedule
    }
}

impl<P: CpuProtocol> DeviceProgram<P> for CpuProgram<P> {
    fn program(&self) -> &ConstraintProgram<P> {
        self.schedule.program()
    }
}
