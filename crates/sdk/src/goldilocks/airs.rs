//! The AIRs of the Goldilocks protocol that come with Polystark, and proofs of AIRs that need no name.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, AirInfo, ExampleAir, ParamKind};
use air::{Air, Trace};
use field::Goldilocks;
use gpu_hal::GoldilocksStark;

use super::types::{AirInstance, Airs, Device, Family, Proven};
use crate::airs::{Param, Parameters};
use crate::error::Error;

impl From<Arc<dyn ExampleAir<GoldilocksStark>>> for AirInstance {
    fn from(air: Arc<dyn ExampleAir<GoldilocksStark>>) -> Self {
        Self::new(air.clone(), move || Ok(air.trace()))
    }
}

/// The AIRs of the protocol that come with Polystark.
pub(crate) fn shipped_airs() -> Airs {
    airs::all().iter().map(shipped_air).fold(Airs::none(), Airs::with)
}

fn shipped_air(info: &'static AirInfo) -> Family {
    let build =
        |rows, parameters: &Parameters| Ok(airs::build::<GoldilocksStark>(info.name, rows, parameters.all())?.into());
    let params = info.params.iter().map(|param| Param {
        default: param.default,
        unstated: param.unstated,
        ..Param::new(ParamKind::Public, param.name, param.summary)
    });
    let family = params.fold(Family::of_parameters(info.name, info.summary, build), Family::with);
    family.with_guess(|air| parameters_of(info.name, air))
}

/// The parameters of the shipped AIR of this name that may have the declarations of `air`.
fn parameters_of(name: &str, air: &dyn Air<GoldilocksStark>) -> Vec<BTreeMap<String, u64>> {
    let Ok(recorded) = air::record(air) else { return Vec::new() };
    let free = recorded.free_rows();
    let takes_free = airs::all().iter().any(|info| info.name == name && info.params.contains(&airs::FREE));
    let with = |values: &[(&str, usize)]| {
        let free = (takes_free && free > 0).then_some(("free", free));
        values.iter().copied().chain(free).map(|(name, value)| (name.to_owned(), value as u64)).collect()
    };
    let layout = air.layout();
    match name {
        // Two degrees have one part, and a degree has a part more if rows are free.
        "wide" => [1, layout.composition_parts, layout.composition_parts.saturating_add(1)]
            .into_iter()
            .map(|degree| with(&[("width", layout.main_columns), ("degree", degree)]))
            .collect(),
        // The sequence is constrained up to its end.
        "fibonacci-rap" => {
            let exempt = recorded.transitions().first().map(air::Rows::end_exemptions);
            let end = exempt.and_then(|exempt| (recorded.trace_length() + 2).checked_sub(exempt));
            end.into_iter().map(|steps| with(&[("steps", steps)])).collect()
        }
        _ if takes_free && free > 0 => vec![with(&[])],
        _ => Vec::new(),
    }
}

impl Device {
    /// Proves that a trace satisfies an AIR, which may be anybody's, with the default options.
    /// [`crate::Device::prove_air_with`] takes others.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// # use polystark_sdk as polystark;
    /// use polystark::air::{Air, AirBuilder, Column, Layout, Rows, Trace};
    /// use polystark::field::{Field, Goldilocks};
    /// use polystark::goldilocks::{Airs, Device, Expect, Policy};
    /// use polystark::Goldilocks3;
    ///
    /// /// A number is doubled in each of 8 rows.
    /// #[derive(Clone)]
    /// struct Doubled(Goldilocks);
    ///
    /// impl Air<Goldilocks3> for Doubled {
    ///     fn name(&self) -> &str {
    ///         "doubled"
    ///     }
    ///     fn log_trace_length(&self) -> u32 {
    ///         3
    ///     }
    ///     fn layout(&self) -> Layout {
    ///         Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    ///     }
    ///     fn define(&self, builder: &AirBuilder<Goldilocks3>) {
    ///         builder.transition(builder.main(0, 1) - builder.main(0, 0) * 2, Rows::all().except_last(1));
    ///         builder.boundary(Column::Main(0), 0, self.0);
    ///     }
    ///     fn public_inputs(&self) -> Vec<Goldilocks> {
    ///         vec![self.0]
    ///     }
    /// }
    ///
    /// let air = Doubled(Goldilocks::new(5));
    /// let column = (0..8).map(|row| Goldilocks::new(5 << row)).collect();
    /// let proven = Device::open("cpu", Some(1))?.prove_air(&air, &Trace::from_columns(vec![column])?)?;
    ///
    /// // The verifier builds the AIR from the number that it believes in.
    /// let verify = |first| {
    ///     Airs::of(Arc::new(Doubled(first))).verify_file(&proven.file, &Policy::default(), &Expect::default())
    /// };
    /// assert!(verify(Goldilocks::new(5)).is_ok());
    /// assert!(verify(Goldilocks::new(6)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`crate::Device::prove_air_with`].
    pub fn prove_air<A: Air<GoldilocksStark> + Clone + 'static>(
        &self,
        air: &A,
        trace: &Trace<Goldilocks>,
    ) -> Result<Proven, Error> {
        self.prove_air_by_default(Arc::new(air.clone()), trace)
    }
}
