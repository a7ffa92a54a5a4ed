//! Texts of AIRs, read again and evaluated, next to the programs that provers run.

mod circle;
mod components;
mod evaluate;
mod goldilocks;
mod texts;
