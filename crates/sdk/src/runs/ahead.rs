//! The part of a run's proof that is known before the program has ended.

use std::time::Duration;

use cairo::ahead::shown_variant;
use cairo::preprocessed::Variant;
use cairo_run::RunSigns;
use circle_proof::CircleOptions;
use gpu_hal::CircleStark;

use super::kept::KeptColumns;
use crate::batch::Loading;
use crate::devices::device::Device;
use crate::error::Error;

/// How often it is asked what the run has shown.
const LOOK: Duration = Duration::from_millis(5);

/// Everything that is known of a proof before its program has ended.
#[derive(Clone, Debug)]
pub struct CairoAhead {
    /// The variant of the preprocessed columns; `None` if the run decides it.
    pub variant: Option<Variant>,
    /// The options of the proof.
    pub options: CircleOptions,
    /// Signs that the run shows meanwhile: the same as [`cairo_run::Options::signs`].
    pub signs: RunSigns,
}

impl CairoAhead {
    /// Commits to the preprocessed columns on a device of [`Device::keeping`], where the request for the run's proof
    /// finds them. If the run decides the variant, these are the smallest ones, until the run shows that it takes
    /// others. It begins once the run has begun, and ends when the loading is over. Returns the time that it worked.
    ///
    /// Nothing is made where the device has no room for it now, where it keeps nothing, or once the device has begun to
    /// prove: the proof makes it then.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn make(&self, device: &Device<CircleStark>, loading: &Loading) -> Result<Duration, Error> {
        let mut worked = Duration::ZERO;
        let Some(kept) = device.kept::<KeptColumns>() else { return Ok(worked) };
        while !self.signs.has_begun() {
            if loading.wait(LOOK) {
                return Ok(worked);
            }
        }
        let mut made = None;
        // A run that has ended has nothing more to show, and its proof knows better.
        while !loading.is_over() {
            let variant = self.variant.unwrap_or_else(|| shown_variant(&self.signs));
            if made != Some(variant) {
                let Some(took) = kept.make_ahead(device.backend(), (variant, &self.options), made, loading)? else {
                    break;
                };
                worked += took;
                if self.variant.is_some() {
                    break;
                }
                made = Some(variant);
            }
            loading.wait(LOOK);
        }
        Ok(worked)
    }
}
