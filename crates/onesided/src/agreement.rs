//! How far people who answered the same rows agree.
//!
//! Two people: J. Cohen's κ (Educational and Psychological Measurement 20, 1960), the share of rows on which they agree beyond what they
//! would by chance, if each said yes as often as they did. More: J. L. Fleiss' κ (Psychological Bulletin 76, 1971) over all pairs of
//! answers to a row, where rows may have different numbers of answers. 1 is full agreement, 0 no more than by chance. Where chance alone
//! makes everybody agree, since all answers are the same, κ is not defined.

use serde::Serialize;
use std::collections::BTreeMap;

/// Rows that are named.
const NAMED: usize = 12;

/// How far several files agree on rows that more than one of them answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// How many files have such rows.
    pub files: usize,
    /// Rows with more than one answer.
    pub rows: usize,
    /// Those on which answers differ, by their number in the table, from 1.
    pub differ: Vec<usize>,
    /// κ, where it is defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kappa: Option<f64>,
}

impl Agreement {
    /// From each file's answers by row; `None` where no row is answered twice.
    pub(crate) fn of(files: &[BTreeMap<usize, bool>]) -> Option<Self> {
        let mut rows: BTreeMap<usize, Vec<(usize, bool)>> = BTreeMap::new();
        for (file, answers) in files.iter().enumerate() {
            answers.iter().for_each(|(&row, &yes)| rows.entry(row).or_default().push((file, yes)));
        }
        rows.retain(|_, answers| answers.len() > 1);
        let mut met: Vec<usize> = rows.values().flatten().map(|(file, _)| *file).collect();
        met.sort_unstable();
        met.dedup();
        let differ = rows.iter().filter(|(_, answers)| answers.iter().any(|one| one.1 != answers[0].1));
        let differ = differ.map(|(row, _)| *row).collect();
        let kappa = match met.as_slice() {
            [] => return None,
            [first, second] => cohen(&rows, *first, *second),
            _ => fleiss(&rows),
        };
        Some(Self { files: met.len(), rows: rows.len(), differ, kappa })
    }

    /// `of 40 rows that both answered 3 differ (rows 7, 12 and 90; Cohen's kappa 0.71)`.
    pub(crate) fn in_words(&self) -> String {
        let named: Vec<String> = self.differ.iter().take(NAMED).map(ToString::to_string).collect();
        let more = self.differ.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let whose = if self.files == 2 { "Cohen's" } else { "Fleiss'" };
        let kappa = self.kappa.map_or_else(String::new, |kappa| format!("; {whose} kappa {kappa:.2}"));
        format!(
            "of {} rows that several files answer {} differ ({} {}{more}{kappa})",
            self.rows,
            self.differ.len(),
            if self.differ.len() == 1 { "row" } else { "rows" },
            named.join(", ")
        )
    }
}

type Rows = BTreeMap<usize, Vec<(usize, bool)>>;

/// What agreement is beyond that of chance; `None` where chance agrees always.
fn beyond(observed: f64, chance: f64) -> Option<f64> {
    (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
}

fn cohen(rows: &Rows, first: usize, second: usize) -> Option<f64> {
    let n = rows.len() as f64;
    let share_yes = |file: usize| {
        let yes = rows.values().flatten().filter(|(of, yes)| *of == file && *yes).count();
        yes as f64 / n
    };
    let agree = rows.values().filter(|answers| answers[0].1 == answers[1].1).count() as f64 / n;
    let (a, b) = (share_yes(first), share_yes(second));
    beyond(agree, a * b + (1.0 - a) * (1.0 - b))
}

fn fleiss(rows: &Rows) -> Option<f64> {
    let (mut agree, mut yes, mut all) = (0.0, 0.0, 0.0);
    for answers in rows.values() {
        let n = answers.len() as f64;
        let of_row = answers.iter().filter(|(_, yes)| *yes).count() as f64;
        let pairs = |k: f64| k * (k - 1.0);
        agree += (pairs(of_row) + pairs(n - of_row)) / pairs(n);
        (yes, all) = (yes + of_row, all + n);
    }
    let share = yes / all;
    beyond(agree / rows.len() as f64, share * share + (1.0 - share) * (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(answers: &[(usize, bool)]) -> BTreeMap<usize, bool> {
        answers.iter().copied().collect()
    }

    #[test]
    fn two_people_by_hand() {
        // 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: .7 agree, chance .5 · .6 + .5 · .4 = .5, so κ = .4.
        let counts = [(20, true, true), (5, true, false), (10, false, true), (15, false, false)];
        let pairs: Vec<(bool, bool)> = counts.iter().flat_map(|&(n, a, b)| vec![(a, b); n]).collect();
        let one = pairs.iter().enumerate().map(|(row, pair)| (row + 1, pair.0)).collect();
        let mut other: BTreeMap<usize, bool> =
            pairs.iter().enumerate().map(|(row, pair)| (row + 1, pair.1)).collect();
        other.insert(900, true);
        let found = Agreement::of(&[one, other]).unwrap();
        assert_eq!((found.files, found.rows, found.differ.len()), (2, 50, 15));
        assert!((found.kappa.unwrap() - 0.4).abs() < 1e-12, "{found:?}");
        assert!(found.in_words().starts_with("of 50 rows that several files answer 15 differ (rows 21, 22,"));
        assert!(found.in_words().ends_with(" and 3 more; Cohen's kappa 0.40)"), "{}", found.in_words());
    }

    #[test]
    fn more_people_and_none() {
        // Rows 1 (yes, yes, no) and 2 (no, no, no): agreement (1/3 + 1) / 2, chance (1/3)² + (2/3)².
        let files =
            [file(&[(1, true), (2, false)]), file(&[(1, true), (2, false)]), file(&[(1, false), (2, false)])];
        let found = Agreement::of(&files).unwrap();
        let (agree, chance) = (2.0 / 3.0, 5.0 / 9.0);
        assert!((found.kappa.unwrap() - (agree - chance) / (1.0 - chance)).abs() < 1e-12);
        assert_eq!((found.files, found.differ.as_slice()), (3, &[1][..]));
        assert_eq!(Agreement::of(&[file(&[(1, true)]), file(&[(2, true)])]), None);
        let same = Agreement::of(&[file(&[(1, true)]), file(&[(1, true)])]).unwrap();
        assert_eq!((same.kappa, same.differ.len()), (None, 0));
    }
}
