//! One method against the others, seed by seed: this says more than two deviations side by side.

use crate::table::{Cell, Row, markdown, mean_and_deviation, with_spread};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// By how much one cell is above another, over the seeds that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Seeds that both have.
    pub runs: usize,
    /// The mean difference, in points; NaN where there is none.
    pub mean: f64,
    /// Its standard error; NaN for fewer than two seeds.
    pub error: f64,
    /// The probability of as large a difference between equal methods (Student's t, two-sided); none for fewer than two.
    pub p: Option<f64>,
}

impl Difference {
    pub(crate) fn of(one: &Cell, other: &Cell) -> Self {
        let of_seed = |&(seed, a): &(u64, f64)| {
            other.values.iter().find(|&&(of_other, _)| of_other == seed).map(|&(_, b)| a - b)
        };
        let differences: Vec<f64> = one.values.iter().filter_map(of_seed).collect();
        let runs = differences.len();
        let (mean, deviation) = mean_and_deviation(differences.into_iter());
        let error = deviation / (runs as f64).sqrt();
        let p = (runs > 1).then(|| if mean == 0.0 { 1.0 } else { two_sided(mean / error, runs - 1) });
        Self { runs, mean, error, p }
    }

    fn shown(&self, seeds: usize) -> String {
        if self.runs == 0 {
            return String::new();
        }
        // No "-0.00".
        let mean = if self.mean.abs() < 0.005 { 0.0 } else { self.mean };
        let bold = self.p.is_some_and(|p| p < 0.05);
        with_spread(&format!("{mean:+.2}"), self.error, bold, self.runs, seeds)
    }
}

/// One method of a table against each of the others.
#[derive(Clone, Debug)]
pub struct MethodComparison {
    pub(crate) title: String,
    pub(crate) seeds: usize,
    /// The method from which the others are taken.
    pub(crate) method: String,
    /// Names and titles of the others.
    pub(crate) others: Vec<(String, String)>,
    pub(crate) rows: Vec<Row<Difference>>,
}

impl MethodComparison {
    /// A Markdown table of mean difference ± standard error; bold where p is below 0.05.
    pub fn markdown(&self) -> String {
        let titles = self.others.iter().map(|(_, title)| title.as_str());
        markdown(&self.title, titles, &self.rows, |row| {
            row.cells.iter().map(|one| one.shown(self.seeds)).collect()
        })
    }

    /// One line per difference.
    pub fn csv(&self) -> String {
        let number = |x: f64| if x.is_finite() { format!("{x:.4}") } else { String::new() };
        let key = self.rows.first().map_or("hidden", |row| row.labeled.key());
        let mut text = format!("data,{key},method,other,runs,difference,error,p\n");
        for (row, other, one) in self.differences() {
            text.push_str(&format!(
                "{},{},{},{other},{},{},{},{}\n",
                row.data,
                row.labeled,
                self.method,
                one.runs,
                number(one.mean),
                number(one.error),
                one.p.map(|p| format!("{p:.6}")).unwrap_or_default()
            ));
        }
        text
    }

    /// An object a difference.
    pub fn json(&self) -> Value {
        let one = |(row, other, one): (&Row<Difference>, &str, &Difference)| {
            json!({
                "data": row.data,
                (row.labeled.key()): row.labeled,
                "method": self.method,
                "other": other,
                "runs": one.runs,
                "difference": (one.runs > 0).then_some(one.mean),
                "error": (one.runs > 1).then_some(one.error),
                "p": one.p,
            })
        };
        let differences: Vec<Value> = self.differences().map(one).collect();
        json!({ "title": self.title, "seeds": self.seeds, "differences": differences })
    }

    fn differences(&self) -> impl Iterator<Item = (&Row<Difference>, &str, &Difference)> {
        self.rows.iter().flat_map(|row| {
            self.others.iter().zip(&row.cells).map(move |((name, _), one)| (row, name.as_str(), one))
        })
    }
}

/// The probability that |t| is as large under Student's t distribution, by its finite series for whole degrees of freedom
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn two_sided(t: f64, freedom: usize) -> f64 {
    let angle = (t.abs() / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // Odd degrees: cos + 2/3 cos³ + 2·4/(3·5) cos⁵ + …; even ones: 1 + 1/2 cos² + 1·3/(2·4) cos⁴ + …
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
    use crate::spec::Labeled;

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
        Cell { values: values.to_vec(), ..Cell::default() }
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
        assert_eq!((single.p, single.shown(2)), (None, "-1.00 [1 of 2]".into()));
        assert_eq!(Difference::of(&one, &cell(&[])).shown(2), "");
        assert_eq!(Difference::of(&one, &one).p, Some(1.0));
        let sure = Difference::of(&one, &cell(&[(0, 90.0), (1, 91.0)]));
        assert_eq!((sure.p, sure.shown(2)), (Some(0.0), "**+1.00 ± 0.00**".into()));
        let tiny = Difference::of(&one, &cell(&[(0, 91.502), (1, 91.502)]));
        assert_eq!(tiny.shown(2), "+0.00 ± 0.50");
    }

    #[test]
    fn what_is_not_there_is_empty_in_every_form() {
        let one = cell(&[(0, 91.0), (1, 92.0)]);
        let differences = [vec![(0, 90.0), (1, 90.0)], vec![(1, 90.0)], vec![]];
        let comparison = MethodComparison {
            title: "t".into(),
            seeds: 2,
            method: "a".into(),
            others: ["b", "c", "d"].map(|name| (name.into(), name.to_uppercase())).into(),
            rows: vec![Row {
                data: "set".into(),
                title: "Set".into(),
                labeled: Labeled::AllBut(0.2),
                cells: differences.map(|values| Difference::of(&one, &cell(&values))).into(),
            }],
        };
        assert_eq!(
            comparison.markdown(),
            "### t\n\n| data | hidden | B | C | D |\n|---|---|---|---|---|\n| Set | 0.2 | +1.50 ± 0.50 | +2.00 [1 of 2] |  |\n"
        );
        assert_eq!(
            comparison.csv(),
            "data,hidden,method,other,runs,difference,error,p\n\
             set,0.2,a,b,2,1.5000,0.5000,0.204833\nset,0.2,a,c,1,2.0000,,\nset,0.2,a,d,0,,,\n"
        );
        let json = comparison.json();
        assert_eq!(
            (&json["differences"][0]["other"], &json["differences"][0]["runs"]),
            (&"b".into(), &2.into())
        );
        assert_eq!(
            (&json["differences"][1]["error"], &json["differences"][2]["difference"]),
            (&Value::Null, &Value::Null)
        );
    }
}
