//! The formats of proofs.

proof_format::named! {
    /// A format of proofs. `Default` is that of requests of the library and of all commands that make proofs, except
    /// [`Format::FOR_JOBS`]'s.
    ///
    /// All that the two differ in stands in [`crate::FormatOptions`], [`crate::lambdaworks`] and
    /// [`crate::compact`]; the order of what the transcript takes is [`crate::rounds`] in both.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Format {
        /// Proofs as lambdaworks' prover makes them, byte for byte.
        Lambdaworks = "lambdaworks",
        /// Shorter ones.
        #[default]
        Compact = "compact",
    }
    parse "no format '{}' of this protocol: {}"
}

impl Format {
    /// The format of jobs of a farm that do not say theirs: they are older than the other format, and a job's name
    /// means one proof for ever.
    pub const FOR_JOBS: Self = Self::Lambdaworks;
}
