//! Rows for an audit: which list they are drawn from, and how wide the answer will be.
//!
//! The list is the one that a person works through: rows that the model was fitted on are ranked by their scores out of fold, and
//! of the fitted table those that are labeled are left out ([`Model::rank_known`]). What to expect of the answers follows from the
//! probabilities: of unlabeled rows those of unlabeled rows ([`Among`]), so that their mean is the share of positives that the model
//! was fitted with. A model without a share of positives has no such probabilities; then the widest intervals are named.

use crate::audit::{ANSWER, DRAW, FOR_PEOPLE, KEY, ROW};
use crate::audit_key::{DrawFacts, RowKey};
use crate::{Among, Error, KnownRows, Model, Ranked, RankedList, RowKind};
use onesided_data::{Counts, Dataset, Fingerprint, Label, OutColumn, count_labels};
use onesided_eval::Top;
use onesided_eval::audit::{AuditEstimate, Drawn, Plan, Range};
use serde::Serialize;
use std::borrow::Cow;

/// What to draw.
#[derive(Clone, Debug, Default)]
pub struct AuditSettings {
    /// How many rows.
    pub rows: usize,
    /// Cuts to judge in addition to the model's own. About a quarter of the draws goes to the rows above them, or more.
    pub cuts: Vec<Top>,
    /// The seed of the draw. Another seed is another draw, and draws add up.
    pub seed: u64,
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
    /// Which rows are labeled was not told: it is known from fitting.
    pub labels_from_fit: bool,
    facts: DrawFacts,
    /// The fingerprint of each drawn row.
    prints: Vec<u64>,
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
        known: Option<&KnownRows>,
    ) -> Result<AuditDraw, Error> {
        let list = known.map(|known| self.rank_known(data, known, true)).transpose()?;
        let from_fit = list.as_ref().and_then(labels_of);
        let ambiguous = list.as_ref().filter(|_| data.labels().is_none()).map_or(0, |list| list.ambiguous);
        let labels_from_fit = data.labels().is_none() && from_fit.is_some();
        let labels = data.labels().map(Cow::Borrowed).or(from_fit.map(Cow::Owned));
        let mut ranked = match list {
            Some(list) => (list.rows, list.kinds, list.out_of_fold > 0),
            None => (self.rank(data)?, Vec::new(), false),
        };
        if let Some(labels) = &labels {
            ranked.0.retain(|one| labels[one.row] == Label::Unlabeled);
        }
        let (ranked, kinds, is_out_of_fold) = ranked;
        let met = |one: &&Ranked| is_out_of_fold && kinds[one.row] != RowKind::New;
        let out_of_fold = ranked.iter().filter(met).count();
        let predicted = ranked.iter().filter(|one| one.positive).count();
        let mut asked =
            settings.cuts.iter().map(|cut| cut.of(ranked.len())).collect::<Result<Vec<_>, _>>()?;
        asked.sort_unstable();
        asked.dedup();
        let among = if labels.is_some() { Among::Unlabeled } else { Among::Population };
        let probabilities: Vec<f32> =
            ranked.iter().map(|one| self.probability_among(one.score, among)).collect();
        let plan = Plan::new(&probabilities, &[predicted], &asked, settings.rows)?;
        let row = |drawn: Drawn| AuditRow {
            row: ranked[drawn.place].row,
            stratum: drawn.stratum,
            score: ranked[drawn.place].score,
            chance: plan.strata[drawn.stratum].probability(),
        };
        let rows: Vec<AuditRow> = plan.draw(settings.seed).into_iter().map(row).collect();
        let (forecast_by, forecast) = if self.is_of_labels() {
            (ForecastBy::Widest, plan.widest(0.95)?)
        } else {
            (ForecastBy::Model, plan.forecast(0.95)?)
        };
        let facts = DrawFacts {
            model: self.fingerprint()?,
            table: self.table(data, labels.as_deref())?,
            columns: data.keys().and(self.encoding().keyed_columns()).unwrap_or(0),
            seed: settings.seed,
            counts: match labels.as_deref() {
                Some(labels) => count_labels(labels),
                None => Counts { positive: 0, unlabeled: ranked.len(), negative: 0 },
            },
            predicted,
            strata: plan.strata.clone(),
        };
        // Rows that are no table's are known by what the model sees of them.
        let cells = match data.keys() {
            Some(keys) => Cow::Borrowed(keys),
            None => Cow::Owned(self.encoded(data)?.fingerprints(0)?),
        };
        let prints = rows.iter().map(|row| facts.print_of(cells[row.row])).collect();
        Ok(AuditDraw {
            strata: plan.strata,
            forecast,
            forecast_by,
            rows,
            predicted,
            asked,
            out_of_fold,
            left_out: data.len() - data.blank_rows().len() - ranked.len(),
            ambiguous,
            labels_from_fit,
            facts,
            prints,
        })
    }

    /// The fingerprint of a table that is audited: its rows, and which of them are labeled.
    fn table(&self, data: &Dataset, labels: Option<&[Label]>) -> Result<String, Error> {
        let rows = Fingerprint::default().of_rows(self.encoded(data)?.as_ref());
        Ok(labels.map_or(rows, |labels| rows.of_labels(labels)).letters())
    }
}

/// The labels that the rows of the fitted table had; `None` for other tables, and where no row was labeled.
fn labels_of(list: &RankedList) -> Option<Vec<Label>> {
    let label = |kind: &RowKind| match kind {
        RowKind::Positive => Label::Positive,
        RowKind::Negative => Label::Negative,
        RowKind::New | RowKind::Unlabeled | RowKind::Ambiguous => Label::Unlabeled,
    };
    let is_of_labels = |kind: &RowKind| kind.is_labeled() || *kind == RowKind::Ambiguous;
    let has_labels = list.is_fitted_table && list.kinds.iter().any(is_of_labels);
    has_labels.then(|| list.kinds.iter().map(label).collect())
}

impl AuditDraw {
    /// Sixteen letters by which the draw is known, and those of its model and its table.
    pub fn fingerprints(&self) -> [String; 3] {
        [self.facts.fingerprint(), self.facts.model.clone(), self.facts.table.clone()]
    }

    /// The file as columns, to be written by [`write_table`](onesided_data::write_table); the data must be those that were
    /// drawn from. Their identifiers are copied. Scores would tell the person what to answer, and are left out unless
    /// asked for.
    pub fn columns(&self, data: &Dataset, with_scores: bool) -> Vec<(String, OutColumn)> {
        let same = |text: &str| OutColumn::Text(vec![text.to_string(); self.rows.len()]);
        let key = |(row, &print): (&AuditRow, &u64)| {
            RowKey { print, row: row.row, stratum: row.stratum }.to_text(&self.facts)
        };
        let keys = self.rows.iter().zip(&self.prints).map(key).collect();
        let mut columns = vec![
            (KEY.to_string(), OutColumn::Text(keys)),
            (ROW.to_string(), OutColumn::U64(self.rows.iter().map(|row| row.row as u64 + 1).collect())),
            (ANSWER.to_string(), same("")),
        ];
        columns.extend(FOR_PEOPLE.map(|name| (name.to_string(), same(""))));
        for (name, ids) in data.ids() {
            let ours = [KEY, ROW, ANSWER, DRAW, "score"];
            let taken = ours.iter().chain(&FOR_PEOPLE).any(|ours| ours == name);
            let name = if taken { format!("{name}_of_table") } else { name.clone() };
            let cells = self.rows.iter().map(|row| ids.get(row.row).to_string()).collect();
            columns.push((name, OutColumn::Text(cells)));
        }
        if with_scores {
            let scores = self.rows.iter().map(|row| row.score).collect();
            columns.push(("score".to_string(), OutColumn::F32(scores)));
        }
        columns.push((DRAW.to_string(), same(&self.facts.to_text())));
        columns
    }
}
