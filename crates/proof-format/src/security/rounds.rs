//! The security of each round of a protocol, by each way to count it.
//!
//! A protocol lists its rounds: [`Rounds`], plain numbers. From them come the table of all rounds
//! ([`Rounds::table`]), its minima, which are the figures ([`Rounds::security`]), and the options needed to reach a
//! profile ([`Rounds::query_bits`], [`fewest_queries`]).

use alloc::vec::Vec;

use super::math::{ceil, floor};
use super::{Analysis, Bits, Code, Limit, Profile, Proximity, ROUNDING, Security, SecurityKind, whole};

/// The set that the error of a round is a share of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    /// A number of elements, by log2: a challenge is the root of a polynomial.
    Elements(f64),
    /// The elements for which far words of a number of points, by log2, become near ones: the error is `ca`, the error
    /// of correlated agreement.
    Words(f64),
}

/// A round before the queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The limit.
    pub limit: Limit,
    /// The set that its error is a share of.
    pub space: Space,
    /// How often the number of near codewords multiplies the error, if that is a share of elements.
    pub lists: u32,
    /// Log2 of its other factors: a degree, a number of words.
    pub log_factor: f64,
    /// Bits of a proof of work that stands before its challenges.
    pub work: u32,
}

impl Term {
    /// One without a proof of work.
    pub fn new(limit: Limit, space: Space, lists: u32, log_factor: f64) -> Self {
        Self { limit, space, lists, log_factor, work: 0 }
    }

    fn bits(&self, proximity: &Proximity, log_field: f64) -> u32 {
        let bits = match self.space {
            Space::Elements(log) => log - f64::from(self.lists) * proximity.log_list - self.log_factor,
            Space::Words(log) => log_field - proximity.log_exceptional(self.limit, log, self.log_factor),
        };
        whole(bits + f64::from(self.work))
    }
}

/// The rounds of a proof: the facts that a statement and options fix.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// Bits of the hash function against collisions.
    pub hash_bits: u32,
    /// Log2 of the elements that challenges are drawn from.
    pub log_field: f64,
    /// Log2 of the blowup. The rate of conjectures is its inverse.
    pub log_blowup: u32,
    /// The rate of the code that analyses without conjectures are about.
    pub proven_rate: f64,
    /// The same codes in whole numbers, for the bounds of ePrint 2026/2056, if they are to be counted.
    pub code: Option<Code>,
    /// The rounds before the queries, in order.
    pub terms: Vec<Term>,
    /// Queries.
    pub queries: u32,
    /// Bits of the proof of work before the queries.
    pub work: u32,
}

/// The security of all rounds by one analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The analysis.
    pub analysis: Analysis,
    /// The multiplicity `m` of a Johnson bound: that which makes the weakest round strongest.
    pub multiplicity: Option<u32>,
    /// The hash function, then the rounds in order, the queries last.
    pub rounds: Vec<Bits>,
}

impl Column {
    /// The weakest round. Among equal ones, the last: options choose the queries.
    pub fn least(&self) -> Bits {
        let nothing = Bits { bits: 0, limit: Limit::Queries };
        self.rounds.iter().rev().copied().min_by_key(|round| round.bits).unwrap_or(nothing)
    }
}

/// The security of all rounds by all analyses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// By analysis, in the order of [`Analysis::ALL`]. Where the rate is near 1 there is no Johnson bound.
    pub columns: Vec<Column>,
    /// Bits of proofs of work that the rounds count, in their order.
    pub work: Vec<u32>,
}

impl Table {
    /// A figure: the weakest round of each of its analyses, and of these the best.
    fn figure(&self, kind: SecurityKind) -> Bits {
        let columns = self.columns.iter().filter(|column| Analysis::of(kind).contains(&column.analysis));
        let best = |best: Option<Bits>, next: Bits| match best {
            Some(best) if best.bits >= next.bits => Some(best),
            _ => Some(next),
        };
        columns.map(Column::least).fold(None, best).unwrap_or(Bits { bits: 0, limit: Limit::Queries })
    }
}

impl Rounds {
    /// All rounds by all analyses.
    pub fn table(&self) -> Table {
        self.table_of(&Analysis::ALL)
    }

    /// The figures but [`SecurityKind::FirstOrder`]: minima of the table.
    pub fn security(&self) -> Security {
        self.security_by(SecurityKind::Provable)
    }

    /// The figures, and the first-order one if that is asked for: its certificates take some milliseconds to find.
    pub fn security_by(&self, kind: SecurityKind) -> Security {
        let table = self.table_of(Analysis::of(SecurityKind::Claimed));
        let [claimed, conjectured, provable] =
            [SecurityKind::Claimed, SecurityKind::Conjectured, SecurityKind::Provable].map(|kind| table.figure(kind));
        let first_order = (kind == SecurityKind::FirstOrder).then(|| self.table_of(Analysis::of(kind)).figure(kind));
        Security { claimed, conjectured, provable, first_order }
    }

    fn table_of(&self, analyses: &[Analysis]) -> Table {
        let work = core::iter::once(0).chain(self.terms.iter().map(|term| term.work)).chain([self.work]);
        Table { columns: analyses.iter().filter_map(|&analysis| self.column(analysis)).collect(), work: work.collect() }
    }

    /// All rounds by one analysis.
    fn column(&self, analysis: Analysis) -> Option<Column> {
        let mut best: Option<Column> = None;
        for (multiplicity, proximity) in self.regimes(analysis) {
            let rounds = self.worth(analysis, &proximity);
            let least = best.as_ref().map(|best| best.least().bits);
            if least.is_none_or(|least| rounds.clone().all(|round| round.bits > least)) {
                best = Some(Column { analysis, multiplicity, rounds: rounds.collect() });
            }
        }
        best
    }

    /// All rounds in one regime.
    fn worth(&self, analysis: Analysis, proximity: &Proximity) -> impl Iterator<Item = Bits> + Clone {
        let in_queries = match analysis {
            // A whole number, from which no rounding takes a bit.
            Analysis::Claimed => self.log_blowup.saturating_mul(self.queries).saturating_add(self.work),
            _ => whole(f64::from(self.queries) * proximity.query_bits().max(0.0) + f64::from(self.work)),
        };
        self.before_queries(proximity).chain([Bits { bits: in_queries, limit: Limit::Queries }])
    }

    /// The hash function and the rounds before the queries.
    fn before_queries(&self, proximity: &Proximity) -> impl Iterator<Item = Bits> + Clone {
        let hash = Bits { bits: self.hash_bits, limit: Limit::Hash };
        let term = |term: &Term| Bits { bits: term.bits(proximity, self.log_field), limit: term.limit };
        core::iter::once(hash).chain(self.terms.iter().map(term))
    }

    fn regimes_of(&self, kind: SecurityKind) -> impl Iterator<Item = Proximity> {
        Analysis::of(kind).iter().flat_map(|&analysis| self.regimes(analysis)).map(|(_, proximity)| proximity)
    }

    /// The bound that no number of queries changes: the most bits of a figure, and their limit.
    pub fn most(&self, kind: SecurityKind) -> Bits {
        let least = |proximity| self.before_queries(&proximity).min_by_key(|round| round.bits);
        let better = |best: Bits, next: Bits| if next.bits > best.bits { next } else { best };
        self.regimes_of(kind).filter_map(least).fold(Bits { bits: 0, limit: Limit::Hash }, better)
    }

    /// The most bits that a query is worth where all other rounds reach a profile; `None` if they do nowhere.
    pub fn query_bits(&self, profile: Profile) -> Option<f64> {
        let reach = |proximity: &Proximity| self.before_queries(proximity).all(|round| round.bits >= profile.bits);
        let worth = self.regimes_of(profile.kind).filter(reach).map(|proximity| proximity.query_bits());
        worth.fold(None, |best, next| if best.is_some_and(|best| best >= next) { best } else { Some(next) })
    }

    /// The fewest bits of work before each round, no more than it has, with which a profile is reached: a list of those
    /// of all terms for each regime in which it is, with these queries and the work before them.
    pub fn least_work(&self, profile: Profile) -> impl Iterator<Item = Vec<u32>> {
        let enough = move |proximity: &Proximity, term: &Term| {
            (0..=term.work).find(|&work| Term { work, ..*term }.bits(proximity, self.log_field) >= profile.bits)
        };
        let reached = move |analysis: Analysis, proximity: &Proximity| {
            let queries = self.worth(analysis, proximity).last().is_some_and(|queries| queries.bits >= profile.bits);
            queries && self.hash_bits >= profile.bits
        };
        let analyses = Analysis::of(profile.kind).iter();
        let regimes =
            analyses.flat_map(|&analysis| self.regimes(analysis).into_iter().map(move |(_, it)| (analysis, it)));
        let reached = regimes.filter(move |(analysis, proximity)| reached(*analysis, proximity));
        reached.filter_map(move |(_, proximity)| self.terms.iter().map(|term| enough(&proximity, term)).collect())
    }
}

/// The fewest queries that reach `bits` bits together with a proof of work, if each counts `query_bits`; at least one.
pub fn fewest_queries(bits: u32, work: u32, query_bits: f64) -> Option<u32> {
    let left = f64::from(bits.saturating_sub(work));
    if left > 0.0 && query_bits <= 0.0 {
        return None;
    }
    // As many as `whole` does not round down. The claimed bits of a query are a whole number, from which nothing is
    // rounded.
    let rounding = if floor(query_bits) == query_bits { 0.0 } else { ROUNDING };
    let queries = ceil((left + rounding) / query_bits).max(1.0);
    (queries <= f64::from(u32::MAX)).then_some(queries as u32)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// The rows of soundcalc's figures as rounds. It has `l` where our protocols have `l^2`, and folds by other
    /// factors.
    fn soundcalc(columns: &[&str]) -> Rounds {
        let number = |column: usize| columns[column].parse::<f64>().expect("a number");
        let log_field = match columns[0] {
            "goldilocks^3" => 3.0 * 18_446_744_069_414_584_321_f64.log2(),
            _ => 4.0 * 2_147_483_647_f64.log2(),
        };
        let (log_rows, rate) = (number(1), 1.0 / number(2));
        let log_points = log_rows - rate.log2();
        let [functions, constraints, degree, combined] = [10, 11, 12, 13].map(number);
        let rows_and = |more: f64| log_rows.exp2() + more;
        let terms = degree * rows_and(combined - 1.0) + rows_and(-1.0);
        let outside = (log_field.exp2() - rows_and(log_points.exp2())).log2();
        let term = |limit, space, lists, factor: f64, work: usize| Term {
            work: number(work) as u32,
            ..Term::new(limit, space, lists, factor.log2())
        };
        let mut rounds = vec![
            Term::new(Limit::Constraints, Space::Elements(log_field), 1, constraints.log2()),
            term(Limit::OutOfDomain, Space::Elements(outside), 1, terms, 7),
            term(Limit::Batching, Space::Words(log_points), 0, functions - 1.0, 5),
        ];
        let mut log_layer = log_points;
        rounds.extend(columns[8].split(',').map(|factor| {
            let factor: f64 = factor.parse().expect("a factor");
            log_layer -= factor.log2();
            term(Limit::Folding, Space::Words(log_layer), 0, factor - 1.0, 6)
        }));
        Rounds {
            hash_bits: u32::MAX,
            log_field,
            log_blowup: number(2).log2() as u32,
            proven_rate: rate,
            code: None,
            terms: rounds,
            queries: number(3) as u32,
            work: number(4) as u32,
        }
    }

    /// In its regimes, which at the Johnson bound are of one `eta`, all rounds have its figures. Our column is the one
    /// of its unique decoding; at the Johnson bound the best multiplicity is as good or better.
    #[test]
    fn the_table_is_soundcalc_s() {
        let table = include_str!("../../../../vectors/soundness/soundcalc.tsv");
        let (mut unique, mut johnson) = (0, 0);
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let number = |column: usize| columns[column].parse::<u32>().expect("a number");
            let rounds = soundcalc(&columns);
            let rate = rounds.proven_rate;
            let (analysis, regime, count) = match columns[14] {
                "UDR" => (Analysis::UniqueDecoding, Some(Proximity::unique_decoding(rate)), &mut unique),
                _ if columns[0] == "m31^4" => (Analysis::Johnson, Proximity::johnson(rate, rate / 20.0), &mut johnson),
                _ => (Analysis::Johnson, Proximity::johnson(rate, rate.sqrt() / 100.0), &mut johnson),
            };
            let worth: Vec<Bits> = rounds.worth(analysis, &regime.expect("room below the bound")).collect();
            let least = |limit| worth.iter().filter(|round| round.limit == limit).map(|round| round.bits).min();
            let limits = [Limit::Constraints, Limit::OutOfDomain, Limit::Batching, Limit::Folding, Limit::Queries];
            assert_eq!(limits.map(least), [15, 16, 17, 18, 19].map(|at| Some(number(at))), "{line}");
            let column = rounds.column(analysis).expect("room below the bound");
            match analysis {
                Analysis::UniqueDecoding => assert_eq!(column.rounds, worth, "{line}"),
                _ => assert!(column.least().bits >= number(20), "{line}: {column:?}"),
            }
            *count += 1;
        }
        assert_eq!(unique + johnson, 1728);
        assert!(unique > 100 && johnson > 100, "{unique} {johnson}");
    }

    fn rounds(queries: u32, work: u32) -> Rounds {
        let terms = vec![
            Term { work: 10, ..Term::new(Limit::Challenges, Space::Elements(124.0), 1, 30.0) },
            Term::new(Limit::Batching, Space::Words(20.0), 0, 3.0),
        ];
        Rounds { hash_bits: 128, log_field: 124.0, log_blowup: 2, proven_rate: 0.25, code: None, terms, queries, work }
    }

    #[test]
    fn work_counts_in_the_round_that_it_protects() {
        let table = rounds(40, 20).table();
        assert_eq!(table.work, [0, 10, 0, 20]);
        let bits = |analysis: usize| table.columns[analysis].rounds.iter().map(|round| round.bits).collect::<Vec<_>>();
        // 124 - 30 + 10; 124 - 20 - 3 (a whole number loses a bit to rounding); 40 * 2 + 20.
        assert_eq!(bits(0), [128, 103, 100, 100]);
        // theta = 3/8: 1.415 bits more than N/Q. A query is worth -log2(5/8) = 0.678 bits.
        assert_eq!(bits(2), [128, 103, 102, 47]);
        // Older: N/Q.
        assert_eq!(bits(4), [128, 103, 100, 47]);
        // The older bound at the Johnson bound grows with N^2: with the least m 124 - 40 - 3 - log2(3.5^7 / (3/8)) =
        // 66.9.
        let older = &table.columns[5];
        assert_eq!((older.multiplicity.is_some(), older.rounds[2].bits <= 66), (true, true), "{older:?}");
        let newer = &table.columns[3];
        assert!(newer.least().bits > older.least().bits && newer.rounds[2].bits > older.rounds[2].bits);
    }

    /// The fewest queries reach the profile and one less does not, for every figure.
    #[test]
    fn the_fewest_queries_are_enough_and_no_fewer() {
        for kind in SecurityKind::ALL {
            for (bits, work) in [(60, 0), (60, 20), (77, 13), (80, 20), (90, 16)] {
                let worth = rounds(1, work).query_bits(Profile { kind, bits }).expect("in reach");
                let queries = fewest_queries(bits, work, worth).expect("finite");
                let reached = |queries| kind.of(&rounds(queries, work).security()).bits;
                assert!(reached(queries) >= bits && reached(queries - 1) < bits, "{kind}-{bits}, {work}: {queries}");
            }
            let most = rounds(1, 20).most(kind).bits;
            assert!(rounds(1, 20).query_bits(Profile { kind, bits: most }).is_some());
            assert!(rounds(1, 20).query_bits(Profile { kind, bits: most + 1 }).is_none());
        }
        assert_eq!(fewest_queries(10, 20, 0.0), Some(1));
        assert_eq!(fewest_queries(20, 10, 0.0), None);
        assert_eq!(fewest_queries(20, 10, -1.0), None);
        // A product that is no whole number may be rounded down: one query more.
        assert_eq!((fewest_queries(25, 0, 2.5), fewest_queries(20, 0, 2.0)), (Some(11), Some(10)));
        assert_eq!((fewest_queries(u32::MAX, 0, 1.0), fewest_queries(20, 10, 1e-12)), (Some(u32::MAX), None));
    }

    /// The work that the lists say is enough, and one bit less of any is not in the same regime: with all of it in
    /// none.
    #[test]
    fn the_least_work_is_enough() {
        let rounds = |work: [u32; 2]| {
            let mut rounds = rounds(40, 20);
            rounds.terms.iter_mut().zip(work).for_each(|(term, work)| term.work = work);
            rounds
        };
        let profile = Profile { kind: SecurityKind::Claimed, bits: 100 };
        // 124 - 30, and 124 - 20 - 3 = 101.
        assert!(rounds([24, 24]).least_work(profile).any(|work| work == [7, 0]));
        for kind in SecurityKind::ALL {
            let profile = Profile { kind, bits: 45 };
            let reached = |work| kind.of(&rounds(work).security_by(kind)).bits >= profile.bits;
            let lists: Vec<_> = rounds([24, 24]).least_work(profile).map(|work| [work[0], work[1]]).collect();
            assert!(!lists.is_empty() && lists.iter().all(|work| reached(*work)), "{kind}");
        }
        assert_eq!(rounds([6, 24]).least_work(profile).count(), 0);
        assert_eq!(rounds([24, 24]).least_work(Profile { bits: 101, ..profile }).count(), 0, "the queries");
        let hash = Rounds { hash_bits: 99, ..rounds([24, 24]) };
        assert_eq!(hash.least_work(profile).count(), 0);
    }

    /// Among equally good multiplicities, a table names the least.
    #[test]
    fn the_least_multiplicity_is_named() {
        let rounds = Rounds { proven_rate: 0.5, log_blowup: 1, ..rounds(12, 0) };
        let mut ties = 0;
        for analysis in [Analysis::Johnson, Analysis::Johnson2020] {
            let column = rounds.column(analysis).expect("room below the bound");
            let least = column.least().bits;
            let is_worth = |proximity: &Proximity| rounds.worth(analysis, proximity).all(|round| round.bits >= least);
            let all: Vec<_> = rounds.regimes(analysis).into_iter().filter(|(_, regime)| is_worth(regime)).collect();
            assert_eq!(Some(column.multiplicity), all.first().map(|(multiplicity, _)| *multiplicity));
            ties += all.len() - 1;
        }
        assert!(ties > 0, "nothing to choose from");
    }

    #[test]
    fn nothing_is_left_at_the_bound() {
        assert!(Proximity::johnson(0.25, 0.5).is_none() && Proximity::johnson(0.25, 0.499).is_some());
    }

    /// Near rate 1 no Johnson bound is left, and the others still count.
    #[test]
    fn a_rate_near_one() {
        let rounds = Rounds { proven_rate: 1.0, ..rounds(40, 20) };
        assert_eq!(rounds.table().columns.len(), 4);
        assert_eq!(rounds.security().provable, Bits { bits: 19, limit: Limit::Queries }, "work alone, rounded down");
    }
}
