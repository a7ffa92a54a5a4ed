//! The protocol on cosets: zerofiers, the combination of all constraints, and the composition at a point outside the
//! domain.
//!
//! With `g = root(log n)`, transition t (period pi, offset o, e end exemptions, exemptions period q with offset u) is
//! multiplied by `Z_t(x) = E_t(x) (x^(n/q) - g^(u n/q)) / (x^(n/pi) - g^(o n/pi))`,
//! `E_t(x) = product over k = 1..=e of (x - g^(o + n - k pi))`, and boundary j by `1 / (x - g^(r_j))`.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks, PrimeField, TwoAdicField, batch_inverse, powers};
use gpu_hal::{Combination, CombinationGroup, CosetProtocol, Factor, Multiplier};

use super::exemptions::end_coefficients;
use super::progression;
use crate::rows::EndForm;
use crate::{AirError, Column, GroupRole, RecordedAir, Rows, Trace};

impl<P: CosetProtocol> RecordedAir<P> {
    /// `sum over t of beta^t Z_t c_t + sum over j of beta^(T + j) (column_j - v_j)/(x - g^(r_j))`, with the constraints
    /// that share a multiplier in one group; groups in order of first appearance.
    pub fn combination(&self, beta: P::Ext) -> Combination<P> {
        let exemptions: BTreeMap<Rows, usize> = self.exemptions().iter().copied().zip(0..).collect();
        let transitions = self.transitions().iter().map(|rows| self.transition_multiplier(rows, &exemptions));
        let boundaries = self
            .boundaries()
            .iter()
            .map(|boundary| Multiplier { factors: vec![self.row_factor(boundary.row(), true)], column: None });
        let mut groups: Vec<CombinationGroup<P>> = Vec::new();
        let mut places = BTreeMap::new();
        for ((index, multiplier), weight) in transitions.chain(boundaries).enumerate().zip(powers(beta)) {
            let place = *places.entry(key(&multiplier)).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.terms.push((index, weight)),
                None => groups.push(CombinationGroup { multiplier, terms: vec![(index, weight)] }),
            }
        }
        Combination { groups }
    }

    /// Log2 of the coefficients of each column of [`GroupRole::Exemptions`]: the fewest that hold the polynomials,
    /// whose degrees are the numbers of exempt rows.
    pub fn log_exemption_coefficients(&self) -> u32 {
        let most = self.exemptions().iter().map(Rows::end_exemptions).max().unwrap_or(0);
        (most + 1).next_power_of_two().ilog2()
    }

    /// Coefficients of the columns of [`GroupRole::Exemptions`]: as many for each as
    /// [`Self::log_exemption_coefficients`] says, natural order, column after column. Column k is `E(x)` of entry k of
    /// [`Self::exemptions`]. Empty if there are none.
    pub fn exemption_coefficients(&self) -> Vec<Goldilocks> {
        let count = 1 << self.log_exemption_coefficients();
        let mut coefficients = vec![Goldilocks::ZERO; count * self.exemptions().len()];
        for (rows, column) in self.exemptions().iter().zip(coefficients.chunks_exact_mut(count)) {
            end_coefficients(rows, self.log_trace_length(), column);
        }
        coefficients
    }

    /// The combination at `z` outside the trace domain. `cell(column, offset)` is the value of the column's polynomial
    /// at `g^offset z`; `params` as [`Self::params`] gives them.
    ///
    /// Takes `O(log n)` operations, plus the length of each periodic column, plus, for each transition with exemption
    /// column, `O(sqrt(k) log k)`, k the smaller of the number of its exempt rows and of the others: 2^15 times log k
    /// at most.
    ///
    /// # Errors
    /// [`AirError::PointInDomain`] at a pole, [`AirError::Count`] for a wrong number of parameters,
    /// [`AirError::Combination`] for a combination of another AIR.
    pub fn composition_at(
        &self,
        z: P::Ext,
        params: &[P::Ext],
        combination: &Combination<P>,
        mut cell: impl FnMut(Column, usize) -> P::Ext,
    ) -> Result<P::Ext, AirError> {
        let needed = self.constraints().params();
        if params.len() != needed {
            return Err(AirError::Count { what: "parameters", given: params.len(), needed });
        }
        let lagrange =
            self.periodic().iter().map(|table| self.periodic_weights(table, z)).collect::<Result<Vec<_>, _>>()?;
        let first_periodic = 1 + usize::from(self.layout().aux_columns > 0);
        let outputs = self.constraints().evaluate(params, |group, column, offset| {
            let offset = offset as usize;
            match self.groups()[group] {
                GroupRole::Main => cell(Column::Main(column), offset),
                GroupRole::Aux => cell(Column::Aux(column), offset),
                GroupRole::Periodic { .. } => {
                    let table = group - first_periodic;
                    let values = self.periodic()[table].column(column).iter().cycle().skip(offset);
                    lagrange[table].iter().zip(values).map(|(&weight, &value)| weight * value).sum()
                }
                GroupRole::Exemptions => unreachable!("constraints have no way to load an exemption column"),
            }
        });
        let mut sum = P::Ext::ZERO;
        for group in &combination.groups {
            let mut inner = P::Ext::ZERO;
            for &(output, weight) in &group.terms {
                let value = outputs.get(output).ok_or_else(|| {
                    AirError::Combination(format!("output {output} of a program of {}", outputs.len()))
                })?;
                inner += weight * *value;
            }
            sum += inner * self.multiplier_at(&group.multiplier, z)?;
        }
        Ok(sum)
    }

    fn generator(&self) -> Goldilocks {
        Goldilocks::two_adic_generator(self.log_trace_length())
    }

    /// `x^(n/period) - g^(offset n/period)`: zero on the rows `offset` modulo `period`.
    fn period_factor(&self, period: usize, offset: usize, inverse: bool) -> Factor<Goldilocks> {
        let log_power = self.log_trace_length() - period.trailing_zeros();
        let constant = self.generator().pow((offset as u64) << log_power);
        Factor { log_power, constant, inverse }
    }

    /// `x - g^row`.
    fn row_factor(&self, row: usize, inverse: bool) -> Factor<Goldilocks> {
        self.period_factor(self.trace_length(), row, inverse)
    }

    /// `exemptions`: the number of each of [`Self::exemptions`].
    fn transition_multiplier(&self, rows: &Rows, exemptions: &BTreeMap<Rows, usize>) -> Multiplier<Goldilocks> {
        let n = self.trace_length();
        let zerofier = self.period_factor(rows.period(), rows.offset(), true);
        let (mut factors, mut column) = (Vec::new(), None);
        match rows.end_form(n) {
            EndForm::Exempt => {
                factors.push(zerofier);
                factors.extend(rows.exempt_rows(n).map(|row| self.row_factor(row, false)));
            }
            EndForm::Active => factors.extend(rows.active_rows(n).map(|row| self.row_factor(row, true))),
            EndForm::Column => {
                factors.push(zerofier);
                let group = self.groups().len() - 1;
                column = exemptions.get(&rows.end_key()).map(|column| (group, *column));
            }
        }
        if let Some((period, offset)) = rows.exempted() {
            factors.push(self.period_factor(period, offset, false));
        }
        Multiplier { factors: cancel(factors), column }
    }

    fn multiplier_at(&self, multiplier: &Multiplier<Goldilocks>, z: P::Ext) -> Result<P::Ext, AirError> {
        let (mut numerator, mut denominator) = (P::Ext::ONE, P::Ext::ONE);
        for factor in &multiplier.factors {
            let value = z.pow_two_to(factor.log_power) - factor.constant;
            if factor.inverse {
                denominator *= value;
            } else {
                numerator *= value;
            }
        }
        if let Some((group, column)) = multiplier.column {
            let rows = self
                .exemptions()
                .get(column)
                .filter(|_| self.groups().get(group) == Some(&GroupRole::Exemptions))
                .ok_or_else(|| AirError::Combination(format!("no exemption column {column} in group {group}")))?;
            numerator *= self.end_at(rows, z)?;
        }
        Ok(numerator * denominator.inverse().ok_or(AirError::PointInDomain)?)
    }

    /// `E(z)`: directly, or as the zerofier over the rows that are left, whichever has fewer factors.
    fn end_at(&self, rows: &Rows, z: P::Ext) -> Result<P::Ext, AirError> {
        let (n, g) = (self.trace_length(), self.generator());
        let step = g.pow(rows.period() as u64);
        let (exempt, active) = (rows.end_exemptions(), rows.active(n));
        if exempt <= active {
            let first = g.pow((rows.offset() + active * rows.period()) as u64);
            return Ok(progression::product(z, first, step, exempt));
        }
        let left = progression::product(z, g.pow(rows.offset() as u64), step, active);
        let zerofier = self.period_factor(rows.period(), rows.offset(), false);
        let zerofier = z.pow_two_to(zerofier.log_power) - zerofier.constant;
        Ok(zerofier * left.inverse().ok_or(AirError::PointInDomain)?)
    }

    /// Lagrange weights of a table of period L at `y = z^(n/L)`: with `w = root(log L)`,
    /// `weight_k = (y^L - 1)/L * w^k/(y - w^k)`. The column with values `v` has the value `sum weight_k v_(k + d)` at
    /// `g^d z`.
    fn periodic_weights(&self, table: &Trace<Goldilocks>, z: P::Ext) -> Result<Vec<P::Ext>, AirError> {
        let log_period = table.log_height();
        let y = z.pow_two_to(self.log_trace_length() - log_period);
        let vanishing = y.pow_two_to(log_period) - P::Ext::ONE;
        if vanishing.is_zero() {
            return Err(AirError::PointInDomain);
        }
        let length = Goldilocks::from_u64(1 << log_period);
        let scale = vanishing * length.inverse_or_zero();
        let roots = || powers(Goldilocks::two_adic_generator(log_period)).take(table.height());
        let mut weights: Vec<P::Ext> = roots().map(|root| y - root).collect();
        batch_inverse(&mut weights);
        weights.iter_mut().zip(roots()).for_each(|(weight, root)| *weight = scale * *weight * root);
        Ok(weights)
    }
}

/// Factors of a multiplier: log2 of the power, constant, whether it is below the line.
type Factors = Vec<(u32, u64, bool)>;

/// A key that is equal only for equal multipliers, and has an order.
fn key(multiplier: &Multiplier<Goldilocks>) -> (Factors, Option<(usize, usize)>) {
    let factors = multiplier.factors.iter().map(|factor| (factor.log_power, factor.constant.as_u64(), factor.inverse));
    (factors.collect(), multiplier.column)
}

/// Drops pairs of one factor above and below the line.
fn cancel(mut factors: Vec<Factor<Goldilocks>>) -> Vec<Factor<Goldilocks>> {
    let mut at = 0;
    while at < factors.len() {
        let opposite = Factor { inverse: !factors[at].inverse, ..factors[at] };
        match factors.iter().position(|factor| *factor == opposite) {
            Some(other) => {
                factors.remove(at.max(other));
                factors.remove(at.min(other));
                // The earlier ones have no partner; the one at `at` is removed.
                at = at.min(other);
            }
            None => at += 1,
        }
    }
    factors
}
