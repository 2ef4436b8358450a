//! The ranked list that `predict` makes, gathered piece by piece: all rows in their order, or the best of them.

use onesided::data::{BestRows, DataError, OutColumn, RowSorter, SortedRow};
use onesided::eval::probability;
use onesided::{Contribution, Dataset, Error, Explainer, Model, ScoredRows, Top};
use std::path::Path;

/// Which rows are listed.
pub enum Gathered {
    /// All, sorted outside memory where they do not fit.
    All(RowSorter),
    /// The best.
    Best(BestRows),
}

/// A list under way.
pub struct Ranking<'m> {
    model: &'m Model,
    gathered: Gathered,
    explainer: Option<(Explainer<'m>, usize)>,
    /// How many of the columns handed out are names of rows; the others are kept.
    ids: usize,
    names: Vec<String>,
    /// Scores of all rows, where somebody needs them.
    pub scores: Option<Vec<f32>>,
    pub rows: usize,
    pub predicted_positive: usize,
}

/// A row of the list.
pub struct Listed {
    pub row: u64,
    pub score: f32,
    pub probability: f32,
    pub positive: bool,
    /// The cells of the columns that were handed out.
    pub cells: Vec<String>,
    pub because: Vec<Contribution>,
}

impl<'m> Ranking<'m> {
    /// `top`: no more rows than the largest of these, or all where there is none.
    pub fn new(
        model: &'m Model,
        top: &[Top],
        ids: usize,
        explainer: Option<(Explainer<'m>, usize)>,
        folder: Option<&Path>,
    ) -> Self {
        // A share of all rows is known once all were seen.
        let number = |top: &Top| if let Top::Rows(rows) = top { Some(*rows) } else { None };
        let most: Option<Vec<usize>> = top.iter().map(number).collect();
        let gathered = match most.and_then(|most| most.into_iter().max()) {
            Some(most) => Gathered::Best(BestRows::new(most)),
            None => Gathered::All(RowSorter::new(folder)),
        };
        let (names, scores) = (Vec::new(), None);
        Self { model, gathered, explainer, ids, names, scores, rows: 0, predicted_positive: 0 }
    }

    /// The next rows, or those of them that `keep` says.
    pub fn add(&mut self, piece: &ScoredRows, keep: Option<&[bool]>) -> Result<(), Error> {
        let ScoredRows { first, data, scores } = piece;
        if self.names.is_empty() {
            self.names = data.ids().iter().map(|(name, _)| name.clone()).collect();
        }
        let kept = |row: &usize| keep.is_none_or(|keep| keep.get(*row).copied().unwrap_or(true));
        let mut beside = Vec::new();
        for row in (0..scores.len()).filter(kept) {
            let score = scores[row];
            self.rows += 1;
            if let Some(all) = &mut self.scores {
                all.push(score);
            }
            self.predicted_positive += usize::from(self.model.decide(probability(f64::from(score)) as f32));
            let number = (first + row) as u64;
            match &mut self.gathered {
                Gathered::All(sorter) => {
                    beside.clear();
                    pack(data, row, self.explainer.as_ref(), &mut beside)?;
                    sorter.push(score, number, &beside)?;
                }
                Gathered::Best(best) if best.takes(score, number) => {
                    let mut beside = Vec::new();
                    pack(data, row, self.explainer.as_ref(), &mut beside)?;
                    best.push(score, number, beside);
                }
                Gathered::Best(_) => {}
            }
        }
        Ok(())
    }

    /// The names of the columns that were handed out: of rows, and what is kept.
    pub fn names(&self) -> (&[String], &[String]) {
        self.names.split_at(self.ids.min(self.names.len()))
    }

    /// The rows in their order.
    pub fn finish(
        self,
        limit: usize,
    ) -> Result<impl Iterator<Item = Result<Listed, DataError>> + Send + use<'m>, DataError> {
        let (model, columns) = (self.model, self.names.len());
        let rows: Box<dyn Iterator<Item = Result<SortedRow, DataError>> + Send> = match self.gathered {
            Gathered::All(sorter) => Box::new(sorter.finish()?),
            Gathered::Best(best) => Box::new(best.finish().into_iter().map(Ok)),
        };
        let threshold = model.about().threshold;
        Ok(rows.take(limit).map(move |row| {
            let SortedRow { score, row, beside } = row?;
            let probability = probability(f64::from(score)) as f32;
            let (cells, because) = unpack(&beside, columns);
            let positive = f64::from(probability) >= threshold;
            Ok(Listed { row, score, probability, positive, cells, because })
        }))
    }
}

/// Writes what belongs to a row behind one another: its cells, and what carried its score.
fn pack(
    data: &Dataset,
    row: usize,
    explainer: Option<&(Explainer<'_>, usize)>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let text = |text: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    };
    data.ids().iter().for_each(|(_, cells)| text(cells.get(row), out));
    if let Some((explainer, most)) = explainer {
        for Contribution { feature, value } in explainer.row(data, row, *most)? {
            text(&feature, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
    Ok(())
}

/// What [`pack`] wrote.
fn unpack(mut bytes: &[u8], columns: usize) -> (Vec<String>, Vec<Contribution>) {
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
    (cells, because)
}

/// Rows of the list, as columns of the file that is written.
pub struct ListColumns<'a> {
    pub model: &'a Model,
    pub ids: &'a [String],
    pub kept: &'a [String],
    pub because: bool,
    pub yes_no: bool,
}

impl ListColumns<'_> {
    /// The columns of some rows, the first of which has this rank.
    pub fn of(&self, rows: &[Listed], rank: u64) -> Vec<(String, OutColumn)> {
        let mut columns = vec![
            ("row".to_string(), OutColumn::U64(rows.iter().map(|row| row.row + 1).collect())),
            ("score".to_string(), OutColumn::F32(rows.iter().map(|row| row.score).collect())),
            ("probability".to_string(), OutColumn::F32(rows.iter().map(|row| row.probability).collect())),
            ("rank".to_string(), OutColumn::U64((rank..rank + rows.len() as u64).collect())),
        ];
        let taken =
            |columns: &[(String, OutColumn)], name: &str| columns.iter().any(|(taken, _)| taken == name);
        let texts = |of: &dyn Fn(&Listed) -> String| OutColumn::Text(rows.iter().map(of).collect());
        // A column of that name is there already where the identifier has one of these names.
        for (at, name) in self.ids.iter().enumerate() {
            let name = if taken(&columns, name) { "id" } else { name };
            columns.push((name.to_string(), texts(&|row| row.cells[at].clone())));
        }
        if self.model.probability_range(0.0).is_some() {
            let range = |row: &Listed| self.model.probability_range(row.score).unwrap_or_default();
            let ends =
                |of: fn((f32, f32)) -> f32| OutColumn::F32(rows.iter().map(|row| of(range(row))).collect());
            columns.push(("probability_low".to_string(), ends(|range| range.0)));
            columns.push(("probability_high".to_string(), ends(|range| range.1)));
        }
        if self.because {
            let name = if taken(&columns, "because") { "carried_by" } else { "because" };
            columns.push((name.to_string(), texts(&|row| sentence(&row.because))));
        }
        if self.yes_no {
            let name = if taken(&columns, "positive") { "predicted_positive" } else { "positive" };
            columns.push((name.to_string(), texts(&|row| decision(row.positive).to_string())));
        }
        for (at, name) in self.kept.iter().enumerate() {
            let mut name = name.clone();
            while taken(&columns, &name) {
                name.insert_str(0, "kept_");
            }
            columns.push((name, texts(&|row| row.cells[self.ids.len() + at].clone())));
        }
        columns
    }
}

/// `yes` or `no`.
pub fn decision(positive: bool) -> &'static str {
    if positive { "yes" } else { "no" }
}

/// `goal +1.20, team +0.75, bank -0.31`.
pub fn sentence(parts: &[Contribution]) -> String {
    let part = |Contribution { feature, value }: &Contribution| format!("{feature} {value:+.2}");
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided::Matrix;

    #[test]
    fn what_belongs_to_a_row_comes_back() {
        let data = Dataset::from_scaled(Matrix::new(2, 1, vec![1.0, 2.0]).unwrap(), None).unwrap();
        let data = data.with_ids("a", ["", "π, \"x\""].iter().collect()).unwrap();
        let data = data.with_ids("b", ["1", "2"].iter().collect()).unwrap();
        let mut bytes = Vec::new();
        pack(&data, 1, None, &mut bytes).unwrap();
        bytes.extend_from_slice(&3u32.to_le_bytes());
        bytes.extend_from_slice(b"age");
        bytes.extend_from_slice(&(-0.25f64).to_le_bytes());
        let (cells, because) = unpack(&bytes, 2);
        assert_eq!(cells, ["π, \"x\"", "2"]);
        assert_eq!(because, [Contribution { feature: "age".to_string(), value: -0.25 }]);
    }
}
