//! New rows next to what a model keeps of its fit.

use super::{
    Action, FalseAlarms, PromiseRests, Promises, Stands, Untold, Watched, WatchedColumn, WatchedLabels,
    WatchedPart, WatchedPromise, WatchedScores, WatchedShare, WatchedShares,
};
use crate::{Error, KnownRows, MetRows, Model, RowKind, RowLookup, RowsOfModel, ScoredBy};
use onesided_data::{
    ColumnDrift, ColumnPart, Cutting, Dataset, Encoding, Input, Label, Note, ReadAgain, Scenario, Shares,
};
use onesided_eval::drift::{NewScores, ScoreReference, ShareBefore};
use onesided_eval::{Interval, Sample, probability};

/// Fewer rows than this tell nothing,
const FEW_ROWS: usize = 20;
/// and as many labels.
const FEW_LABELED: usize = 20;
/// The change of a share of cells, or of rows up to a score, that does not matter.
const SAME_SHARE: f64 = 0.05;
/// The change that does not matter of how often rows are predicted positive or labeled: a fifth of how often they were.
const SAME_RATE: f64 = 0.2;
/// The part of all false alarms that columns may raise,
const OF_COLUMNS: f64 = 1.0 / 2.0;
/// and scores, decisions, the share and labels each.
const OF_OTHERS: f64 = 1.0 / 8.0;

/// Rows to look at: their scores, labels, and columns.
struct New<'n> {
    scores: Vec<f32>,
    labels: Option<&'n [Label]>,
    drifts: &'n [ColumnDrift],
    met: MetRows<'n>,
}

impl Model {
    /// Whether the rows of a place look like those that the model was fitted on. `also` may name a column of labels. With the rows that
    /// the model was fitted on ([`load_with_rows`](Self::load_with_rows)), those among the new ones get their scores out of fold.
    ///
    /// ```no_run
    /// # use onesided::{FalseAlarms, Input, Model, ReadAgain};
    /// let (model, rows) = Model::load_with_rows("model.safetensors")?;
    /// let month = Input::one("october.csv");
    /// let watched = model.watch(&month, &ReadAgain::default(), Some(rows.as_ref()), FalseAlarms::USUAL)?;
    /// println!("{}", watched.verdict());
    /// # Ok::<(), onesided::Error>(())
    /// ```
    pub fn watch(
        &self,
        input: &Input,
        also: &ReadAgain,
        rows_of_model: RowsOfModel,
        false_alarms: FalseAlarms,
    ) -> Result<Watched, Error> {
        Ok(self.watch_with_notes(input, also, rows_of_model, false_alarms)?.0)
    }

    /// [`watch`](Self::watch) with what reading met, as [`Dataset::notes`] tells it.
    pub fn watch_with_notes(
        &self,
        input: &Input,
        also: &ReadAgain,
        rows_of_model: RowsOfModel,
        false_alarms: FalseAlarms,
    ) -> Result<(Watched, Vec<Note>), Error> {
        let mut scores = Vec::new();
        let mut lookup = RowLookup::new(self, rows_of_model, false);
        let cut = Cutting { threads: self.threads(), ..Cutting::default() };
        let streamed = self.stream(input, also, cut, &mut |mut piece| {
            lookup.next(&mut piece)?;
            scores.extend_from_slice(&piece.scores);
            Ok(())
        })?;
        let (labels, drifts, met) = (streamed.labels.as_deref(), &streamed.drifts[..], lookup.met_rows());
        let new = New { scores, labels, drifts, met };
        Ok((self.watched(new, rows_of_model, false_alarms)?, streamed.notes))
    }

    /// [`watch`](Self::watch) of rows in memory, which may have labels.
    pub fn watch_data(
        &self,
        data: &Dataset,
        rows_of_model: RowsOfModel,
        false_alarms: FalseAlarms,
    ) -> Result<Watched, Error> {
        let mut lookup = RowLookup::new(self, rows_of_model, false);
        let mut piece = self.scored(data)?;
        lookup.next(&mut piece)?;
        let labels = piece.data.labels().map(<[Label]>::to_vec);
        let new = New {
            scores: std::mem::take(&mut piece.scores),
            labels: labels.as_deref(),
            drifts: data.drifts(),
            met: lookup.met_rows(),
        };
        self.watched(new, rows_of_model, false_alarms)
    }

    fn watched(
        &self,
        new: New,
        rows_of_model: RowsOfModel,
        false_alarms: FalseAlarms,
    ) -> Result<Watched, Error> {
        let mut watched = Watched {
            action: Action::Keep,
            rows: new.scores.len(),
            met: new.met.number(new.scores.len()),
            false_alarms,
            columns: Vec::new(),
            scores: None,
            decisions: None,
            share: None,
            labels: None,
            promises: Vec::new(),
            untold: Vec::new(),
            curve: Vec::new(),
        };
        if new.scores.len() < FEW_ROWS {
            watched.untold.push(Untold::Rows);
        } else {
            self.watch_columns(&mut watched, &new);
            let known = rows_of_model.and_then(Result::ok);
            match self.score_reference(known) {
                _ if new.met.in_sample() => watched.untold.push(Untold::Met),
                Some(reference) => self.watch_scores(&mut watched, &reference, &new)?,
                None => watched.untold.push(Untold::Scores),
            }
        }
        let promises = [Promises::Recall, Promises::Share, Promises::Probabilities];
        watched.promises = promises.map(|promise| self.watch_promise(&watched, promise)).to_vec();
        Ok(watched.decided())
    }

    fn watch_columns(&self, watched: &mut Watched, new: &New) {
        if !matches!(self.encoding().as_ref(), Encoding::Table(_)) {
            watched.untold.push(Untold::NoColumns);
            return;
        }
        // Of a column that is blank now, there is nothing to compare but how much is missing, and `predict` warns of it.
        let told = |drift: &&ColumnDrift| drift.parts.len() > 1 || drift.shift.is_some();
        let compared: Vec<&ColumnDrift> = new.drifts.iter().filter(told).collect();
        if compared.len() < new.drifts.len() {
            watched.untold.push(Untold::Columns { columns: new.drifts.len() - compared.len() });
        }
        let level = watched.false_alarms.get() * OF_COLUMNS / compared.len().max(1) as f64;
        let allowed = SAME_SHARE + self.other_mix(new);
        watched.columns = compared
            .into_iter()
            .map(|drift| {
                let p_value = drift.p_value(allowed);
                let part = |(part, shares): &(ColumnPart, Shares)| WatchedPart {
                    part: part.clone(),
                    before: shares.share_before(),
                    now: shares.share_now(),
                };
                WatchedColumn {
                    column: drift.column.clone(),
                    distance: drift.distance,
                    p_value,
                    moved: p_value <= level,
                    most: drift.most().map(part),
                    shift: drift.shift.clone(),
                }
            })
            .collect();
    }

    /// By how much shares of cells differ, at most, because labeled positives that were drawn apart are another part of the rows of the
    /// fit than of the new ones: w of all rows, and positives differ from unlabeled rows in 1 - μ of the rows at most.
    fn other_mix(&self, new: &New) -> f64 {
        let about = self.about();
        if about.scenario != Scenario::CaseControl || about.is_supervised() {
            return 0.0;
        }
        let part = |labeled: usize, all: usize| labeled as f64 / all.max(1) as f64;
        let counts = about.counts;
        let before = part(counts.positive, counts.positive + counts.unlabeled + counts.negative);
        let labeled = new.labels.map_or(0, |labels| of_kind(labels, Label::Positive).count());
        let least = about.least_share().map_or(0.0, |least| least.share);
        (1.0 - least) * (before - part(labeled, new.scores.len())).abs()
    }

    /// How the scores of the fit were spread: as the model keeps it, or, of a model of an earlier version, by the rows next to it.
    fn score_reference(&self, known: Option<&KnownRows>) -> Option<ScoreReference> {
        if let Some(reference) = &self.about().scores {
            return Some(reference.clone());
        }
        let known = known.filter(|known| known.is_complete() && known.by == ScoredBy::Method)?;
        let of = |kind: RowKind| -> Vec<f32> {
            let some = known.kinds.iter().zip(&known.scores).filter(|(other, _)| **other == kind);
            some.map(|(_, score)| *score).collect()
        };
        let (positive, other) = (of(RowKind::Positive), of(RowKind::Unlabeled));
        let [positive, other] = [&positive, &other].map(|scores| Sample { scores, weights: None });
        self.reference_of(positive, other)
    }

    fn watch_scores(
        &self,
        watched: &mut Watched,
        reference: &ScoreReference,
        new: &New,
    ) -> Result<(), Error> {
        let level = watched.false_alarms.get() * OF_OTHERS;
        let kind = |row: usize| new.labels.map_or(Label::Unlabeled, |labels| labels[row]);
        let (labeled, other): (Vec<usize>, Vec<usize>) =
            (0..new.scores.len()).partition(|&row| kind(row) == Label::Positive);
        let of = |rows: &[usize]| rows.iter().map(|&row| new.scores[row]).collect::<Vec<f32>>();
        let decide = |score: f32| self.decide(probability(f64::from(score)) as f32);
        let counted = reference.count(&of(&labeled), &of(&other), &decide)?;
        let (before, now) = (reference.population(), reference.sample(&counted));
        let share = reference.positive_share(&now, self.share_before());
        let scores = reference.moved(&before, &now, SAME_SHARE);
        let moved = scores.p_value <= level;
        let explained = |share| {
            // One more mean was fitted to these very rows, so what is left is less than chance alone would leave.
            reference.moved(&reference.at_share(share), &now, SAME_SHARE).p_value > level
        };
        let explained_by_share = share.as_ref().filter(|_| moved).map(explained);
        watched.scores = Some(WatchedScores { scores, moved, explained_by_share });
        let decisions = reference.decisions(&now);
        watched.decisions = Some(WatchedShares::new(decisions, SAME_RATE * decisions.share_before(), level));
        match share {
            Some(_) if explained_by_share == Some(false) => watched.untold.push(Untold::Unexplained),
            Some(share) => watched.share = Some(WatchedShare { share, moved: share.p_value <= level }),
            None => watched.untold.push(Untold::Share),
        }
        let at_share = share.map_or(before.clone(), |share| reference.at_share(&share));
        watched.curve = reference.curve([&before[0], &now, &at_share[0]]);
        if new.labels.is_some() {
            self.watch_labels(watched, reference, &counted, labeled.len());
        }
        Ok(())
    }

    fn watch_labels(
        &self,
        watched: &mut Watched,
        reference: &ScoreReference,
        counted: &NewScores,
        labeled: usize,
    ) {
        if labeled < FEW_LABELED {
            watched.untold.push(Untold::Labels { rows: labeled });
            return;
        }
        let level = watched.false_alarms.get() * OF_OTHERS / 2.0;
        let scores = reference.moved_labeled(counted, SAME_SHARE);
        let scores = WatchedScores { scores, moved: scores.p_value <= level, explained_by_share: None };
        let of_population = self.about().scenario == Scenario::SingleSample && !self.about().is_supervised();
        let labeled_share = of_population.then(|| {
            let counts = self.about().counts;
            let fitted = counts.positive + counts.unlabeled + counts.negative;
            let mut shares = Shares::of_counts(counts.positive, fitted, labeled, watched.rows);
            // More positives, more labels: as many more as the interval of the share allows.
            if let Some((share, now)) =
                watched.share.and_then(|watched| Some((watched.share.before?, watched.share.now?)))
                && share > 0.0
            {
                let labeled = shares.share_before();
                let [low, high] = [now.low, now.high].map(|now| (labeled * now / share).min(1.0));
                shares.before = shares.share_now().clamp(low, high) * shares.of_before;
            }
            let allowed = SAME_RATE * shares.share_before();
            WatchedShares::new(shares, allowed, level)
        });
        watched.labels = Some(WatchedLabels { rows: labeled, scores, labeled: labeled_share });
    }

    /// The shares that the model was fitted with.
    fn share_before(&self) -> Option<ShareBefore> {
        let about = self.about();
        let population = about.class_prior?.get();
        if about.is_supervised() {
            return Some(ShareBefore { population, other: exactly(0.0) });
        }
        let mu = about.prior_in_unlabeled?.get();
        let other = about.prior_estimate.as_ref().map_or(exactly(mu), |estimate| {
            let (low, high) = estimate.interval;
            Interval { value: mu, low: low.min(mu), high: high.max(mu) }
        });
        Some(ShareBefore { population, other })
    }

    fn watch_promise(&self, watched: &Watched, promise: Promises) -> WatchedPromise {
        let about = self.about();
        let made = match promise {
            Promises::Recall => !about.reserve.is_empty(),
            Promises::Share | Promises::Probabilities => about.class_prior.is_some(),
        };
        let labels_moved = watched.labels.is_some_and(|labels| labels.scores.moved);
        let share_moved = watched.share.is_some_and(|share| share.moved);
        let unexplained =
            watched.scores.is_some_and(|scores| scores.moved && scores.explained_by_share != Some(true));
        let (stands, because) = if !made {
            (Stands::NotMade, Some(PromiseRests::Nothing))
        } else if about.doubt.is_some() {
            (Stands::Fails, Some(PromiseRests::Fit))
        } else if watched.shifted().next().is_some() {
            (Stands::Fails, Some(PromiseRests::Columns))
        } else if promise == Promises::Recall && labels_moved {
            (Stands::Fails, Some(PromiseRests::Labels))
        } else if promise != Promises::Recall && share_moved {
            (Stands::Fails, Some(PromiseRests::Share))
        } else if unexplained {
            (Stands::Doubtful, Some(PromiseRests::Scores))
        } else if watched.scores.is_none() || (promise != Promises::Recall && watched.share.is_none()) {
            (Stands::Doubtful, Some(PromiseRests::Untold))
        } else {
            (Stands::Holds, None)
        };
        WatchedPromise { promise, stands, because }
    }
}

fn exactly(share: f64) -> Interval {
    Interval { value: share, low: share, high: share }
}

fn of_kind(labels: &[Label], kind: Label) -> impl Iterator<Item = &Label> {
    labels.iter().filter(move |&&label| label == kind)
}
