//! Rounding of floating-point vectors to proportional integer vectors.
//!
//! Vertices of the linear programs of this crate are ratios of small determinants. Each number is
//! replaced by the first convergent of its continued fraction within the tolerance, and all are
//! multiplied by the common denominator. The caller checks the result exactly.

/// Relative tolerance within which a convergent replaces the number.
const NEAR: f64 = 1e-8;
/// Largest denominator of a single number; larger ones are treated as noise.
const MOST_DENOMINATOR: i128 = 10_000;
/// Largest common denominator that keeps exact sums within 128 bits.
const MOST_COMMON: i128 = 1_000_000_000_000;

/// Integers proportional to `values`, without a common divisor; `None` if no small ones are found.
pub(crate) fn proportional(values: &[f64]) -> Option<Vec<i128>> {
    let ratios: Vec<(i128, i128)> = values.iter().map(|v| ratio(*v)).collect::<Option<_>>()?;
    let mut common = 1i128;
    for (_, q) in &ratios {
        common = common / gcd(common, *q) * q;
        if common > MOST_COMMON {
            return None;
        }
    }
    let mut scaled = Vec::with_capacity(ratios.len());
    for (p, q) in ratios {
        scaled.push(p.checked_mul(common / q)?);
    }
    let divisor = scaled.iter().fold(0, |d, n| gcd(d, *n));
    if divisor > 1 {
        scaled.iter_mut().for_each(|n| *n /= divisor);
    }
    Some(scaled)
}

/// The simplest fraction `p/q` within the tolerance of `value`.
fn ratio(value: f64) -> Option<(i128, i128)> {
    if !value.is_finite() || value.abs() > 1e15 {
        return None;
    }
    let tolerance = NEAR * value.abs().max(1.0);
    let (mut p, mut q) = ((1i128, 0i128), (0i128, 1i128));
    let mut rest = value;
    loop {
        let whole = rest.floor();
        let next = |(new, old): (i128, i128)| {
            Some(((whole as i128).checked_mul(new)?.checked_add(old)?, new))
        };
        (p, q) = (next(p)?, next(q)?);
        if q.0 > MOST_DENOMINATOR {
            return None;
        }
        if (value - p.0 as f64 / q.0 as f64).abs() <= tolerance {
            return Some((p.0, q.0));
        }
        rest = 1.0 / (rest - whole);
        if !rest.is_finite() || rest > 1e15 {
            return None;
        }
    }
}

/// The non-negative greatest common divisor.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_recognised() {
        let third = 1.0 / 3.0 + 3e-9;
        assert_eq!(
            proportional(&[third, 1.0, 0.0, 0.5]),
            Some(vec![2, 6, 0, 3])
        );
        assert_eq!(proportional(&[-0.2, 1e-12, 0.4]), Some(vec![-1, 0, 2]));
        assert_eq!(proportional(&[4.0, 6.0]), Some(vec![2, 3]));
        assert_eq!(proportional(&[]), Some(vec![]));
    }

    #[test]
    fn noise_is_not_a_ratio() {
        assert_eq!(proportional(&[f64::NAN]), None);
        assert_eq!(proportional(&[f64::INFINITY]), None);
        assert_eq!(proportional(&[std::f64::consts::PI / 10.0]), None);
    }
}
