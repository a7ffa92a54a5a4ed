//! One sum-check (section 3).

use alloc::vec::Vec;

use field::Field;

use crate::{Channel, Univariate};

/// The highest degree of a round polynomial.
pub const MAX_DEGREE: usize = 3;

/// The most variables of a polynomial: sums of a smaller one are counted `2^(n-k)` times, which stwo computes in 31
/// bits.
pub const MAX_VARIABLES: usize = 30;

/// A polynomial of several variables of which a sum over all corners is proven. Its degree in each is [`MAX_DEGREE`] at
/// most.
pub trait Polynomial<E> {
    /// Why it cannot be summed or bound: a device fails, or memory is missing.
    type Error;

    /// The variables that are not fixed yet.
    fn variables(&self) -> usize;

    /// The sum over all corners of all variables but the first, as a polynomial in the first, zeros at the end dropped.
    /// It is only asked of a polynomial with variables. `claim` is the sum of its values at 0 and 1.
    fn sum(&mut self, claim: E) -> Result<Univariate<E>, Self::Error>;

    /// The sums of several polynomials with their claims, in their order: those of one round, which a device may find
    /// together.
    fn sums(polynomials: &mut [(&mut Self, E)]) -> Result<Vec<Univariate<E>>, Self::Error>
    where
        Self: Sized,
        E: Copy,
    {
        polynomials.iter_mut().map(|(polynomial, claim)| polynomial.sum(*claim)).collect()
    }

    /// Fixes the first variable.
    fn bind(&mut self, challenge: E) -> Result<(), Self::Error>;
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError<X> {
    /// A polynomial cannot be summed or bound.
    #[error("{0}")]
    Polynomial(X),
    /// There is nothing to prove.
    #[error("there is no polynomial: a sum-check takes one at least")]
    Empty,
    /// The numbers of polynomials and claims differ.
    #[error("{polynomials} polynomials have {claims} claimed sums: give one for each")]
    Claims {
        /// Polynomials.
        polynomials: usize,
        /// Claims.
        claims: usize,
    },
    /// A polynomial has too many variables.
    #[error("a polynomial has {0} variables, {MAX_VARIABLES} are the most")]
    Variables(usize),
    /// A claim is not the sum.
    #[error("polynomial {polynomial} does not sum to its claim, which shows in round {round}")]
    Claim {
        /// The number of the polynomial.
        polynomial: usize,
        /// The round.
        round: usize,
    },
    /// A round polynomial has too high a degree.
    #[error("polynomial {polynomial} has a degree above {MAX_DEGREE} in the variable of round {round}")]
    Degree {
        /// The number of the polynomial.
        polynomial: usize,
        /// The round.
        round: usize,
    },
    /// A polynomial is something else at the point than its rounds end with.
    #[error("polynomial {polynomial} has another value at the point of the sum-check than its rounds end with")]
    End {
        /// The number of the polynomial.
        polynomial: usize,
    },
}

/// Why a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A wrong number of rounds.
    #[error("the sum-check has {found} rounds, its polynomial has {expected} variables")]
    Rounds {
        /// Variables.
        expected: usize,
        /// Rounds.
        found: usize,
    },
    /// A round polynomial has too many coefficients.
    #[error("round {round} of the sum-check has {found} coefficients, {} are the most", MAX_DEGREE + 1)]
    Degree {
        /// The round.
        round: usize,
        /// Its coefficients.
        found: usize,
    },
    /// A round polynomial does not sum to what was claimed before.
    #[error("round {round} of the sum-check does not sum to the claim before it")]
    Sum {
        /// The round.
        round: usize,
    },
}

/// A sum-check that was proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumcheckProof<E> {
    /// The proof: a polynomial for each round.
    pub rounds: Vec<Univariate<E>>,
    /// The challenges: the point at which the polynomials are left.
    pub point: Vec<E>,
    /// The values of the polynomials there, as the rounds say them. One of `k` variables less is at the last
    /// coordinates of the point, with the weight 1.
    pub values: Vec<E>,
}

/// Proves sums of polynomials in one sum-check of `p_0 + alpha p_1 + alpha^2 p_2 + ...`. One that has fewer variables
/// than others waits for its own: it takes the last rounds. At the end all variables of all polynomials are fixed.
///
/// # Errors
/// [`ProveError`]; what was mixed stays mixed.
pub fn prove<E: Field, P: Polynomial<E>>(
    claims: &[E],
    polynomials: &mut [P],
    alpha: E,
    channel: &mut dyn Channel<E>,
) -> Result<SumcheckProof<E>, ProveError<P::Error>> {
    let variables = polynomials.iter().map(Polynomial::variables).max().ok_or(ProveError::Empty)?;
    if claims.len() != polynomials.len() {
        return Err(ProveError::Claims { polynomials: polynomials.len(), claims: claims.len() });
    }
    if variables > MAX_VARIABLES {
        return Err(ProveError::Variables(variables));
    }
    // The sum over the corners of variables that it does not have counts it as often as there are such corners.
    let unused = |polynomial: &P| variables - polynomial.variables();
    let mut values: Vec<E> =
        claims.iter().zip(&*polynomials).map(|(claim, polynomial)| times_two_to(*claim, unused(polynomial))).collect();
    let half = E::ONE.double().inverse_or_zero();
    let (mut rounds, mut point) = (Vec::with_capacity(variables), Vec::with_capacity(variables));
    for round in 0..variables {
        let left = variables - round;
        let begun = polynomials.iter_mut().zip(&values).filter(|(polynomial, _)| polynomial.variables() == left);
        let mut begun: Vec<(&mut P, E)> = begun.map(|(polynomial, claim)| (polynomial, *claim)).collect();
        let mut found = P::sums(&mut begun).map_err(ProveError::Polynomial)?.into_iter();
        let mut sums = Vec::with_capacity(polynomials.len());
        for (index, (polynomial, claim)) in polynomials.iter().zip(&values).enumerate() {
            let own = if polynomial.variables() == left { found.next() } else { None };
            let sum = own.unwrap_or_else(|| Univariate::trimmed(alloc::vec![*claim * half]));
            if sum.sum() != *claim {
                return Err(ProveError::Claim { polynomial: index, round });
            }
            if sum.len() > MAX_DEGREE + 1 {
                return Err(ProveError::Degree { polynomial: index, round });
            }
            sums.push(sum);
        }
        let message = Univariate::combine(&sums, alpha);
        channel.mix(&message);
        let challenge = channel.draw();
        values = sums.iter().map(|sum| sum.evaluate(challenge)).collect();
        for polynomial in polynomials.iter_mut().filter(|polynomial| polynomial.variables() == left) {
            polynomial.bind(challenge).map_err(ProveError::Polynomial)?;
        }
        rounds.push(message);
        point.push(challenge);
    }
    Ok(SumcheckProof { rounds, point, values })
}

/// Checks the rounds of a sum-check of a polynomial with so many variables. What is left to the caller is that the
/// polynomial has the returned value at the returned point.
///
/// # Errors
/// [`VerifyError`].
pub fn verify<E: Field>(
    claim: E,
    variables: usize,
    rounds: &[Univariate<E>],
    channel: &mut dyn Channel<E>,
) -> Result<(Vec<E>, E), VerifyError> {
    if rounds.len() != variables {
        return Err(VerifyError::Rounds { expected: variables, found: rounds.len() });
    }
    let (mut point, mut value) = (Vec::with_capacity(variables), claim);
    for (round, polynomial) in rounds.iter().enumerate() {
        if polynomial.len() > MAX_DEGREE + 1 {
            return Err(VerifyError::Degree { round, found: polynomial.len() });
        }
        if polynomial.sum() != value {
            return Err(VerifyError::Sum { round });
        }
        channel.mix(polynomial);
        let challenge = channel.draw();
        value = polynomial.evaluate(challenge);
        point.push(challenge);
    }
    Ok((point, value))
}

/// `2^exponent value`.
pub(crate) fn times_two_to<E: Field>(value: E, exponent: usize) -> E {
    (0..exponent).fold(value, |value, _| value.double())
}
