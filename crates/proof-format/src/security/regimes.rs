//! The regimes of a code that each way to count is the best of.

use alloc::vec;
use alloc::vec::Vec;

use super::math::{exp2, log2};
use super::proximity::MULTIPLICITIES;
use super::{Analysis, Code, Proximity, Rounds};

impl Rounds {
    /// The regimes that an analysis is the best of, each with its multiplicity if it has one.
    pub(super) fn regimes(&self, analysis: Analysis) -> Vec<(Option<u32>, Proximity)> {
        let rate = exp2(-f64::from(self.log_blowup));
        let proven = self.proven_rate;
        let johnson = |regime: &dyn Fn(f64, u32) -> Option<Proximity>| {
            MULTIPLICITIES.filter_map(|m| Some((Some(m), regime(proven, m)?))).collect()
        };
        let single = |proximity| vec![(None, proximity)];
        match analysis {
            Analysis::Claimed => single(Proximity::conjectured(1.0 - rate)),
            Analysis::Conjectured => {
                // A random word is about as near as this.
                let eta = rate * log2(core::f64::consts::E / rate) / self.log_field;
                single(Proximity::conjectured(1.0 - rate - eta))
            }
            Analysis::UniqueDecoding => single(Proximity::unique_decoding(proven)),
            Analysis::UniqueDecoding2020 => single(Proximity::unique_decoding_2020(proven)),
            Analysis::Johnson => johnson(&Proximity::multiplicity),
            Analysis::Johnson2020 => johnson(&Proximity::multiplicity_2020),
            Analysis::Johnson2026 => self.code.as_ref().map_or(Vec::new(), |code| {
                let share = code.words as f64 / exp2(f64::from(code.log_points));
                johnson(&|rate, m| Proximity::multiplicity_2026(rate, share, m))
            }),
            Analysis::FirstOrder => self.code.as_ref().map_or(Vec::new(), Code::regimes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fold, Limit, Profile, SecurityKind, Space, Term, fewest_queries};
    use super::*;

    /// Goldilocks^3, 2^20 rows, 100 words, two rows read, constraints of degree 2.
    fn rounds(log_blowup: u32, queries: u32, work: u32) -> Rounds {
        let log_points = 20.0 + f64::from(log_blowup);
        let elements = Space::Elements(192.0 - 1e-9);
        let code = Code {
            log_points: 20 + log_blowup,
            log_rows: 20,
            columns: (1 << 20) + 2,
            words: 1 << 20,
            characteristic: 0xffff_ffff_0000_0001,
            combined: 100,
            folds: Fold::each_halving(20, 1),
        };
        let terms = vec![
            Term::new(Limit::OutOfDomain, elements, 2, 22.0),
            Term::new(Limit::Batching, Space::Words(log_points), 0, log2(100.0)),
            Term::new(Limit::Folding, Space::Words(log_points), 0, 0.0),
        ];
        let proven_rate = exp2(-f64::from(log_blowup)) * (1.0 + exp2(-19.0));
        let (hash_bits, log_field, code) = (128, 192.0 - 1e-9, Some(code));
        Rounds { hash_bits, log_field, log_blowup, proven_rate, code, terms, queries, work }
    }

    /// The queries that 100 and 128 bits take with 20 bits of work. At 128 bits the lists past the Johnson radius are
    /// too long for one out-of-domain point.
    #[test]
    fn queries_by_each_analysis() {
        let queries = |kind, bits, log_blowup| {
            let worth = rounds(log_blowup, 1, 20).query_bits(Profile { kind, bits }).expect("in reach");
            fewest_queries(bits, 20, worth).expect("finite")
        };
        let expected =
            [(1, [161, 152, 219, 217]), (2, [81, 75, 109, 109]), (3, [54, 50, 73, 73]), (4, [41, 38, 55, 55])];
        for (log_blowup, expected) in expected {
            let found = [(SecurityKind::Provable, 100), (SecurityKind::FirstOrder, 100)]
                .into_iter()
                .chain([(SecurityKind::Provable, 128), (SecurityKind::FirstOrder, 128)])
                .map(|(kind, bits)| queries(kind, bits, log_blowup));
            assert_eq!(found.collect::<Vec<_>>(), expected, "blowup 2^{log_blowup}");
        }
    }

    /// The newer figure is the best of more analyses, computed where it is asked for, and the others stay.
    #[test]
    fn the_newer_figure_is_asked_for_by_name() {
        let rounds = rounds(2, 75, 20);
        let (without, with) = (rounds.security(), rounds.security_by(SecurityKind::FirstOrder));
        let first_order = with.first_order.expect("asked for").bits;
        assert_eq!((without.first_order, without.provable, first_order), (None, with.provable, 100));
        assert!(with.provable.bits < 100 && with.conjectured.bits >= first_order);
        let table = rounds.table();
        let names: Vec<_> = table.columns.iter().map(|column| column.analysis).collect();
        assert_eq!(names, Analysis::ALL);
        let [cubic, past] = [&table.columns[6], &table.columns[7]];
        assert!(cubic.multiplicity >= Some(3) && past.multiplicity >= Some(3) && past.least().bits == 100);
        // Lists are the limit past the radius; the bound of a curve has more than the field leaves elsewhere.
        assert!(cubic.least().bits < 100 && cubic.rounds[2].bits > past.rounds[2].bits);
        // Without codes in whole numbers there are no newer bounds.
        let older = Rounds { code: None, ..rounds.clone() };
        assert_eq!(older.security_by(SecurityKind::FirstOrder).first_order, Some(with.provable));
        assert_eq!(older.table().columns, table.columns[..6]);
    }
}
