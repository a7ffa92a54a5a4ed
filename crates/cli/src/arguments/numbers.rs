//! Numbers in forms of other programs: their form here.

/// Powers of two that letters stand for.
const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// The number that was meant by a text that is none: `2**20`, `1<<20`, `1,000`, `64k`, `1GiB`, `1e6`.
pub(crate) fn meant_number(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 40 {
        return None;
    }
    let power = |parts: Option<(&str, &str)>| {
        let (base, exponent) = parts?;
        let exponent: u32 = exponent.trim().parse().ok()?;
        base.trim().parse::<u64>().ok().map(|base| (base, exponent))
    };
    if let Some((2, exponent @ 0..=63)) = power(text.split_once("**").or_else(|| text.split_once('^'))) {
        return Some(format!("2^{exponent}"));
    }
    if let Some((base, exponent @ 0..=63)) = power(text.split_once("<<")) {
        return base.checked_mul(1 << exponent).map(written);
    }
    if let Some((base, exponent)) = power(text.split_once(['e', 'E'])) {
        return 10u64.checked_pow(exponent).and_then(|power| base.checked_mul(power)).map(written);
    }
    let plain = text.replace([',', '\'', ' ', '_', '.'], "");
    // A point may be a fraction: `1.5` is no number of rows.
    let is_grouped = text.split([',', '\'', ' ', '_', '.']).skip(1).all(|group| group.len() == 3);
    if let (Ok(number), true) = (plain.parse::<u64>(), is_grouped) {
        return Some(number.to_string());
    }
    let letters = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number: u64 = text[..text.len() - letters.len()].parse().ok()?;
    let unit = letters.trim().to_ascii_lowercase();
    let (_, log) = UNITS.iter().find(|(letter, _)| unit.starts_with(*letter))?;
    matches!(&unit[1..], "" | "b" | "i" | "ib").then(|| number.checked_mul(1 << log).map(written))?
}

/// As a power of two, if it is one that is long to write.
fn written(number: u64) -> String {
    if number.is_power_of_two() && number >= 1 << 10 { format!("2^{}", number.ilog2()) } else { number.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_in_other_forms() {
        for (text, number) in [
            ("2**20", "2^20"),
            ("2 ^ 20", "2^20"),
            ("1<<20", "2^20"),
            ("1,048,576", "1048576"),
            ("1'000", "1000"),
            ("64k", "2^16"),
            ("1GiB", "2^30"),
            ("3 MB", "3145728"),
            ("1e6", "1000000"),
        ] {
            assert_eq!(meant_number(text).as_deref(), Some(number), "{text}");
        }
        for text in ["", "many", "-1", "1.5", "2^64", "99e99", "1x", "k", "18446744073709551615k", &"1".repeat(99)] {
            assert_eq!(meant_number(text), None, "{text}");
        }
    }
}
