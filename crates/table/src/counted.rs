//! Counts in sentences: digits in groups of three, and one row where there is one.

/// A number with commas between groups of three digits: `1,240`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `1,240 rows`: a count with its noun, of which the word for several is given.
pub fn counted(number: usize, several: &str) -> String {
    format!("{} {}", grouped(number), noun(number, several))
}

/// `1 of 651 pictures`.
pub fn part_of(number: usize, all: usize, several: &str) -> String {
    format!("{} of {} {several}", grouped(number), grouped(all))
}

/// The noun of a count: `row` for one of `rows`.
pub fn noun(number: usize, several: &str) -> &str {
    match (number, several) {
        (1, "strata") => "stratum",
        (1, several) => several.strip_suffix('s').unwrap_or(several),
        _ => several,
    }
}

/// The word that goes with a count: `is` or `are`, `was` or `were`.
pub fn agree<'w>(number: usize, one: &'w str, several: &'w str) -> &'w str {
    if number == 1 { one } else { several }
}

/// A share with as many digits as it deserves: three, and three that count where it is small.
pub fn shown_share(share: f64) -> String {
    let digits = match share {
        share if share > 0.0 && share < 0.1 => (2 - share.log10().floor() as i32).clamp(3, 12) as usize,
        _ => 3,
    };
    let shown = format!("{share:.digits$}");
    shown.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_people_write_them() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0, 1, 5_730].map(|n| counted(n, "unlabeled rows")),
            ["0 unlabeled rows", "1 unlabeled row", "5,730 unlabeled rows"]
        );
        assert_eq!(part_of(1, 651, "pictures"), "1 of 651 pictures");
        assert_eq!(
            (counted(1, "strata"), agree(1, "is", "are"), agree(0, "is", "are")),
            ("1 stratum".to_string(), "is", "are")
        );
    }
}
