//! Every operation of the scalars against field implementations that are not ours.

mod against;
mod batch;
mod bytes;
mod circle;
mod inputs;
mod lambdaworks;
mod laws;
mod primes;
mod stark252;
