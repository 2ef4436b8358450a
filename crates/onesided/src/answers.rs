//! What an audit teaches: rows that were answered become positives and known negatives, and the share of what is left.
//!
//! The rows of an audit were drawn by score, row i with probability p_i. To stand for all positives, or all negatives, of the
//! unlabeled rows they are weighted by 1/p_i; for either kind the weights are scaled to a mean of 1, so that an answer counts
//! as much as a label does.
//!
//! The audit says that a share s of the N unlabeled rows was positive, so that s N + P of all M rows were, P of them labeled. The
//! table may have changed since: with M' rows now it holds (s N + P) M' / M positives, if rows that came or went were like the
//! others. If P' of them are labeled now, answers included, the share among the U' rows that are left is
//!
//! ```text
//!   μ = ((s N + P) M' / M − P') / U',
//! ```
//!
//! and so for both ends of the interval. Of the table as it was that is (s N − k) / (N − n) for n answers of which k are positive.

use crate::{Audit, AuditReport, AuditedRow, Error, Model};
use onesided_data::{
    Counts, Dataset, Fingerprint, Label, PriorInUnlabeled, Scaling, Scenario, agree, count_labels, counted,
};
use onesided_eval::audit::LabelsByAnswers;
use onesided_learn::prior::PriorEstimate;
use std::collections::HashMap;

/// The level of the interval of the share.
const CONFIDENCE: f64 = 0.95;

/// What the answers of an audit came to, and the share of positives among rows that are still unlabeled.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The share of positives among those without a label.
    pub prior: PriorEstimate,
    /// Answers that say positive.
    pub positive: usize,
    /// Answers that say negative.
    pub negative: usize,
    /// What has changed since the rows were drawn, in sentences.
    pub notes: Vec<String>,
    /// What to be wary of, in sentences.
    pub warnings: Vec<String>,
    /// The answers themselves, of rows that had no label before.
    pub answers: Vec<AuditedRow>,
    /// Whether labels can be a random sample of the positives: answered positives next to labeled ones, in scores and in columns. Where they
    /// cannot, labeled rows are weighted to be like the answered ones.
    pub labeling: Option<LabelsByAnswers>,
}

/// How many rows have each label, but for those that are empty in every column: nobody asks about them, and nothing is learned from them.
fn counts_of(data: &Dataset, labels: &[Label]) -> Counts {
    let filled: Vec<Label> =
        (0..labels.len()).filter(|&row| !data.is_blank(row)).map(|row| labels[row]).collect();
    count_labels(&filled)
}

impl Model {
    /// This model for the table that it was fitted on with labels of their own, where an audit told the share of positives: it knows
    /// that among the rows that the audit left unanswered, and a column of labels leaves the answered ones unlabeled, too. `None` where
    /// no audit told it, or the labels leave no positive over.
    #[must_use]
    pub fn with_audited_share_of(&self, labels: &[Label]) -> Option<Self> {
        let about = self.about();
        let (estimate, mu) = (about.prior_estimate.as_ref()?, about.prior_in_unlabeled?);
        estimate.audited?;
        let (then, now) = (about.counts, count_labels(labels));
        let all = |counts: Counts| (counts.positive + counts.unlabeled + counts.negative) as f64;
        let grown = all(now) / all(then);
        let of_these = |mu: f64| {
            let positives = (mu * then.unlabeled as f64 + then.positive as f64) * grown;
            ((positives - now.positive as f64) / now.unlabeled as f64).clamp(0.0, 1.0)
        };
        let mu = PriorInUnlabeled::new(of_these(mu.get())).ok()?;
        let interval = (of_these(estimate.interval.0), of_these(estimate.interval.1));
        Some(self.with_share(mu, PriorEstimate { mu, interval, ..estimate.clone() }))
    }
}

impl Audit {
    /// Puts the answers into the table that they are of, as labels and weights. Rows are known by their cells, so the table may be in another order, have
    /// other rows as well, or other labels. It must be read as it was for the model that was audited, with
    /// [keys](onesided_data::InputOptions::keys_of) of [these columns](Self::keyed_columns); without keys it must be the very table.
    pub fn teach(&self, data: &Dataset) -> Result<(Dataset, Answered), Error> {
        let wrong = |what: String| Error::AuditFile { file: self.name().to_string(), what };
        let before = data.labels().ok_or(Error::NeedsLabels)?;
        let places = self.places_of_rows(data)?;
        let then = if self.keyed_columns().is_some() { self.drawn().counts } else { counts_of(data, before) };
        // Where positives are in a place of their own, the draw was from the unlabeled one.
        let apart = data.scenario() == Some(Scenario::CaseControl)
            && places.iter().flatten().all(|&row| before.get(row) != Some(&Label::Positive));
        let then = match then.positive {
            0 if apart => Counts { unlabeled: then.unlabeled, ..counts_of(data, before) },
            _ => then,
        };
        if then.positive == 0 {
            return Err(wrong(
                "was drawn from all rows, labeled ones among them, and says nothing of the unlabeled ones alone; draw it \
                 with the label column"
                    .to_string(),
            ));
        }
        let of_rows = || self.rows().zip(&places).filter_map(|(row, place)| Some((row.answer?, row, place)));
        let gone = of_rows().filter(|(.., place)| place.is_none()).count();
        let answered: Vec<(usize, bool, f64)> =
            of_rows().filter_map(|(answer, row, place)| Some(((*place)?, answer, row.chance))).collect();
        let mut labels = before.to_vec();
        let mut weights = data.weights().map_or_else(|| vec![1.0; labels.len()], <[f32]>::to_vec);
        let (mut positive, mut negative, mut answers) = (0, 0, Vec::new());
        for kind in [true, false] {
            let of_kind = || answered.iter().filter(|(_, answer, _)| *answer == kind);
            let mean = of_kind().map(|(_, _, p)| 1.0 / p).sum::<f64>() / of_kind().count().max(1) as f64;
            for &(row, _, chance) in of_kind() {
                let Some(label) = labels.get_mut(row) else {
                    return Err(wrong(format!("has row {}, and the table ends before it", row + 1)));
                };
                if *label != Label::Unlabeled {
                    // What is known without the audit stays.
                    continue;
                }
                *label = if kind { Label::Positive } else { Label::Negative };
                weights[row] *= (1.0 / chance / mean) as f32;
                answers.push(AuditedRow { row, answer: Some(kind), chance });
                *(if kind { &mut positive } else { &mut negative }) += 1;
            }
        }
        let now = counts_of(data, &labels);
        if now.unlabeled == 0 {
            return Err(wrong("answers every row: none is left to learn from as unlabeled".to_string()));
        }
        let report = self.report(CONFIDENCE)?;
        // What answers say of the labels is told with the columns in view.
        let report = AuditReport { labeling: None, ..report };
        let (share, warnings) = (report.estimate.share, report.warnings());
        let all = |counts: Counts| (counts.positive + counts.unlabeled + counts.negative) as f64;
        let grown = all(now) / all(then);
        let listed = then.unlabeled as f64;
        let edge = 0.5 / listed;
        let of_others = |share: f64| {
            let positives = (share * listed + then.positive as f64) * grown;
            ((positives - now.positive as f64) / now.unlabeled as f64).clamp(edge, 1.0 - edge)
        };
        let prior = PriorEstimate {
            mu: PriorInUnlabeled::new(of_others(share.value))?,
            cautious: None,
            interval: (of_others(share.low), of_others(share.high)),
            confidence: CONFIDENCE,
            one_sided: false,
            bound: None,
            audited: Some(answered.len()),
            assumed: None,
            agreement: true,
            scorer: "audit".to_string(),
            estimates: Vec::new(),
        };
        let known = answered.len() - positive - negative;
        let notes = self.changes(gone, known, all(then) as usize, all(now) as usize);
        let data = data.clone().with_labels(labels)?.with_weights(weights)?;
        Ok((data, Answered { prior, positive, negative, notes, warnings, answers, labeling: None }))
    }

    /// What has changed since the rows were drawn.
    fn changes(&self, gone: usize, known: usize, then: usize, now: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let rows = |rows: usize| format!("{} {}", counted(rows, "answered rows"), agree(rows, "is", "are"));
        if gone > 0 {
            notes.push(format!(
                "{} not in this table any more and {} nothing",
                rows(gone),
                agree(gone, "teaches", "teach")
            ));
        }
        if known > 0 {
            notes.push(format!(
                "{} labeled by now and {} that label",
                rows(known),
                agree(known, "keeps", "keep")
            ));
        }
        if then != now {
            let (more, rows) = if now > then { ("more", now - then) } else { ("fewer", then - now) };
            notes.push(format!(
                "the table has {} {more} than when it was audited: these are taken to be like the others",
                counted(rows, "rows")
            ));
        }
        notes
    }

    /// Where each row of the audit is in a table.
    pub(crate) fn places_of_rows(&self, data: &Dataset) -> Result<Vec<Option<usize>>, Error> {
        match self.keyed_columns() {
            Some(columns) => self.places(data, columns),
            None => self.places_in_same(data),
        }
    }

    /// Where each row of the audit is in a table, by its fingerprint. Of equal rows the one with its number is it, then one
    /// without a label.
    fn places(&self, data: &Dataset, columns: u64) -> Result<Vec<Option<usize>>, Error> {
        let labels = data.labels().unwrap_or_default();
        let scaled = [Scaling::Standard, Scaling::AsIs].map(|scaling| data.scaled(scaling));
        let cells: Vec<Vec<u64>> = match data.keys() {
            Some(keys) if columns != 0 => vec![keys.to_vec()],
            _ if columns != 0 => Vec::new(),
            // Rows that are no table's are known by what a model sees of them.
            _ => scaled.iter().map(|data| data.fingerprints(0)).collect::<Result<_, _>>()?,
        };
        for cells in cells {
            // One table of fingerprints for each draw, made when it is needed.
            let mut of_draws: HashMap<String, HashMap<u64, Vec<usize>>> = HashMap::new();
            let mut taken = vec![false; cells.len()];
            let mut wanted: Vec<(usize, usize)> = Vec::new();
            let mut places = vec![None; self.prints().count()];
            // Those whose number is right first, so that nobody else takes their place.
            let mut rest: Vec<(usize, Vec<usize>)> = Vec::new();
            for (at, (row, print)) in self.rows().zip(self.prints()).enumerate() {
                let Some((print, draw)) = print else { continue };
                let table = of_draws.entry(draw.fingerprint()).or_insert_with(|| {
                    let mut table: HashMap<u64, Vec<usize>> = HashMap::new();
                    for (row, &cells) in cells.iter().enumerate() {
                        table.entry(draw.print_of(cells)).or_default().push(row);
                    }
                    table
                });
                match table.get(print) {
                    Some(equal) if equal.contains(&row.row) => {
                        wanted.push((at, row.row));
                        taken[row.row] = true;
                    }
                    Some(equal) => rest.push((at, equal.clone())),
                    None => {}
                }
            }
            wanted.into_iter().for_each(|(at, row)| places[at] = Some(row));
            for (at, mut equal) in rest {
                equal.retain(|&row| !taken[row]);
                let place = equal.iter().find(|&&row| labels.get(row) == Some(&Label::Unlabeled));
                places[at] = place.or(equal.first()).copied();
                places[at].into_iter().for_each(|row| taken[row] = true);
            }
            if 2 * places.iter().flatten().count() > places.len() {
                return Ok(places);
            }
        }
        Err(self.other_table())
    }

    /// The numbers of the rows, for files that know them by these alone: it must be the very table.
    fn places_in_same(&self, data: &Dataset) -> Result<Vec<Option<usize>>, Error> {
        let labels = data.labels().unwrap_or_default();
        let is_ours = |scaling| {
            let scaled = data.scaled(scaling);
            let rows = Fingerprint::default().of_rows(scaled.as_ref());
            if rows.of_labels(labels).letters() == self.drawn().table {
                Some(true)
            } else {
                (rows.letters() == self.drawn().table).then_some(false)
            }
        };
        match is_ours(Scaling::Standard).or_else(|| is_ours(Scaling::AsIs)) {
            Some(true) => Ok(self.rows().map(|row| Some(row.row)).collect()),
            Some(false) => Err(Error::AuditFile {
                file: self.name().to_string(),
                what: "was drawn from all rows, labeled ones among them, and says nothing of the unlabeled ones alone; draw it with \
                       the label column"
                    .to_string(),
            }),
            None => Err(self.other_table()),
        }
    }

    fn other_table(&self) -> Error {
        Error::AuditFile {
            file: self.name().to_string(),
            what: "is an audit of another table, or of this one read in another way; give the table and the flags that its model \
                   was fitted with"
                .to_string(),
        }
    }
}
