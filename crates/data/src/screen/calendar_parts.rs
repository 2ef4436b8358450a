//! Parts of the calendar that say the same each time they come round.
//!
//! Where times rise with the row, rows of one day are next to each other, and so are those of one storm, one batch or one clinic.
//! Labels come in clusters then, and a weekday of which there are six has another labeled share than the others by chance alone.
//! Folds that are drawn row by row do not show that: each has a part of every cluster. So a part is learned from only if it tells
//! the labeled share beyond what its own days differ. With the labeled share s of each stretch (a date, a month of a year, an hour
//! of a date) and the means m of stretches that have the part in common, weighted by rows w, it is the analysis of variance
//!
//! F = [Σ w (m − mean)² / (parts − 1)] / [Σ w (s − m)² / (stretches − parts)],
//!
//! at a level of 1 % by E. Paulson's approximation ("An approximate normalization of the analysis of variance distribution",
//! Annals of Mathematical Statistics 13, 1942).

use crate::Label;
use onesided_table::{DAY, Moment, TimeFeature};

/// What a standard normal number exceeds once in a hundred times.
pub(super) const ONCE_IN_A_HUNDRED: f64 = 2.326;

/// Rows of a stretch of time: its number, the part of the calendar that it has, its rows and the labeled ones.
struct Stretch {
    number: i64,
    part: usize,
    rows: f64,
    labeled: f64,
}

/// The parts of the calendar that do not tell labeled rows beyond what clusters of them would.
pub(super) fn unrepeated(seconds: &[f64], labels: &[Label]) -> Vec<TimeFeature> {
    let parts = [TimeFeature::Month, TimeFeature::Weekday, TimeFeature::Day, TimeFeature::Hour];
    parts.into_iter().filter(|part| !repeats(&stretches(part, seconds, labels))).collect()
}

/// The number of the stretch in which a time is, and the part that it has in common with others.
fn place(part: &TimeFeature, seconds: f64) -> (i64, usize) {
    let (moment, day) = (Moment::at(seconds), (seconds / DAY).floor() as i64);
    match part {
        TimeFeature::Month => (moment.year * 12 + i64::from(moment.month), moment.month as usize),
        TimeFeature::Weekday => (day, moment.weekday as usize),
        TimeFeature::Hour => (day * 24 + moment.hour as i64, moment.hour as usize),
        _ => (day, moment.day as usize),
    }
}

fn stretches(part: &TimeFeature, seconds: &[f64], labels: &[Label]) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    let known =
        seconds.iter().zip(labels).filter(|(time, label)| !time.is_nan() && **label != Label::Negative);
    for (&time, label) in known {
        let labeled = f64::from(u8::from(*label == Label::Positive));
        let (number, part) = place(part, time);
        match all.last_mut().filter(|last| last.number == number) {
            Some(last) => (last.rows, last.labeled) = (last.rows + 1.0, last.labeled + labeled),
            None => all.push(Stretch { number, part, rows: 1.0, labeled }),
        }
    }
    // Rows of each kind may have their own order.
    all.sort_by_key(|stretch| stretch.number);
    all.dedup_by(|next, kept| {
        let same = next.number == kept.number;
        if same {
            (kept.rows, kept.labeled) = (kept.rows + next.rows, kept.labeled + next.labeled);
        }
        same
    });
    all
}

fn repeats(stretches: &[Stretch]) -> bool {
    let most = stretches.iter().map(|stretch| stretch.part + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); most];
    for stretch in stretches {
        let (rows, labeled) = &mut sums[stretch.part];
        (*rows, *labeled) = (*rows + stretch.rows, *labeled + stretch.labeled);
    }
    let all = sums.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let parts = sums.iter().filter(|(rows, _)| *rows > 0.0).count();
    if parts < 2 || stretches.len() <= parts {
        return false;
    }
    let square = |rows: f64, share: f64, mean: f64| rows * (share - mean) * (share - mean);
    let of_parts = sums.iter().filter(|(rows, _)| *rows > 0.0);
    let between: f64 = of_parts.map(|(rows, labeled)| square(*rows, labeled / rows, all.1 / all.0)).sum();
    let within = stretches.iter().map(|stretch| {
        let (rows, labeled) = sums[stretch.part];
        square(stretch.rows, stretch.labeled / stretch.rows, labeled / rows)
    });
    let (of, over) = ((parts - 1) as f64, (stretches.len() - parts) as f64);
    let within: f64 = within.sum::<f64>() / over;
    between > 0.0 && normal_of_f(between / of / within, of, over) > ONCE_IN_A_HUNDRED
}

/// Paulson's approximation: a ratio of mean squares as a standard normal number.
fn normal_of_f(ratio: f64, of: f64, over: f64) -> f64 {
    if ratio.is_infinite() {
        return f64::INFINITY;
    }
    let (a, b, root) = (2.0 / (9.0 * of), 2.0 / (9.0 * over), ratio.cbrt());
    ((1.0 - b) * root - (1.0 - a)) / (b * root * root + a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Positive as P, Unlabeled as U};

    #[test]
    fn ratios_as_normal_numbers() {
        // F of 6 and 41 degrees of freedom exceeds 3.27 once in a hundred times, and 2.33 once in twenty (tables of F).
        assert!((normal_of_f(3.27, 6.0, 41.0) - 2.33).abs() < 0.02);
        assert!((normal_of_f(2.33, 6.0, 41.0) - 1.645).abs() < 0.02);
        assert_eq!(normal_of_f(f64::INFINITY, 6.0, 41.0), f64::INFINITY);
    }

    /// Seven weeks, 40 rows a day and half an hour apart, of which this many are labeled.
    fn weeks(labeled: impl Fn(usize) -> usize) -> (Vec<f64>, Vec<Label>) {
        let rows = (0..49).flat_map(|day| (0..40).map(move |row| (day, row)));
        let seconds = rows.clone().map(|(day, row)| day as f64 * DAY + row as f64 * 1800.0).collect();
        (seconds, rows.map(|(day, row)| if row < labeled(day) { P } else { U }).collect())
    }

    #[test]
    fn what_comes_again_with_the_weekday_is_kept() {
        let (seconds, labels) = weeks(|day| if day % 7 < 2 { 20 } else { 5 + day % 3 });
        let idle = unrepeated(&seconds, &labels);
        assert!(!idle.contains(&TimeFeature::Weekday), "{idle:?}");
        // Labeled rows are the first of a day.
        assert!(!idle.contains(&TimeFeature::Hour), "{idle:?}");
        assert!(idle.contains(&TimeFeature::Month) && idle.contains(&TimeFeature::Day), "{idle:?}");
    }

    #[test]
    fn what_came_once_is_not() {
        // Two storms: the three days that hold most labels are the same weekdays only once.
        let (seconds, labels) = weeks(|day| if matches!(day, 8 | 9 | 31) { 38 } else { 4 });
        assert!(unrepeated(&seconds, &labels).contains(&TimeFeature::Weekday));
    }
}
