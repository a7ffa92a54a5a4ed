//! Elements of the host as a table.

use super::*;
use crate::MakeElements;

/// Elements that go to a device.
pub enum Data<'a, F> {
    /// These.
    Slice(&'a [F]),
    /// They are made on their way.
    Function(&'a MakeElements<'a, F>),
}

op! {
    /// [`crate::StarkBackend::upload`] and [`crate::StarkBackend::upload_made`].
    Upload(data: Data<'a, BaseOf<T>>, width: usize, log_height: u32) -> NewTable;

    check(_) {
        match data {
            Data::Slice(elements) => check::shape(Self::NAME, elements.len(), *width, *log_height),
            Data::Function(_) => check::made(Self::NAME, *width, *log_height),
        }
    }
    size() { Size::of(*width, 1 << log_height) }
    makes(on) { on.table(*width, *log_height) }
    cost() { Cost::transfers(width << log_height) }
    uploaded() { (width << log_height) * size_of::<BaseOf<T>>() }
    through(on, _) {
        match *data {
            Data::Slice(elements) => on.upload(elements, *width, *log_height),
            Data::Function(make) => on.upload_made(make, *width, *log_height),
        }
    }
    by_others(on) {
        match data {
            Data::Slice(_) => Err(absent(Self::NAME)),
            // Made in one piece first.
            Data::Function(make) => {
                let mut elements = vec![Default::default(); width << log_height];
                make(0, &mut elements);
                on.upload(&elements, width, log_height)
            }
        }
    }
}
