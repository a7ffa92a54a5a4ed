//! The Goldilocks protocol of a program.

use super::types::{Airs, Device};
use crate::error::Error;
use crate::registry::{Driven, Driver, Place, Registry};
use crate::types::Goldilocks3;

impl Driven for Goldilocks3 {
    fn open(driver: &dyn Driver, place: &Place) -> Result<Device, Error> {
        driver.goldilocks(place)
    }

    fn airs(registry: &Registry) -> &Airs {
        &registry.airs.goldilocks
    }

    fn airs_mut(registry: &mut Registry) -> &mut Airs {
        &mut registry.airs.goldilocks
    }
}
