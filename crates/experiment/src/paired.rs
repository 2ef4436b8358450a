//! Two methods on the same splits: the difference seed by seed, which says more than two deviations side by side.

use crate::table::{Cell, mean_and_deviation};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// By how much one cell is above another, over the seeds that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The name of the other cell.
    pub name: String,
    /// Seeds that both have.
    pub runs: usize,
    /// The mean difference, in points; NaN where there is none.
    pub mean: f64,
    /// Its standard error; 0 for one seed.
    pub error: f64,
    /// The probability of as large a difference between equal methods (Student's t, two-sided); none for one seed.
    pub p: Option<f64>,
}

impl Difference {
    pub(crate) fn of(one: &Cell, other: &Cell) -> Self {
        let seed = |&(seed, a): &(u64, f64)| {
            other.values.iter().find(|&&(of_other, _)| of_other == seed).map(|&(_, b)| a - b)
        };
        let differences: Vec<f64> = one.values.iter().filter_map(seed).collect();
        let runs = differences.len();
        let (mean, deviation) = mean_and_deviation(differences.into_iter());
        let error = deviation / (runs as f64).sqrt();
        let p = (runs > 1).then(|| if mean == 0.0 { 1.0 } else { two_sided(mean / error, runs - 1) });
        Self { name: other.name.clone(), runs, mean, error: if runs > 1 { error } else { 0.0 }, p }
    }

    fn shown(&self, seeds: usize) -> String {
        if self.runs == 0 {
            return String::new();
        }
        let mark = if self.p.is_some_and(|p| p < 0.05) { "**" } else { "" };
        let spread = if self.runs > 1 { format!(" ± {:.2}", self.error) } else { String::new() };
        let mut text = format!("{mark}{:+.2}{spread}{mark}", self.mean);
        if self.runs < seeds {
            text.push_str(&format!(" [{} of {seeds}]", self.runs));
        }
        text
    }
}

/// One method of a table against each of the others.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub(crate) title: String,
    pub(crate) seeds: usize,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, f64, Vec<Difference>)>,
}

impl Comparison {
    /// Every difference.
    pub fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.rows.iter().flat_map(|(_, _, differences)| differences)
    }

    /// A Markdown table of mean difference ± standard error; bold where p is below 0.05.
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n| data | hidden |", self.title);
        self.columns.iter().for_each(|title| text.push_str(&format!(" {title} |")));
        text.push_str(&format!("\n|---|---|{}\n", "---|".repeat(self.columns.len())));
        let mut last = "";
        for (data, hidden, differences) in &self.rows {
            let named = if data == last { "" } else { data };
            last = data;
            text.push_str(&format!("| {named} | {hidden} |"));
            differences.iter().for_each(|one| text.push_str(&format!(" {} |", one.shown(self.seeds))));
            text.push('\n');
        }
        text
    }

    /// A line a difference.
    pub fn csv(&self) -> String {
        let mut text = String::from("against,runs,difference,error,p\n");
        for one in self.differences() {
            let numbers = match one.runs {
                0 => ",".to_string(),
                _ => format!("{:.4},{:.4}", one.mean, one.error),
            };
            let p = one.p.map(|p| format!("{p:.4}")).unwrap_or_default();
            text.push_str(&format!("{},{},{numbers},{p}\n", one.name, one.runs));
        }
        text
    }

    /// An object a difference.
    pub fn json(&self) -> Value {
        let one = |one: &Difference| {
            json!({
                "against": one.name,
                "runs": one.runs,
                "difference": (one.runs > 0).then_some(one.mean),
                "error": (one.runs > 1).then_some(one.error),
                "p": one.p,
            })
        };
        json!({ "title": self.title, "seeds": self.seeds, "differences": self.differences().map(one).collect::<Vec<_>>() })
    }
}

/// The probability that |t| is as large under Student's t distribution, by its finite series for whole degrees of freedom
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn two_sided(t: f64, freedom: usize) -> f64 {
    let angle = (t.abs() / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // cos^odd: 1, 2/3, 2·4/(3·5), …; cos^even: 1, 1/2, 1·3/(2·4), …
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = (if odd { cosine } else { 1.0 }, 0.0);
    for k in 1..=freedom / 2 {
        sum += term;
        let (above, below) = if odd { (2 * k, 2 * k + 1) } else { (2 * k - 1, 2 * k) };
        term *= above as f64 / below as f64 * cosine * cosine;
    }
    let inside = if odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum };
    (1.0 - inside).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `2 * scipy.stats.t.sf(abs(t), freedom)`.
    #[test]
    fn probabilities_agree_with_an_independent_program() {
        let golden = [
            (1.0, 1, 0.500000000000),
            (2.776445, 4, 0.050000005382),
            (2.5, 4, 0.066766544812),
            (0.3, 2, 0.792485660840),
            (3.1, 3, 0.053295544614),
            (-2.0, 9, 0.076552823771),
            (1.2, 10, 0.257796300724),
            (12.0, 5, 0.000070894925),
        ];
        for (t, freedom, p) in golden {
            assert!((two_sided(t, freedom) - p).abs() < 1e-9, "{t} {freedom}: {} {p}", two_sided(t, freedom));
        }
    }

    fn cell(values: &[(u64, f64)]) -> Cell {
        Cell { name: "a/0.2/b".into(), values: values.to_vec(), ..Cell::default() }
    }

    #[test]
    fn differences_are_of_the_seeds_that_both_have() {
        let one = cell(&[(0, 91.0), (1, 92.0), (2, 96.0), (5, 99.0)]);
        let difference = Difference::of(&one, &cell(&[(2, 93.0), (1, 90.0), (0, 90.0), (7, 10.0)]));
        // 1, 2 and 3: deviation 1, error 1/√3, t = 2√3 at 2 degrees of freedom.
        assert_eq!((difference.runs, difference.mean), (3, 2.0));
        assert!((difference.error - 1.0 / 3f64.sqrt()).abs() < 1e-12);
        assert!((difference.p.unwrap() - 0.074_179_900_227_448_5).abs() < 1e-9, "{difference:?}");
        assert_eq!(difference.shown(3), "+2.00 ± 0.58");
        assert_eq!(difference.shown(5), "+2.00 ± 0.58 [3 of 5]");
    }

    #[test]
    fn one_seed_none_and_equal_seeds_say_no_more_than_they_can() {
        let one = cell(&[(0, 91.0), (1, 92.0)]);
        let single = Difference::of(&one, &cell(&[(1, 93.0)]));
        assert_eq!((single.p, single.error, single.shown(2)), (None, 0.0, "-1.00 [1 of 2]".into()));
        assert_eq!(Difference::of(&one, &cell(&[])).shown(2), "");
        assert_eq!(Difference::of(&one, &one).p, Some(1.0));
        let sure = Difference::of(&one, &cell(&[(0, 90.0), (1, 91.0)]));
        assert_eq!((sure.p, sure.shown(2)), (Some(0.0), "**+1.00 ± 0.00**".into()));
    }
}
