//! The ranked list that `predict` makes, gathered piece by piece: all rows in their order, or the best of them.

use onesided::data::{BestRows, OutColumn, RowSorter, SortedRow, TableError, agree, counted};
use onesided::eval::probability;
use onesided::{
    Among, Contribution, Dataset, Error, Explainer, Met, Model, RowKind, RowMatcher, ScoredRows, Top,
};
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::iter::Peekable;
use std::path::Path;

/// Which rows are listed.
pub enum Gathered {
    /// All, sorted outside memory where they do not fit.
    All(RowSorter),
    /// The best.
    Best(BestRows),
}

/// A list under way. Rows that may be labeled are gathered separately: whether they belong in it is known at the end.
pub struct Ranking<'m> {
    model: &'m Model,
    others: Part,
    /// All of these that may still be among the best.
    maybe: RowSorter,
    /// The same, counted: equal rows have equal scores.
    counted: BTreeMap<[u8; 5], Counted>,
    explainer: Option<(Explainer<'m>, usize)>,
    /// How many of the columns handed out are names of rows; the others are kept.
    ids: usize,
    names: Vec<String>,
    /// Whether labeled rows are listed, too.
    all: bool,
}

/// Rows of which the same is known.
#[derive(Clone, Copy, Default)]
struct Counted {
    rows: usize,
    score: f32,
    predicted_positive: usize,
}

/// Some rows of a list.
struct Part {
    gathered: Gathered,
    /// Scores of all of them, where somebody needs them.
    scores: Option<Vec<f32>>,
    rows: usize,
    predicted_positive: usize,
}

impl Part {
    fn new(most: Option<usize>, folder: Option<&Path>, scores: bool) -> Self {
        let gathered = match most {
            Some(most) => Gathered::Best(BestRows::new(most)),
            None => Gathered::All(RowSorter::new(folder)),
        };
        Self { gathered, scores: scores.then(Vec::new), rows: 0, predicted_positive: 0 }
    }

    fn finish(self) -> Result<Rows<'static>, TableError> {
        Ok(match self.gathered {
            Gathered::All(sorter) => Box::new(sorter.finish()?),
            Gathered::Best(best) => Box::new(best.finish().into_iter().map(Ok)),
        })
    }
}

type Rows<'r> = Box<dyn Iterator<Item = Result<SortedRow, TableError>> + Send + 'r>;

/// A row of the list.
pub struct Listed {
    pub row: u64,
    pub score: f32,
    pub probability: f32,
    /// Between which probabilities that one lies, where the share of positives was estimated.
    pub range: Option<(f32, f32)>,
    pub positive: bool,
    /// What it is to the model.
    pub kind: RowKind,
    /// The cells of the columns that were handed out.
    pub cells: Vec<String>,
    pub because: Vec<Contribution>,
}

impl<'m> Ranking<'m> {
    /// `top`: no more rows than the largest of these, or all where there is none. `scores`: those of all rows are kept.
    pub fn new(
        model: &'m Model,
        top: &[Top],
        ids: usize,
        explainer: Option<(Explainer<'m>, usize)>,
        folder: Option<&Path>,
        scores: bool,
        all: bool,
    ) -> Self {
        // A share of all rows is known once all were seen.
        let number = |top: &Top| if let Top::Rows(rows) = top { Some(*rows) } else { None };
        let most: Option<Vec<usize>> = top.iter().map(number).collect();
        let most = most.and_then(|most| most.into_iter().max());
        Self {
            model,
            others: Part::new(most, folder, scores),
            maybe: RowSorter::new(folder),
            counted: BTreeMap::new(),
            explainer,
            ids,
            names: Vec::new(),
            all,
        }
    }

    /// The next rows, and what is known of each so far, where anything is.
    pub fn add(
        &mut self,
        piece: &ScoredRows,
        met: Option<&[Met]>,
        matcher: Option<&RowMatcher>,
    ) -> Result<(), Error> {
        let ScoredRows { data, scores, .. } = piece;
        if self.names.is_empty() {
            self.names = data.ids().iter().map(|(name, _)| name.clone()).collect();
        }
        // All at once is quicker where every row is listed.
        let every = matches!(self.others.gathered, Gathered::All(_));
        let mut because = match (&self.explainer, every) {
            (Some((explainer, most)), true) => {
                explainer.rows(data, &(0..scores.len()).collect::<Vec<_>>(), *most)?
            }
            _ => Vec::new(),
        };
        let mut beside = Vec::new();
        for (row, &score) in scores.iter().enumerate() {
            let of_row = met.and_then(|met| met.get(row).copied()).unwrap_or(Met::NEW);
            let may_be_labeled = matcher.is_some_and(|matcher| matcher.may_be_labeled(of_row));
            let positive = usize::from(self.model.decide(probability(f64::from(score)) as f32));
            if may_be_labeled {
                let counted = self.counted.entry(of_row.to_bytes()).or_default();
                counted.rows += 1;
                counted.score = score;
                counted.predicted_positive += positive;
            } else {
                self.others.rows += 1;
                self.others.predicted_positive += positive;
                if let Some(all) = &mut self.others.scores {
                    all.push(score);
                }
            }
            let number = piece.number(row) as u64;
            // What the best of the others leave behind is not among the best, labeled or not.
            let because = match &self.others.gathered {
                Gathered::All(_) => because.get_mut(row).map(std::mem::take).unwrap_or_default(),
                Gathered::Best(best) if !best.takes(score, number) => continue,
                Gathered::Best(_) => match &self.explainer {
                    Some((explainer, most)) => explainer.row(data, row, *most)?,
                    None => Vec::new(),
                },
            };
            beside.clear();
            pack(of_row, data, row, &because, &mut beside);
            match &mut self.others.gathered {
                _ if may_be_labeled => self.maybe.push(score, number, &beside)?,
                Gathered::All(sorter) => sorter.push(score, number, &beside)?,
                Gathered::Best(best) => best.push(score, number, beside.clone()),
            }
        }
        Ok(())
    }

    /// All rows were seen: those that may have been labeled and are listed are counted with the others.
    pub fn settle(&mut self, matcher: Option<&RowMatcher>) {
        for (met, counted) in std::mem::take(&mut self.counted) {
            if self.all || !matcher.is_some_and(|matcher| matcher.is_labeled(Met::from_bytes(met))) {
                self.others.rows += counted.rows;
                self.others.predicted_positive += counted.predicted_positive;
                if let Some(all) = &mut self.others.scores {
                    all.resize(all.len() + counted.rows, counted.score);
                }
            }
        }
    }

    /// How many rows there are to list.
    pub fn rows(&self) -> usize {
        self.others.rows
    }

    /// How many of them are predicted positive.
    pub fn predicted_positive(&self) -> usize {
        self.others.predicted_positive
    }

    /// The scores of all of them, where they were asked for, in no order.
    pub fn take_scores(&mut self) -> Option<Vec<f32>> {
        self.others.scores.take()
    }

    /// The names of the columns that were handed out: of rows, and what is kept.
    pub fn names(&self) -> (&[String], &[String]) {
        self.names.split_at(self.ids.min(self.names.len()))
    }

    /// The rows in their order.
    pub fn finish<'w>(
        self,
        limit: usize,
        matcher: Option<&'w RowMatcher<'w>>,
    ) -> Result<impl Iterator<Item = Result<Listed, TableError>> + Send + use<'m, 'w>, TableError> {
        let (model, columns, all) = (self.model, self.names.len(), self.all);
        let is_listed = move |row: &Result<SortedRow, TableError>| {
            let Ok(row) = row else { return true };
            all || !matcher.is_some_and(|matcher| matcher.is_labeled(met_of(&row.beside).0))
        };
        let maybe: Rows<'w> = Box::new(self.maybe.finish()?.filter(is_listed));
        let others: Rows<'w> = self.others.finish()?;
        let rows = Merged { parts: [others.peekable(), maybe.peekable()] };
        Ok(rows.take(limit).map(move |row| {
            let SortedRow { score, row, beside } = row?;
            let (met, cells, because) = unpack(&beside, columns);
            let kind = matcher.map_or(RowKind::New, |matcher| matcher.kind(met));
            let among = matcher.map_or(Among::Population, |matcher| matcher.among(met));
            // The score alone decides, whatever is known of a row.
            let positive = model.decide(probability(f64::from(score)) as f32);
            let (probability, range) =
                (model.probability_among(score, among), model.probability_range(score, among));
            Ok(Listed { row, score, probability, range, positive, kind, cells, because })
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
fn pack(met: Met, data: &Dataset, row: usize, because: &[Contribution], out: &mut Vec<u8>) {
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
fn unpack(bytes: &[u8], columns: usize) -> (Met, Vec<String>, Vec<Contribution>) {
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

/// Rows of the list, as columns of the file that is written.
pub struct ListColumns<'a> {
    /// Probabilities have ranges.
    pub ranges: bool,
    pub ids: &'a [String],
    pub kept: &'a [String],
    pub because: bool,
    pub yes_no: bool,
    /// Rows say what they are to the model.
    pub kinds: bool,
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
        // Where the identifier has one of these names, `id_rank` tells it from the list's own.
        for (at, name) in self.ids.iter().enumerate() {
            let mut name = name.clone();
            while taken(&columns, &name) {
                name.insert_str(0, "id_");
            }
            columns.push((name, texts(&|row| row.cells[at].clone())));
        }
        if self.kinds {
            let name = if taken(&columns, "kind") { "row_kind" } else { "kind" };
            columns.push((name.to_string(), texts(&|row| row.kind.word().to_string())));
        }
        if self.ranges {
            let range = |row: &Listed| row.range.unwrap_or_default();
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

/// Rows of a list that are called as an earlier one is, among the first of them: what they are called is kept as numbers, and no
/// more than this many.
pub struct RepeatedIds {
    /// Columns that name rows.
    ids: usize,
    seen: HashSet<u64>,
    hasher: RandomState,
    rows: usize,
    example: Option<String>,
}

impl RepeatedIds {
    /// The most rows that are compared.
    const MOST: usize = 1 << 20;

    pub fn new(ids: usize) -> Self {
        Self { ids, seen: HashSet::new(), hasher: RandomState::new(), rows: 0, example: None }
    }

    pub fn look_at(&mut self, row: &Listed) {
        let Some(ids) = row.cells.get(..self.ids).filter(|ids| !ids.is_empty()) else { return };
        if self.seen.len() < Self::MOST && !self.seen.insert(self.hasher.hash_one(ids)) {
            self.rows += 1;
            self.example.get_or_insert_with(|| ids.join(", "));
        }
    }

    /// How many there are, in a sentence.
    pub fn told(self) -> Option<String> {
        let example = self.example?;
        Some(format!(
            "{} of the list {} called as an earlier one is, such as '{example}': ids repeat, so go by the column 'row', or name rows by \
             several columns with --id A,B",
            counted(self.rows, "rows"),
            agree(self.rows, "is", "are")
        ))
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
    fn rows_that_are_called_alike_are_counted() {
        let listed = |ids: &[&str]| Listed {
            row: 0,
            score: 0.0,
            probability: 0.5,
            range: None,
            positive: false,
            kind: RowKind::New,
            cells: ids.iter().map(|id| id.to_string()).collect(),
            because: Vec::new(),
        };
        let told = |ids: usize| {
            let mut repeated = RepeatedIds::new(ids);
            let rows = [["a", "1"], ["b", "1"], ["a", "2"], ["a", "3"], ["b", "1"]];
            rows.iter().for_each(|row| repeated.look_at(&listed(row)));
            repeated.told()
        };
        assert_eq!(told(0), None);
        assert!(
            told(1).unwrap().starts_with("3 rows of the list are called as an earlier one is, such as 'a'")
        );
        assert!(
            told(2).unwrap().starts_with("1 row of the list is called as an earlier one is, such as 'b, 1'")
        );
    }

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
