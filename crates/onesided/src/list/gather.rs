//! The rows of a list, gathered piece by piece: all of them, sorted outside memory where they do not fit, or the best.

use super::ListedRow;
use crate::{Among, Contribution, Error, Explainer, Met, Model, RowKind, RowMatcher, ScoredRows};
use onesided_data::{BestRows, Dataset, RowSorter, SortedRow, TableError};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::Path;
use std::sync::Arc;

/// Which rows are listed.
enum Kept {
    /// All.
    All(RowSorter),
    /// The best.
    Best(BestRows),
}

/// Rows under way. Those that may be labeled are gathered separately: whether they belong in the list is known at the end.
pub(super) struct Gathered<'m> {
    model: &'m Model,
    kept: Kept,
    /// Those that may be labeled, as far as they may still be among the best.
    maybe: RowSorter,
    /// The same, counted: equal rows have equal scores.
    counted: BTreeMap<[u8; 5], Counted>,
    explainer: Option<(Explainer<'m>, usize)>,
    /// The columns that were handed out: names of rows, and what is kept.
    pub names: Vec<String>,
    /// Scores of all listed rows in no order, where somebody needs them.
    pub scores: Option<Vec<f32>>,
    /// How many rows are listed.
    pub rows: usize,
    /// How many of them are predicted positive.
    pub predicted_positive: usize,
    /// How many labeled rows are left out.
    pub left_out: usize,
    /// How many of those are positive.
    pub left_out_positive: usize,
    /// Their scores, where somebody needs them.
    pub scores_of_positive: Vec<f32>,
}

/// Rows of which the same is known.
#[derive(Default)]
struct Counted {
    rows: usize,
    predicted_positive: usize,
    /// Where promises rest on them.
    scores: Vec<f32>,
}

type Rows<'r> = Box<dyn Iterator<Item = Result<SortedRow, TableError>> + Send + 'r>;

impl<'m> Gathered<'m> {
    /// No more rows than `most`, or all; rows that do not fit into memory go to a folder.
    pub fn new(
        model: &'m Model,
        most: Option<usize>,
        explainer: Option<(Explainer<'m>, usize)>,
        folder: Option<&Path>,
        scores: bool,
    ) -> Self {
        let kept = match most {
            Some(most) => Kept::Best(BestRows::new(most)),
            None => Kept::All(RowSorter::new(folder)),
        };
        Self {
            model,
            kept,
            maybe: RowSorter::new(folder),
            counted: BTreeMap::new(),
            explainer,
            names: Vec::new(),
            // What may be promised of a list rests on them.
            scores: (scores || !model.about().reserve.is_empty()).then(Vec::new),
            rows: 0,
            predicted_positive: 0,
            left_out: 0,
            left_out_positive: 0,
            scores_of_positive: Vec::new(),
        }
    }

    /// The next rows, and what is known of each so far, where anything is.
    pub fn add(
        &mut self,
        piece: &ScoredRows,
        met: Option<&[Met]>,
        matcher: Option<&RowMatcher>,
    ) -> Result<(), Error> {
        let (data, scores) = (piece.data.as_ref(), &piece.scores);
        if self.names.is_empty() {
            self.names = data.ids().iter().map(|(name, _)| name.clone()).collect();
        }
        let known = |row: usize| met.and_then(|met| met.get(row).copied()).unwrap_or(Met::NEW);
        let may_be_labeled = |row: usize| matcher.is_some_and(|matcher| matcher.may_be_labeled(known(row)));
        for (row, &score) in scores.iter().enumerate() {
            let predicted_positive = usize::from(self.model.decides(score));
            if may_be_labeled(row) {
                let counted = self.counted.entry(known(row).to_bytes()).or_default();
                counted.rows += 1;
                counted.predicted_positive += predicted_positive;
                // New rows that a column tells to be labeled are known by that alone, and differ in their scores.
                if self.scores.is_some() {
                    counted.scores.push(score);
                }
            } else {
                self.count(1, predicted_positive, &[score]);
            }
        }
        // What the best of the others leave behind is not among the best, labeled or not.
        let some: Vec<usize> = match &self.kept {
            Kept::All(_) => (0..scores.len()).collect(),
            Kept::Best(best) => {
                let mut of_piece = best.like();
                let others = (0..scores.len()).filter(|&row| !may_be_labeled(row));
                others.for_each(|row| of_piece.push(scores[row], piece.number(row) as u64, Vec::new()));
                let is_among = |row: &usize| {
                    let number = piece.number(*row) as u64;
                    best.takes(scores[*row], number) && of_piece.holds(scores[*row], number)
                };
                (0..scores.len()).filter(is_among).collect()
            }
        };
        let mut because = match &self.explainer {
            Some((explainer, most)) => explainer.rows(data, &some, *most)?,
            None => Vec::new(),
        };
        let mut beside = Vec::new();
        for (at, &row) in some.iter().enumerate() {
            let because = because.get_mut(at).map(std::mem::take).unwrap_or_default();
            beside.clear();
            pack(known(row), data, row, &because, &mut beside);
            let number = piece.number(row) as u64;
            match &mut self.kept {
                _ if may_be_labeled(row) => self.maybe.push(scores[row], number, &beside)?,
                Kept::All(sorter) => sorter.push(scores[row], number, &beside)?,
                Kept::Best(best) => best.push(scores[row], number, beside.clone()),
            }
        }
        Ok(())
    }

    fn count(&mut self, rows: usize, predicted_positive: usize, of_rows: &[f32]) {
        self.rows += rows;
        self.predicted_positive += predicted_positive;
        if let Some(scores) = &mut self.scores {
            scores.extend_from_slice(of_rows);
        }
    }

    /// All rows were seen: those that may have been labeled and are listed are counted with the others. `left_out` says what a row
    /// is that is not listed.
    pub fn settle(&mut self, left_out: impl Fn(Met) -> Option<RowKind>) {
        for (met, counted) in std::mem::take(&mut self.counted) {
            match left_out(Met::from_bytes(met)) {
                None => self.count(counted.rows, counted.predicted_positive, &counted.scores),
                Some(kind) => {
                    self.left_out += counted.rows;
                    if kind == RowKind::Positive {
                        self.left_out_positive += counted.rows;
                        self.scores_of_positive.extend(counted.scores);
                    }
                }
            }
        }
    }

    /// The rows in their order.
    pub fn finish(
        self,
        limit: usize,
        matcher: Option<RowMatcher<'m>>,
        all: bool,
    ) -> Result<impl Iterator<Item = Result<ListedRow, TableError>> + Send + use<'m>, TableError> {
        let (model, columns) = (self.model, self.names.len());
        let others: Rows<'m> = match self.kept {
            Kept::All(sorter) => Box::new(sorter.finish()?),
            Kept::Best(best) => Box::new(best.finish().into_iter().map(Ok)),
        };
        let matcher = matcher.map(Arc::new);
        let of_matcher = matcher.clone();
        let is_listed = move |row: &Result<SortedRow, TableError>| {
            let Ok(row) = row else { return true };
            all || !of_matcher.as_ref().is_some_and(|matcher| matcher.is_labeled(met_of(&row.beside).0))
        };
        let maybe: Rows<'m> = Box::new(self.maybe.finish()?.filter(is_listed));
        let rows = Merged { parts: [others.peekable(), maybe.peekable()] };
        Ok(rows.take(limit).map(move |row| {
            let SortedRow { score, row, beside } = row?;
            let (met, cells, because) = unpack(&beside, columns);
            let kind = matcher.as_ref().map_or(RowKind::New, |matcher| matcher.kind(met));
            let among = matcher.as_ref().map_or(Among::Population, |matcher| matcher.among(met));
            Ok(ListedRow {
                row: row as usize,
                score,
                probability: model.probability_among(score, among),
                range: model.probability_range(score, among),
                positive: model.decides(score),
                kind,
                cells,
                because,
            })
        }))
    }
}

/// Two sorted lists as one: by falling scores, equal ones in the order of the table.
struct Merged<'r> {
    parts: [Peekable<Rows<'r>>; 2],
}

impl Iterator for Merged<'_> {
    type Item = Result<SortedRow, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let [one, other] = &mut self.parts;
        let from = match (one.peek(), other.peek()) {
            (Some(Ok(a)), Some(Ok(b))) => b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)).is_gt(),
            (Some(_), _) => false,
            (None, _) => true,
        };
        self.parts[usize::from(from)].next()
    }
}

/// Writes what belongs to a row behind one another: what is known of it, its cells, and what carried its score.
pub(super) fn pack(met: Met, data: &Dataset, row: usize, because: &[Contribution], out: &mut Vec<u8>) {
    let text = |text: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    };
    out.extend(met.to_bytes());
    data.ids().iter().for_each(|(_, cells)| text(cells.get(row), out));
    for Contribution { feature, value } in because {
        text(feature, out);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// What is known of a row that [`pack`] wrote, and the bytes of the rest.
fn met_of(bytes: &[u8]) -> (Met, &[u8]) {
    bytes.split_first_chunk::<5>().map_or((Met::NEW, &[]), |(met, rest)| (Met::from_bytes(*met), rest))
}

/// What [`pack`] wrote.
pub(super) fn unpack(bytes: &[u8], columns: usize) -> (Met, Vec<String>, Vec<Contribution>) {
    let (met, mut bytes) = met_of(bytes);
    let next = |columns_left: bool, bytes: &mut &[u8]| -> Option<(String, f64)> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *bytes = rest;
        let text = String::from_utf8_lossy(text).into_owned();
        if columns_left {
            return Some((text, 0.0));
        }
        let (value, rest) = bytes.split_first_chunk::<8>()?;
        *bytes = rest;
        Some((text, f64::from_le_bytes(*value)))
    };
    let cells = (0..columns).map_while(|_| next(true, &mut bytes)).map(|(text, _)| text).collect();
    let mut because = Vec::new();
    while let Some((feature, value)) = next(false, &mut bytes) {
        because.push(Contribution { feature, value });
    }
    (met, cells, because)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn what_belongs_to_a_row_comes_back() {
        let data = Dataset::from_scaled(Matrix::new(2, 1, vec![1.0, 2.0]).unwrap(), None).unwrap();
        let data = data.with_ids("a", ["", "π, \"x\""].iter().collect()).unwrap();
        let data = data.with_ids("b", ["1", "2"].iter().collect()).unwrap();
        let mut bytes = Vec::new();
        let parts = [Contribution { feature: "age".to_string(), value: -0.25 }];
        let met = Met::from_bytes([7, 0, 0, 0, 2]);
        pack(met, &data, 1, &parts, &mut bytes);
        let (back, cells, because) = unpack(&bytes, 2);
        assert_eq!(back, met);
        assert_eq!(cells, ["π, \"x\"", "2"]);
        assert_eq!(because, parts);
    }
}
