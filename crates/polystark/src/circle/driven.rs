//! The Circle protocol of a program.

use gpu_hal::CircleStark;

use super::types::{Airs, Device};
use crate::error::Error;
use crate::registry::{Driven, Driver, Place, Registry};

impl Driven for CircleStark {
    fn open(driver: &dyn Driver, place: &Place) -> Result<Device, Error> {
        driver.circle(place)
    }

    fn airs(registry: &Registry) -> &Airs {
        &registry.airs.circle
    }

    fn airs_mut(registry: &mut Registry) -> &mut Airs {
        &mut registry.airs.circle
    }
}
