//! Weights for values outside the domain.

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{Basis, CosetDomain, EvalOrder, Result};

use super::kernels::Call;
use super::points::PointPolynomials;
use super::twiddles::twiddles;
use super::units;
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::eval_at::WEIGHT_ROWS;
use crate::params::Params;
use crate::pool::Block;

/// For coefficients, `z^i` in the sum `c_i z^i`; for values on `s<w>` of order n, the weights of the barycentric form
/// `(z^n - s^n)/(n s^n) * sum f(x) x/(z - x)`, and its factor.
pub(super) fn weights<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    weights: &Block<D::Memory>,
    from: &Basis<CosetDomain<Goldilocks>>,
    log_count: u32,
    point: &E,
) -> Result<E> {
    let count = 1u64 << log_count;
    let threads = count.div_ceil(WEIGHT_ROWS);
    let defines = call.degree();
    let entry = |name| Entry { unit: &units::EVAL_AT, name, defines: &defines };
    match from {
        Basis::Coefficients => {
            let params = Params::new().ext(point).ext(&point.pow(threads)).u64(count).u64(threads);
            call.launch_items(entry("weights_of_coefficients"), threads, 1, &[whole(weights)], params)?;
            Ok(E::ONE)
        }
        Basis::Evaluations { domain, order } => {
            let twiddles = twiddles(call)?;
            let PointPolynomials { norm, adjugate, .. } = PointPolynomials::new(*point);
            let params = norm.iter().fold(Params::new(), |params, coefficient| params.base(*coefficient));
            let params = adjugate.iter().fold(params, Params::ext);
            let natural = *order == EvalOrder::Row;
            let params = params.base(domain.shift).u64(count).u64(threads).u32(log_count).u32(natural.into());
            let buffers = [whole(weights), whole(&twiddles.forward)];
            call.launch_items(entry("weights_of_values"), threads, 1, &buffers, params)?;
            let size = Goldilocks::new(count);
            let shift = domain.shift.pow_two_to(log_count);
            // Neither a power of two nor a power of a valid shift is zero.
            Ok((point.pow_two_to(log_count) - shift) * (size * shift).inverse_or_zero())
        }
    }
}
