//! What an audit shows of who was labeled, when its answers are learned from.
//!
//! Answered positives are hidden ones, drawn with known chances. Next to them labeled positives show what labels favor, in scores and column by
//! column ([`labels_by_answers`]). Where they differ, labeled rows are weighted by how many hidden positives like them there are for each:
//! the odds of an answered one, by the columns that differ most and by where rows rank.
//!
//! The draw tells how many labeled positives rank in each stratum, and not which. Their order is that of small trees which had not met them.

use crate::{Answered, Audit, AuditedRow, Error, Learner};
use onesided_data::{ColumnKind, Columns, Dataset, Label, Matrix, Store};
use onesided_eval::audit::{LabelsByAnswers, PositivesKnown, labels_by_answers};
use onesided_learn::labeling::{hidden_per_labeled, labeled_against_rest};
use onesided_learn::{Task, Views};
use std::borrow::Cow;
use std::ops::Range;

/// Columns that labeled rows are weighted by, at most: the answers are few.
const MOST_COLUMNS: usize = 2;

/// Positives that are known, in a table.
struct Known {
    /// Rows that were labeled before the audit, and the stratum of each; then those that were answered.
    rows: Vec<u32>,
    strata: Vec<usize>,
    labeled: usize,
    rates: Vec<f64>,
    /// Where small trees rank them.
    scores: Vec<f32>,
}

impl Audit {
    /// [`teach`](Self::teach) for a fit: answered positives show which positives were labeled, and where that is not at random the labeled
    /// ones are weighted by it.
    pub(crate) fn teach_fit(&self, data: &Dataset, learner: &Learner) -> Result<(Dataset, Answered), Error> {
        let (taught, mut answered) = self.teach(data)?;
        let Some(known) = self.known(data, &answered.answers, learner)? else {
            return Ok((taught, answered));
        };
        let is_answered: Vec<bool> = (0..known.rows.len()).map(|at| at >= known.labeled).collect();
        let seed = learner.config().seed.unwrap_or(0);
        let positives =
            PositivesKnown { answered: &is_answered, strata: &known.strata, rates: &known.rates, seed };
        let row = |at: usize| known.rows[at] as usize;
        answered.labeling = match data.rows() {
            Store::Dense(matrix) => {
                let names = data.encoding().names();
                labels_by_answers(positives, &names, |column, at| matrix.row(row(at))[column])
            }
            _ => labels_by_answers(positives, &[], |_, _| 0.0),
        };
        match answered.labeling.as_ref().filter(|test| test.refutes()) {
            Some(test) => Ok((known.weigh(data, taught, test)?, answered)),
            None => Ok((taught, answered)),
        }
    }

    /// Labeled and answered positives with their strata; `None` where the draw does not tell where labeled ones rank, or labels have changed.
    fn known(
        &self,
        data: &Dataset,
        answers: &[AuditedRow],
        learner: &Learner,
    ) -> Result<Option<Known>, Error> {
        let Some((of_strata, rates)) = self.labeled_and_rates() else { return Ok(None) };
        let Some(labels) = data.labels() else { return Ok(None) };
        let labeled: Vec<u32> =
            (0..labels.len()).filter(|&row| labels[row] == Label::Positive).map(|row| row as u32).collect();
        if data.rows_not_blank().is_some()
            || of_strata.iter().sum::<usize>() != labeled.len()
            || data.dense().is_err()
        {
            return Ok(None);
        }
        let config = learner.config();
        let scenario = learner.scenario_of(data);
        let task = Task::new(data, false, scenario, config.seed.unwrap_or(0), config.machine())?;
        let scores = labeled_against_rest(&task, &Views::new(data))?;
        let score = |row: u32| scores[row as usize].unwrap_or(0.0) as f32;
        let mut order = labeled;
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        let (mut rows, labeled) = (order.clone(), order.len());
        let mut strata: Vec<usize> =
            of_strata.iter().enumerate().flat_map(|(at, &rows)| std::iter::repeat_n(at, rows)).collect();
        let places = self.places_of_rows(data)?;
        for (place, stratum) in places.into_iter().zip(self.strata_of_rows()) {
            let answer = answers.iter().find(|answer| Some(answer.row) == place);
            if answer.is_some_and(|answer| answer.answer == Some(true)) && rates[stratum] > 0.0 {
                rows.push(place.unwrap_or(0) as u32);
                strata.push(stratum);
            }
        }
        let scores = rows.iter().map(|&row| score(row)).collect();
        Ok(Some(Known { rows, strata, labeled, rates, scores }))
    }
}

impl Known {
    /// The rows as they were taught, with labeled ones weighted to be like the answered ones.
    fn weigh(&self, before: &Dataset, taught: Dataset, test: &LabelsByAnswers) -> Result<Dataset, Error> {
        let names = before.encoding().names();
        // Columns as the test saw them, and scores.
        let told: Vec<usize> = test
            .columns
            .iter()
            .take(MOST_COLUMNS)
            .filter_map(|apart| names.iter().position(|name| *name == apart.column))
            .collect();
        let dense = before.dense()?;
        let width = told.len() + 1;
        let mut values = Vec::with_capacity(self.rows.len() * width);
        for (&row, &score) in self.rows.iter().zip(&self.scores) {
            values.push(score);
            values.extend(told.iter().map(|&column| dense.row(row as usize)[column]));
        }
        let matrix = Matrix::new(self.rows.len(), width, values)?;
        let columns = Columns { matrix: Cow::Owned(matrix), kinds: vec![ColumnKind::Numbers; width] };
        let varies = |at: usize| {
            let first = columns.matrix.row(0)[at];
            (1..self.labeled).any(|row| columns.matrix.row(row)[at] != first)
        };
        let named: Vec<(String, Range<usize>)> =
            (0..width).filter(|&at| varies(at)).map(|at| (at.to_string(), at..at + 1)).collect();
        let labeled: Vec<u32> = (0..self.labeled as u32).collect();
        let answered: Vec<(u32, f64)> = (self.labeled..self.rows.len())
            .map(|at| (at as u32, 1.0 / self.rates[self.strata[at]]))
            .collect();
        let hidden = hidden_per_labeled(&columns, &named, &labeled, &answered)?;
        let mean = hidden.iter().sum::<f64>() / hidden.len().max(1) as f64;
        let mut weights = taught.weights().map_or_else(|| vec![1.0; taught.len()], <[f32]>::to_vec);
        for (&row, hidden) in self.rows.iter().zip(hidden) {
            weights[row as usize] *= (hidden / mean) as f32;
        }
        Ok(taught.with_weights(weights)?)
    }
}
