//! Every implementation of the operations is a backend.

use crate::{Operations, StarkBackend, Types};

impl<O: Operations> StarkBackend for O {
    type P = <O::T as Types>::P;
    type Buffer = <O::T as Types>::Buffer;
    type Tree = <O::T as Types>::Tree;
    type Program = <O::T as Types>::Program;
    type T = O::T;
    type Raw = O;
    type Shapes = O::Shapes;

    fn raw(&self) -> &O {
        self
    }
}
