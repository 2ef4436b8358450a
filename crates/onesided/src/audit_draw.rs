//! Rows for an audit: which list they are drawn from, and how wide the answer will be.
//!
//! The list is the one that a person works through: rows that the model was fitted on are ranked by their scores out of fold, and
//! of the fitted table those that are labeled are left out ([`List`](crate::List)). What to expect of the answers follows from the
//! probabilities: of unlabeled rows those of unlabeled rows ([`Among`]), so that their mean is the share of positives that the model
//! was fitted with. A model without a share of positives has no such probabilities; then the widest intervals are named.

use crate::audit::{ANSWER, ANSWERS, DRAW, FOR_PEOPLE, KEY, ROW};
use crate::audit_key::{DrawFacts, RowKey};
use crate::{
    Among, Contribution, Error, Explainer, KnownRows, ListNote, Met, Model, RowKind, RowLookup, RowMatcher,
    RowsOfModel, ScoredRows,
};
use onesided_data::{
    Counts, Cutting, DataError, Dataset, Fingerprint, Input, Label, Note, OutColumn, ReadAgain, TableError,
    count_labels, is_stream,
};
use onesided_eval::Top;
use onesided_eval::audit::{AuditEstimate, Drawn, Plan, Range};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// What to draw.
#[derive(Clone, Debug, Default)]
pub struct AuditSettings {
    /// How many rows.
    pub rows: usize,
    /// Cuts to judge in addition to the model's own. About a quarter of the draws goes to the rows above them, or more.
    pub cuts: Vec<Top>,
    /// The seed of the draw. Another seed is another draw, and draws add up.
    pub seed: u64,
    /// How many of the largest parts of the score of each drawn row to keep, if any ([`AuditDraw::because`]).
    pub explain: Option<usize>,
}

/// What a forecast of an audit rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForecastBy {
    /// The model's probabilities are taken to be right.
    Model,
    /// The model has none, and every second row is taken to be positive, which makes the intervals about as wide as they get.
    Widest,
}

/// Rows to label.
#[derive(Clone, Debug)]
pub struct AuditDraw {
    /// The strata, from the top of the ranked list.
    pub strata: Vec<Range>,
    /// What to expect; its intervals say how wide those of the audit will be.
    pub forecast: AuditEstimate,
    /// What that rests on.
    pub forecast_by: ForecastBy,
    /// The drawn rows, in random order.
    pub rows: Vec<AuditRow>,
    /// How many rows are predicted positive.
    pub predicted: usize,
    /// The cuts that were asked for, in rows.
    pub asked: Vec<usize>,
    /// How many rows of the list are ranked by a score out of fold.
    pub out_of_fold: usize,
    /// How many labeled rows are not in the list.
    pub left_out: usize,
    /// How many rows are equal to labeled ones and cannot be told from them, so that they are in the list.
    pub ambiguous: usize,
    /// What is to be said of the list.
    pub said: Vec<ListNote>,
    /// What reading met.
    pub notes: Vec<Note>,
    /// The most rows that were held at a time.
    pub largest_piece: usize,
    /// What the drawn rows are known by.
    ids: Vec<(String, Vec<String>)>,
    facts: DrawFacts,
    /// The fingerprint of each drawn row.
    prints: Vec<u64>,
    /// What carried the score of each.
    because: Vec<Vec<Contribution>>,
}

/// One drawn row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AuditRow {
    /// Its number in the data, from 0.
    pub row: usize,
    /// The number of its stratum, from 0.
    pub stratum: usize,
    /// Its score.
    pub score: f32,
    /// The chance with which it was drawn.
    pub chance: f64,
}

/// Rows to draw from, which are gone over twice: for their scores, and for what the file says of those that were drawn.
enum Source<'s> {
    Memory(&'s Dataset),
    Place { input: &'s Input, also: &'s ReadAgain, threads: usize },
}

/// Every row, in the order of the table: little is kept of each.
#[derive(Default)]
struct Seen {
    numbers: Vec<u32>,
    scores: Vec<f32>,
    met: Vec<[u8; 5]>,
    /// The most rows that were held at a time.
    largest: usize,
}

impl Seen {
    fn add(&mut self, mut piece: ScoredRows, lookup: &mut RowLookup) -> Result<(), Error> {
        let met = lookup.next(&mut piece)?;
        let met = |at: usize| met.as_ref().map_or(Met::NEW, |met| met[at]).to_bytes();
        self.numbers.extend((0..piece.scores.len()).map(|at| piece.number(at) as u32));
        self.met.extend((0..piece.scores.len()).map(met));
        self.scores.extend_from_slice(&piece.scores);
        self.largest = self.largest.max(piece.data.len());
        Ok(())
    }

    fn kind(&self, at: usize, matcher: Option<&RowMatcher>) -> RowKind {
        matcher.map_or(RowKind::New, |matcher| matcher.kind(Met::from_bytes(self.met[at])))
    }
}

/// What the second look at the rows finds.
struct Found<'m> {
    /// What explains scores, and how many parts are kept.
    explainer: Option<(Explainer<'m>, usize)>,
    because: Vec<Vec<Contribution>>,
    /// The number that the cells of each drawn row make.
    cells: Vec<u64>,
    /// What drawn rows are known by.
    ids: Vec<(String, Vec<String>)>,
    /// The fingerprint of all rows.
    rows: Option<Fingerprint>,
    /// The columns that these numbers are made of.
    columns: Option<u64>,
}

impl<'m> Found<'m> {
    fn new(drawn: usize, explainer: Option<(Explainer<'m>, usize)>) -> Self {
        let because = if explainer.is_some() { vec![Vec::new(); drawn] } else { Vec::new() };
        Self { explainer, because, cells: vec![0; drawn], ids: Vec::new(), rows: None, columns: None }
    }

    /// The next rows, encoded, of a table of so many; `places` says which of the drawn rows has a number.
    fn add(
        &mut self,
        data: &Dataset,
        first: usize,
        all: usize,
        places: &HashMap<usize, usize>,
    ) -> Result<(), Error> {
        let rows = self.rows.unwrap_or_else(|| Fingerprint::default().before_rows(all, data));
        self.rows = Some(rows.of_piece(data));
        if self.ids.is_empty() {
            let empty = || vec![String::new(); self.cells.len()];
            self.ids = data.ids().iter().map(|(name, _)| (name.clone(), empty())).collect();
        }
        // Rows that are no table's are known by what the model sees of them.
        let cells = match data.keys() {
            Some(keys) => {
                self.columns = data.encoding().keyed_columns();
                Cow::Borrowed(keys)
            }
            None => Cow::Owned(data.fingerprints(0)?),
        };
        for (row, &cells) in cells.iter().enumerate() {
            if let Some(&place) = places.get(&(first + row)) {
                self.cells[place] = cells;
                if let Some((explainer, most)) = &self.explainer {
                    self.because[place] = explainer.row(data, row, *most)?;
                }
                for ((_, to), (_, from)) in self.ids.iter_mut().zip(data.ids()) {
                    to[place] = from.get(row).to_string();
                }
            }
        }
        Ok(())
    }
}

impl Model {
    /// Draws rows for an audit: the unlabeled ones where rows are labeled, and else all. Of rows that the model was fitted on,
    /// [`audit_known`](Self::audit_known) is about the list that a person works through.
    pub fn audit(&self, data: &Dataset, settings: &AuditSettings) -> Result<AuditDraw, Error> {
        self.audit_known(data, settings, None)
    }

    /// [`audit`](Self::audit) where the model may have been fitted on these rows: those it was are ranked by their scores out of
    /// fold. Of the table that it was fitted on, labeled rows are not drawn, whether the data tell them or not.
    pub fn audit_known(
        &self,
        data: &Dataset,
        settings: &AuditSettings,
        rows_of_model: RowsOfModel,
    ) -> Result<AuditDraw, Error> {
        self.draw_from(&Source::Memory(self.encoded(data)?.as_ref()), settings, rows_of_model)
    }

    /// [`audit_known`](Self::audit_known) of a place, which is read piece by piece, twice. What comes from a stream is held.
    pub fn audit_place(
        &self,
        input: &Input,
        also: &ReadAgain,
        threads: usize,
        settings: &AuditSettings,
        rows_of_model: RowsOfModel,
    ) -> Result<AuditDraw, Error> {
        let known = rows_of_model.and_then(Result::ok);
        let told = known.and_then(KnownRows::label_column).cloned().filter(|_| also.roles.label.is_none());
        let named = known.and_then(KnownRows::name_column).cloned();
        let also = ReadAgain { keys: true, told, named, ..also.clone() };
        if input.paths().iter().any(|path| is_stream(path)) {
            return self.draw_from(&Source::Memory(&self.read_with(input, &also)?), settings, rows_of_model);
        }
        self.draw_from(&Source::Place { input, also: &also, threads }, settings, rows_of_model)
    }

    fn draw_from(
        &self,
        source: &Source,
        settings: &AuditSettings,
        rows_of_model: RowsOfModel,
    ) -> Result<AuditDraw, Error> {
        // A model that cannot explain itself is refused before any row is read.
        let explainer = settings.explain.map(|most| Ok::<_, Error>((self.explainer()?, most))).transpose()?;
        let mut lookup = RowLookup::new(self, rows_of_model, false);
        let mut seen = Seen::default();
        let (labels, notes, all) = match source {
            Source::Memory(data) => {
                seen.add(self.scored(data)?, &mut lookup)?;
                (data.without_blank().labels().map(<[Label]>::to_vec), data.notes().to_vec(), data.len())
            }
            Source::Place { input, also, threads } => {
                let cut = Cutting { threads: *threads, ..Cutting::default() };
                let streamed = self.stream(input, also, cut, &mut |piece| seen.add(piece, &mut lookup))?;
                (streamed.labels, streamed.notes, streamed.rows + streamed.blank.len())
            }
        };
        let told = labels.is_some();
        let labels = labels.or_else(|| labels_of_fit(&seen, &lookup));
        let mut order: Vec<u32> = (0..seen.scores.len() as u32).collect();
        if let Some(labels) = &labels {
            order.retain(|&at| labels[at as usize] == Label::Unlabeled);
        }
        if order.is_empty() {
            return Err(DataError::NothingToDraw.into());
        }
        let score = |at: u32| seen.scores[at as usize];
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        let predicted = order.iter().filter(|&&at| self.decides(score(at))).count();
        let mut asked = settings.cuts.iter().map(|cut| cut.of(order.len())).collect::<Result<Vec<_>, _>>()?;
        asked.sort_unstable();
        asked.dedup();
        let among = if labels.is_some() { Among::Unlabeled } else { Among::Population };
        let probabilities: Vec<f32> =
            order.iter().map(|&at| self.probability_among(score(at), among)).collect();
        let plan = Plan::new(&probabilities, &[predicted], &asked, settings.rows)?;
        let row = |drawn: Drawn| AuditRow {
            row: seen.numbers[order[drawn.place] as usize] as usize,
            stratum: drawn.stratum,
            score: score(order[drawn.place]),
            chance: plan.strata[drawn.stratum].probability(),
        };
        let rows: Vec<AuditRow> = plan.draw(settings.seed).into_iter().map(row).collect();
        let (forecast_by, forecast) = if self.is_of_labels() {
            (ForecastBy::Widest, plan.widest(0.95)?)
        } else {
            (ForecastBy::Model, plan.forecast(0.95)?)
        };
        let mut fitted = lookup.fitted_rows(false);
        if let Some(fitted) = &mut fitted {
            let met = |at: &&u32| seen.kind(**at as usize, lookup.matcher()) != RowKind::New;
            fitted.left_out = seen.scores.len() - order.len();
            fitted.out_of_fold = if fitted.out_of_fold > 0 { order.iter().filter(met).count() } else { 0 };
            fitted.ambiguous = if told { 0 } else { fitted.ambiguous };
        }
        let mut said = lookup.notes(fitted.as_ref(), false, told);
        if lookup.is_same() && labels.is_none() {
            said.push(ListNote::LabeledDrawn);
        }
        let places: HashMap<usize, usize> = rows.iter().enumerate().map(|(at, row)| (row.row, at)).collect();
        let mut found = Found::new(rows.len(), explainer);
        let told_labels = match source {
            Source::Memory(data) => {
                found.add(data, 0, all, &places)?;
                data.labels().map(<[Label]>::to_vec)
            }
            Source::Place { input, also, threads } => {
                let (cut, mut first) = (Cutting { threads: *threads, ..Cutting::default() }, 0);
                let streamed = self.encoding().stream(input, also, cut, &mut |data: Dataset| {
                    found.add(&data, first, all, &places)?;
                    first += data.len();
                    Ok::<(), Error>(())
                })?;
                if first != all {
                    let what = "rows in a table that was read twice";
                    return Err(TableError::Length { what, expected: all, found: first }.into());
                }
                streamed.labels
            }
        };
        // Rows that are empty in every column count, too.
        let labels = told_labels.or_else(|| {
            let mut of_rows = vec![Label::Unlabeled; all];
            seen.numbers.iter().zip(&labels?).for_each(|(&row, &label)| of_rows[row as usize] = label);
            Some(of_rows)
        });
        let table = found.rows.unwrap_or_default();
        let facts = DrawFacts {
            model: self.fingerprint()?,
            table: labels.as_ref().map_or(table, |labels| table.of_labels(labels)).letters(),
            columns: found.columns.unwrap_or(0),
            seed: settings.seed,
            counts: match &labels {
                Some(labels) => count_labels(labels),
                None => Counts { positive: 0, unlabeled: order.len(), negative: 0 },
            },
            predicted,
            strata: plan.strata.clone(),
            labeled: labeled_by_stratum(&seen, &lookup, &order, &plan.strata, rows_of_model),
        };
        Ok(AuditDraw {
            strata: plan.strata,
            forecast,
            forecast_by,
            predicted,
            asked,
            out_of_fold: fitted.as_ref().map_or(0, |fitted| fitted.out_of_fold),
            left_out: seen.scores.len() - order.len(),
            ambiguous: fitted.as_ref().map_or(0, |fitted| fitted.ambiguous),
            said,
            notes,
            largest_piece: seen.largest,
            prints: found.cells.iter().map(|&cells| facts.print_of(cells)).collect(),
            ids: found.ids,
            because: found.because,
            rows,
            facts,
        })
    }
}

/// The labels that the rows of the fitted table had; `None` for other tables, and where no row was labeled.
fn labels_of_fit(seen: &Seen, lookup: &RowLookup) -> Option<Vec<Label>> {
    let matcher = lookup.matcher().filter(|matcher| matcher.is_fitted_table())?;
    let kinds = (0..seen.scores.len()).map(|at| seen.kind(at, Some(matcher)));
    let mut has_labels = false;
    let label = |kind: RowKind| {
        has_labels |= kind.is_labeled() || kind == RowKind::Ambiguous;
        match kind {
            RowKind::Positive => Label::Positive,
            RowKind::Negative => Label::Negative,
            RowKind::New | RowKind::Unlabeled | RowKind::Ambiguous => Label::Unlabeled,
        }
    };
    let labels = kinds.map(label).collect();
    has_labels.then_some(labels)
}

/// How many labeled positives would be in each stratum of the list, by scores of what had not met them; `None` where these are not known.
fn labeled_by_stratum(
    seen: &Seen,
    lookup: &RowLookup,
    order: &[u32],
    strata: &[Range],
    rows_of_model: RowsOfModel,
) -> Option<Vec<usize>> {
    let matcher = lookup.matcher().filter(|matcher| matcher.is_fitted_table())?;
    rows_of_model?.ok().filter(|known| known.is_complete())?;
    let mut labeled = vec![0; strata.len()];
    for at in (0..seen.scores.len()).filter(|&at| seen.kind(at, Some(matcher)) == RowKind::Positive) {
        let above = order.partition_point(|&row| seen.scores[row as usize] > seen.scores[at]);
        let stratum = strata.partition_point(|range| range.last <= above).min(strata.len() - 1);
        labeled[stratum] += 1;
    }
    Some(labeled)
}

impl AuditDraw {
    /// Sixteen letters by which the draw is known, and those of its model and its table.
    pub fn fingerprints(&self) -> [String; 3] {
        [self.facts.fingerprint(), self.facts.model.clone(), self.facts.table.clone()]
    }

    /// What rows are known by: names of columns, and a cell for each row.
    pub fn ids(&self) -> &[(String, Vec<String>)] {
        &self.ids
    }

    /// What carried the score of each row, if that was asked for ([`AuditSettings::explain`]); else empty.
    pub fn because(&self) -> &[Vec<Contribution>] {
        &self.because
    }

    /// The file as columns, to be written by [`write_table`](onesided_data::write_table), with what rows are known by. Scores would
    /// tell the person what to answer, and are left out unless asked for.
    pub fn columns(&self, with_scores: bool) -> Vec<(String, OutColumn)> {
        let same = |text: &str| OutColumn::Text(vec![text.to_string(); self.rows.len()]);
        let key = |(row, &print): (&AuditRow, &u64)| {
            RowKey { print, row: row.row, stratum: row.stratum }.to_text(&self.facts)
        };
        let keys = self.rows.iter().zip(&self.prints).map(key).collect();
        let mut columns = vec![
            (KEY.to_string(), OutColumn::Text(keys)),
            (ROW.to_string(), OutColumn::U64(self.rows.iter().map(|row| row.row as u64 + 1).collect())),
            (
                ANSWER.to_string(),
                OutColumn::Choice { cells: vec![String::new(); self.rows.len()], of: &ANSWERS },
            ),
        ];
        columns.extend(FOR_PEOPLE.map(|name| (name.to_string(), same(""))));
        for (name, ids) in &self.ids {
            let ours = [KEY, ROW, ANSWER, DRAW, "score"];
            let taken = ours.iter().chain(&FOR_PEOPLE).any(|ours| ours == name);
            let name = if taken { format!("{name}_of_table") } else { name.clone() };
            columns.push((name, OutColumn::Text(ids.clone())));
        }
        if with_scores {
            let scores = self.rows.iter().map(|row| row.score).collect();
            columns.push(("score".to_string(), OutColumn::F32(scores)));
        }
        columns.push((DRAW.to_string(), same(&self.facts.to_text())));
        columns
    }
}
