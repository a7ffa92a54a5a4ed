//! Random options of compact proofs.

use air::Air as _;
use goldilocks_proof::compact::limits::MAX_STEP;
use goldilocks_proof::compact::{Options, Sizes, Suite};
use goldilocks_proof::{Draw as Drawn, Hiding};

use super::Statement;
use crate::draw::Draw;

/// Most queries of a proof that hides its witness: every one of them takes free rows.
const HIDDEN_QUERIES: usize = 2;

/// How often free rows are counted again: another number of them may be another number of composition parts.
const ROUNDS: usize = 4;

impl Statement {
    /// The numbers that lengths of compact proofs follow from.
    pub fn sizes(&self) -> Sizes {
        let layout = self.layout();
        Sizes {
            log_rows: self.log_trace_length(),
            main: layout.main_columns,
            aux: layout.aux_columns,
            frame_rows: layout.frame_rows,
            challenges: layout.challenges,
            parts: layout.composition_parts,
        }
    }

    /// Options of a compact proof of this statement, by a seed: any folds, one or two out-of-domain points, a few bits
    /// of work before some of the draws.
    pub fn compact_options(&self, seed: u64) -> Options {
        let (draw, sizes) = (&mut Draw::new(seed ^ 0xc04_ac7), self.sizes());
        let mut folds = vec![draw.below(MAX_STEP.min(sizes.log_rows) as usize + 1) as u32];
        let mut left = sizes.log_rows - folds[0];
        while left > 0 && !draw.one_in(4) {
            let step = draw.between(1, MAX_STEP.min(left) as usize) as u32;
            folds.push(step);
            left -= step;
        }
        let work = Drawn::all(folds.len()).map(|of| match of {
            Drawn::Challenges if sizes.challenges == 0 => 0,
            Drawn::Fold(0) if folds[0] == 0 => 0,
            _ => draw.below(8).saturating_sub(4) as u32,
        });
        let work = work.collect();
        let parts = sizes.parts.next_power_of_two() as u32;
        Options {
            blowup: parts.max(2) << draw.below(2),
            queries: draw.between(1, 20) as u32,
            coset_offset: draw.of(&[3, 7]),
            points: draw.between(1, 2) as u32,
            folds,
            log_last: left,
            work,
            suite: Suite::default(),
            hiding: Hiding::None,
        }
    }

    /// The statement with free rows for the masks of a proof, and options of such a proof; nothing if its trace is too
    /// short for any.
    pub fn hidden(self, seed: u64) -> Option<(Self, Options)> {
        let mut free = 1;
        for _ in 0..ROUNDS {
            let freed = self.clone().with_free_rows(free)?;
            let mut options = Options { hiding: Hiding::FreeRows, ..freed.compact_options(seed) };
            options.queries = 1 + options.queries % HIDDEN_QUERIES as u32;
            let needed = usize::try_from(options.masked_rows(&freed.sizes())).ok()?;
            if needed <= free {
                return Some((freed, options));
            }
            free = needed;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use gpu_hal::GoldilocksStark;

    use super::*;
    use crate::Bounds;

    /// Every drawn option is possible, every kind is drawn, and as many rows are free as masks take.
    #[test]
    fn options_fit_their_statements() {
        let (mut hidden, mut folded, mut with_work) = (0, 0, 0);
        for seed in 0..200 {
            let statement = Statement::draw(seed, &Bounds::default());
            let options = statement.compact_options(seed);
            assert_eq!(options.validate::<GoldilocksStark>(&statement.sizes()), Ok(()), "{seed}");
            folded += usize::from(options.folds.len() > 2);
            with_work += usize::from(options.work.iter().any(|bits| *bits > 0));
            let Some((freed, options)) = statement.hidden(seed) else { continue };
            let recorded = air::record(&freed).expect("an AIR");
            assert_eq!(options.validate::<GoldilocksStark>(&freed.sizes()), Ok(()), "{seed}");
            assert_eq!(options.check_free_rows(&freed.sizes(), recorded.free_rows()), Ok(()), "{seed}");
            assert!(freed.violated().is_empty(), "{seed}");
            hidden += 1;
        }
        assert!(hidden > 20 && folded > 20 && with_work > 50, "{hidden} {folded} {with_work}");
    }
}
