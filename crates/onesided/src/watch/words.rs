//! What was found, in words: one verdict line, and a table.

use super::{
    Action, Moved, PromiseRests, Promises, Stands, Untold, WatchHistory, Watched, WatchedColumn, WatchedPart,
};
use onesided_data::{ColumnPart, Shift, counted, grouped};
use std::fmt;

/// Columns shown: those that moved, and after them the furthest off.
const SHOWN: usize = 8;

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Keep => "keep",
            Action::TooFew => "too few rows",
            Action::Look => "look",
            Action::Refit => "fit again",
            Action::CheckData => "check the data",
        })
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Moved::Share => "the share of positives",
            Moved::Scores => "scores",
            Moved::Decisions => "how many rows are called positive",
            Moved::LabeledScores => "which positives are labeled",
            Moved::LabeledShare => "how many of the positives are labeled",
            Moved::Columns => "columns",
        })
    }
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untold::Rows => f.write_str("fewer than 20 rows tell nothing"),
            Untold::NoColumns => f.write_str(
                "texts and pictures have no columns to compare: scores, decisions, the share and labels alone are",
            ),
            Untold::Columns { columns } => write!(
                f,
                "{} not compared: the model does not keep what training saw of such a column, or was written by an earlier version",
                match columns {
                    1 => "1 column is".to_string(),
                    many => format!("{} columns are", grouped(*many)),
                }
            ),
            Untold::Scores => f.write_str(
                "scores and the share are not compared: the model was written by an earlier version, and the file of its rows is not there \
                 or does not tell; fit again with this version",
            ),
            Untold::Met => f.write_str(
                "scores and the share are not compared: the model was fitted on these rows, and the file of its rows, which has scores by \
                 models that had not met them, is not there",
            ),
            Untold::Unexplained => f.write_str(
                "the share is not told: it follows from scores if positives and negatives look as before, and no share explains these scores",
            ),
            Untold::Share => f.write_str("the share is not told: labeled positives and other rows have nearly the same scores"),
            Untold::Labels { rows } => {
                write!(f, "labels are not compared: it takes 20 labeled rows, and there are {}", grouped(*rows))
            }
        }
    }
}

impl fmt::Display for PromiseRests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PromiseRests::Nothing => "the model makes none",
            PromiseRests::Fit => "the fit contradicts itself",
            PromiseRests::Columns => "columns hold something else",
            PromiseRests::Labels => "labeled positives have other scores",
            PromiseRests::Share => "the share moved",
            PromiseRests::Scores => "scores moved as no share explains",
            PromiseRests::Untold => "what it rests on is not told here",
        })
    }
}

/// What cells of a part have.
fn part(part: &ColumnPart) -> String {
    match part {
        ColumnPart::Missing => "missing".to_string(),
        ColumnPart::Below { point } => format!("below {}", short(*point)),
        ColumnPart::UpTo { point } => format!("up to {}", short(*point)),
        ColumnPart::Above { point } => format!("above {}", short(*point)),
        ColumnPart::Level { level } => format!("'{level}'"),
        ColumnPart::NewLevel => "new categories".to_string(),
        ColumnPart::True => "true".to_string(),
        ColumnPart::LongBefore => "dates long before".to_string(),
        ColumnPart::LongAfter => "dates long after".to_string(),
    }
}

/// A number with four digits that count.
fn short(x: f64) -> String {
    if x == x.trunc() && x.abs() < 1e9 { format!("{x}") } else { format!("{:.*}", digits(x), x) }
}

/// Digits behind the point, so that four count.
fn digits(x: f64) -> usize {
    (3 - x.abs().max(1e-9).log10().floor() as i32).clamp(0, 9) as usize
}

/// A probability with as many digits as part it from 0 and from 1, up to six.
fn shown(p: f64) -> String {
    let least = p.min(1.0 - p).clamp(1e-6, 0.5);
    let digits = (-least.log10()).ceil().max(2.0) as usize;
    format!("{p:.digits$}")
}

/// `12.3 %`.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn of_column(column: &WatchedColumn) -> [String; 4] {
    let name = |what: &str| match what {
        "" => format!("column '{}'", column.column),
        what => format!("column '{}': {what}", column.column),
    };
    let verdict = match (&column.shift, column.moved) {
        (Some(Shift::Renamed { from, to, .. }), _) => format!("'{from}' may be '{to}' now"),
        (Some(_), _) => "holds something else".to_string(),
        (None, true) => "moved".to_string(),
        (None, false) => "same".to_string(),
    };
    match &column.most {
        Some(WatchedPart { part: most, before, now }) => {
            [name(&part(most)), percent(*before), percent(*now), verdict]
        }
        None => [name(""), String::new(), String::new(), verdict],
    }
}

fn same(moved: bool) -> String {
    if moved { "moved" } else { "same" }.to_string()
}

impl Watched {
    /// One line: what to do, and why.
    pub fn verdict(&self) -> String {
        let rows = counted(self.rows, "new rows");
        let names = |columns: Vec<&WatchedColumn>| {
            let first: Vec<String> =
                columns.iter().take(3).map(|column| format!("'{}'", column.column)).collect();
            let more = columns.len() - first.len();
            let noun = if columns.len() == 1 { "column" } else { "columns" };
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{noun} {}{more}", first.join(", "))
        };
        match self.action {
            Action::Keep => format!("keep the model: in {rows} nothing moved beyond chance"),
            Action::TooFew => format!("too few rows to tell: {rows}, and it takes 20"),
            Action::Look => {
                let moved: Vec<&WatchedColumn> = self.columns.iter().filter(|column| column.moved).collect();
                let they = if moved.len() == 1 { "it" } else { "they" };
                format!(
                    "look at {}: in {rows} {they} moved, but neither scores nor the share of positives did",
                    names(moved)
                )
            }
            Action::CheckData => {
                let shifted: Vec<&WatchedColumn> = self.shifted().collect();
                let hold = if shifted.len() == 1 { "holds" } else { "hold" };
                format!(
                    "check the data before you use the model: in {rows} {} {hold} something else than in training",
                    names(shifted)
                )
            }
            Action::Refit => {
                let moved = self.moved();
                let some: Vec<String> = moved
                    .iter()
                    .filter(|moved| **moved != Moved::Columns)
                    .map(|moved| match (moved, self.share.map(|share| share.share)) {
                        (Moved::Share, Some(share)) => match (share.before, share.now) {
                            (Some(before), Some(now)) => format!(
                                "the share of positives ({} in training, {} to {} here)",
                                percent(before),
                                percent(now.low),
                                percent(now.high)
                            ),
                            _ => moved.to_string(),
                        },
                        _ => moved.to_string(),
                    })
                    .collect();
                format!("fit again: in {rows} this moved: {}", some.join(", "))
            }
        }
    }

    /// A table: what, in training, here, and whether it moved; the first row names the columns.
    pub fn table(&self) -> Vec<[String; 4]> {
        let mut rows = vec![["", "training", "here", ""].map(str::to_string)];
        let mut columns: Vec<&WatchedColumn> = self.columns.iter().collect();
        columns.sort_by(|a, b| {
            let key = |column: &WatchedColumn| (column.shift.is_none(), !column.moved, column.p_value);
            key(a)
                .partial_cmp(&key(b))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then(b.distance.total_cmp(&a.distance))
        });
        rows.extend(columns.iter().take(SHOWN).map(|column| of_column(column)));
        if let Some(more) = columns.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let moved =
                columns[SHOWN..].iter().filter(|column| column.moved || column.shift.is_some()).count();
            let verdict = if moved > 0 { format!("{moved} moved") } else { same(false) };
            rows.push([counted(more, "more columns"), String::new(), String::new(), verdict]);
        }
        if let Some(scores) = &self.scores {
            let verdict = match (scores.moved, scores.explained_by_share) {
                (true, Some(true)) => "moved; another share explains it".to_string(),
                (true, Some(false)) => "moved; no share explains it".to_string(),
                (moved, _) => same(moved),
            };
            let shares = scores.scores.shares;
            let what = format!("rows with a probability up to {}", shown(scores.scores.at));
            rows.push([what, percent(shares.share_before()), percent(shares.share_now()), verdict]);
        }
        if let Some(decisions) = &self.decisions {
            let what = "rows called positive".to_string();
            rows.push([what, percent(decisions.before), percent(decisions.now), same(decisions.moved)]);
        }
        if let Some(watched) = &self.share {
            let (before, now) = (watched.share.before, watched.share.now);
            let interval =
                |value, low, high| format!("{} [{}, {}]", percent(value), percent(low), percent(high));
            rows.push(match (before, now) {
                (Some(before), Some(now)) => [
                    "share of positives".to_string(),
                    percent(before),
                    interval(now.value, now.low, now.high),
                    same(watched.moved),
                ],
                _ => {
                    let n = watched.share.negatives;
                    let here = format!("{:.2} [{:.2}, {:.2}]", n.value, n.low, n.high);
                    [
                        "negatives, for each one before".to_string(),
                        "1.00".to_string(),
                        here,
                        same(watched.moved),
                    ]
                }
            });
        }
        if let Some(labels) = &self.labels {
            let shares = labels.scores.scores.shares;
            let what = format!("labeled rows with a probability up to {}", shown(labels.scores.scores.at));
            rows.push([
                what,
                percent(shares.share_before()),
                percent(shares.share_now()),
                same(labels.scores.moved),
            ]);
            if let Some(labeled) = &labels.labeled {
                let what = "rows that are labeled, expected and found".to_string();
                rows.push([what, percent(labeled.before), percent(labeled.now), same(labeled.moved)]);
            }
        }
        for promise in &self.promises {
            let what = match promise.promise {
                Promises::Recall => "promise: a recall",
                Promises::Share => "promise: the share of positives",
                Promises::Probabilities => "promise: probabilities",
            };
            let stands = match promise.stands {
                Stands::Holds => "holds",
                Stands::Doubtful => "doubtful",
                Stands::Fails => "fails",
                Stands::NotMade => "not made",
            };
            let because = match promise.because {
                Some(why) if promise.stands != Stands::NotMade => format!("{stands}: {why}"),
                _ => stands.to_string(),
            };
            rows.push([what.to_string(), String::new(), String::new(), because]);
        }
        rows
    }
}

impl WatchHistory {
    /// A table of the runs; the first row names the columns.
    pub fn table(&self) -> Vec<[String; 6]> {
        let head = ["at", "rows of", "rows", "share of positives", "called positive", "verdict"];
        let mut rows = vec![head.map(str::to_string)];
        rows.extend(self.entries.iter().map(|entry| {
            let share = entry.share.map_or_else(String::new, |share| {
                format!("{} [{}, {}]", percent(share.value), percent(share.low), percent(share.high))
            });
            let moved: Vec<String> = match entry.action {
                Action::CheckData | Action::Look => {
                    entry.columns.iter().map(|column| format!("'{column}'")).collect()
                }
                _ => entry.moved.iter().map(ToString::to_string).collect(),
            };
            let verdict = match moved.is_empty() {
                true => entry.action.to_string(),
                false => format!("{}: {}", entry.action, moved.join(", ")),
            };
            let called = entry.predicted_positive.map_or_else(String::new, percent);
            [entry.at.clone(), entry.place.clone(), grouped(entry.rows), share, called, verdict]
        }));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_told_from_0_and_from_1() {
        let of = [0.25, 0.5, 0.017, 0.0003, 0.99991, 1e-9, 1.0];
        assert_eq!(of.map(shown), ["0.25", "0.50", "0.02", "0.0003", "0.99991", "0.000000", "1.000000"]);
    }
}
