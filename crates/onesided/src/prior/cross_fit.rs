//! Scores of positives against unlabeled rows, each by a model that never saw the row.
//!
//! The rows are dealt into folds, P and U apart. The rows of a fold are scored by a classifier trained on the others; a
//! sixth of those is kept from training too and decides when it stops (trees: how many; networks: which epoch).
//!
//! **Between folds.** Each fold's scores come from a model of its own, and cuts through the ranking are made over all of
//! them, so they must mean the same. Each model's logits are therefore calibrated on the sixth that stopped it:
//! slope and offset of a logistic regression of "labeled" on the logit (Platt, 1999), with a weak pull of both toward the
//! logits as they are. A calibrated logit is an estimate of ln[n_p p_p(x) / (n_u p_u(x))], whichever fold it comes from.

use super::platt::platt;
use super::scorer::Scorer;
use crate::Error;
use crate::choices::{Wishes, mix};
use crate::criterion::log_loss;
use onesided_data::{Label, PuData, Stream, stratified_folds};
use onesided_loss::{Options, Sampling, Setting, method};
use onesided_net::{Architecture, Device, Engine, Job, Shape, Source, scores_on, train_on};
use onesided_trees::{Binned, LabeledRows, TreesConfig, fit};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// One in this many of a fold's training rows, of either kind, decides when training stops.
const STOPPING_SHARE: usize = 6;
/// Most training rows of a model, P and U each thinned evenly: more rows would rank better, but not by enough to wait for.
const ROWS_TO_TRAIN: usize = 100_000;
/// Epochs of a network that only tells P from U: it overfits long before.
const MOST_EPOCHS: usize = 40;
/// Epochs without a lower loss after which it stops.
const PATIENCE: usize = 6;

/// How scores are made.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFitting {
    /// The classifier.
    pub scorer: Scorer,
    /// Parts that rows are scored in, at least 2.
    pub folds: usize,
    /// The seed of the folds and of everything random in the classifiers.
    pub seed: u64,
    /// Threads to use; 0 is all there are.
    pub threads: usize,
}

impl Default for CrossFitting {
    fn default() -> Self {
        Self { scorer: Scorer::Auto, folds: 5, seed: 0, threads: 0 }
    }
}

/// Cross-fitted logits of "labeled" against "unlabeled".
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFitted {
    /// Those of the positives, in the order of the rows.
    pub positive: Vec<f64>,
    /// Those of the unlabeled rows, in the order of the rows.
    pub unlabeled: Vec<f64>,
    /// The classifier they come from; never [`Scorer::Auto`].
    pub scorer: Scorer,
}

/// One fold: what is trained on, what decides when to stop, what is scored.
struct Fold {
    training: Vec<u32>,
    stopping: Vec<u32>,
    scored: Vec<u32>,
}

impl CrossFitting {
    /// Scores every row of `data`. The observer is told how many of how many models are done, from several threads but
    /// one at a time; it returns false to stop, which makes this an [`Error::Interrupted`].
    pub fn run(
        &self,
        data: &PuData,
        observer: &mut (dyn FnMut(usize, usize) -> bool + Send),
    ) -> Result<CrossFitted, Error> {
        let rows = data.features.rows();
        if u32::try_from(rows).is_err() {
            return Err(Error::TooManyRows(rows));
        }
        data.features.check_finite(|col| format!("feature {}", col + 1))?;
        let folds = self.deal(data)?;
        let labels: Vec<bool> = data.labels.iter().map(|&label| label == Label::Positive).collect();
        let scorer = self.scorer.for_width(data.features.cols());
        let binned = if scorer.has_trees() { Some(Binned::new(&data.features)?) } else { None };
        let work = Work { data, labels, binned, scorer, seed: self.seed };
        let mut done = 0;
        let scored = self.side_by_side(folds.len(), |fold| work.scores(&folds[fold], fold), &mut || {
            done += 1;
            observer(done, folds.len())
        })?;
        let mut logits = vec![0.0; rows];
        for (fold, scores) in folds.iter().zip(scored) {
            let pairs = fold.scored.iter().zip(scores);
            pairs.for_each(|(&row, score)| logits[row as usize] = score);
        }
        let of = |wanted: bool| -> Vec<f64> {
            logits.iter().zip(&work.labels).filter(|(_, label)| **label == wanted).map(|(z, _)| *z).collect()
        };
        Ok(CrossFitted { positive: of(true), unlabeled: of(false), scorer })
    }

    fn deal(&self, data: &PuData) -> Result<Vec<Fold>, Error> {
        let mut stream = Stream::new(self.seed, "stopping rows");
        let folds = stratified_folds(&data.labels, self.folds, self.seed)?;
        Ok(folds
            .into_iter()
            .map(|(rest, scored)| {
                let (mut training, mut stopping) = (Vec::new(), Vec::new());
                for kind in [Label::Positive, Label::Unlabeled] {
                    let mut rows: Vec<u32> =
                        rest.iter().filter(|&&row| data.labels[row] == kind).map(|&row| row as u32).collect();
                    stream.shuffle(&mut rows);
                    let share = rest.len() as f64 / ROWS_TO_TRAIN as f64;
                    rows.truncate((rows.len() as f64 / share.max(1.0)).ceil() as usize);
                    let kept = rows.len().div_ceil(STOPPING_SHARE);
                    stopping.extend_from_slice(&rows[..kept]);
                    training.extend_from_slice(&rows[kept..]);
                }
                training.sort_unstable();
                stopping.sort_unstable();
                Fold { training, stopping, scored: scored.into_iter().map(|row| row as u32).collect() }
            })
            .collect())
    }

    /// Runs `work` on each fold, as many at a time as there are threads. Each result depends on its fold alone, since
    /// every model is made by one thread.
    fn side_by_side<T: Send>(
        &self,
        folds: usize,
        work: impl Fn(usize) -> Result<T, Error> + Sync,
        after_each: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Vec<T>, Error> {
        let workers = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            some => some,
        };
        let next = AtomicUsize::new(0);
        let shared = Mutex::new(((0..folds).map(|_| None).collect::<Vec<_>>(), after_each));
        std::thread::scope(|scope| {
            for _ in 0..workers.min(folds) {
                scope.spawn(|| {
                    loop {
                        let fold = next.fetch_add(1, Ordering::SeqCst);
                        if fold >= folds {
                            return;
                        }
                        let result = work(fold);
                        // A thread that panicked is reported by the scope; what it held is whole.
                        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        let failed = result.is_err();
                        shared.0[fold] = Some(result);
                        if !(shared.1)() || failed {
                            next.store(folds, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        let (results, _) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (failed, others): (Vec<_>, Vec<_>) =
            results.into_iter().partition(|result| matches!(result, Some(Err(_))));
        match failed.into_iter().flatten().next() {
            Some(failure) => failure.map(|_| Vec::new()),
            None => others.into_iter().map(|result| result.unwrap_or(Err(STOPPED))).collect(),
        }
    }
}

const STOPPED: Error = Error::Interrupted { epoch: 0, checkpoint: None };

/// What is shared by the models of all folds.
struct Work<'a> {
    data: &'a PuData,
    labels: Vec<bool>,
    binned: Option<Binned>,
    scorer: Scorer,
    seed: u64,
}

/// Logits of the rows that stopped a model, and of those it is asked about.
type Logits = (Vec<f64>, Vec<f64>);

impl Work<'_> {
    /// Calibrated logits of a fold's rows: the mean over the models that take part.
    fn scores(&self, fold: &Fold, number: usize) -> Result<Vec<f64>, Error> {
        let seed = Stream::new(self.seed, &format!("cross-fit {number}")).next_u64();
        let labels: Vec<bool> = fold.stopping.iter().map(|&row| self.labels[row as usize]).collect();
        let mut models: Vec<Logits> = Vec::new();
        if let Some(binned) = &self.binned {
            models.push(self.trees(binned, fold, seed)?);
        }
        if let Some(architecture) = self.scorer.architecture() {
            models.push(self.network(&architecture, fold, seed)?);
        }
        let mut mean = vec![0.0; fold.scored.len()];
        for (stopping, scored) in &models {
            let (slope, offset) = platt(stopping, &labels);
            mean.iter_mut()
                .zip(scored)
                .for_each(|(sum, z)| *sum += (slope * z + offset) / models.len() as f64);
        }
        Ok(mean)
    }

    fn trees(&self, binned: &Binned, fold: &Fold, seed: u64) -> Result<Logits, Error> {
        let sample = LabeledRows { binned, positive: &self.labels, weights: None };
        let config = TreesConfig {
            trees: 300,
            max_leaves: 15,
            row_share: 0.8,
            column_share: 0.8,
            patience: 20,
            seed,
            threads: 1,
            ..TreesConfig::default()
        };
        let model = fit(&sample, &fold.training, &fold.stopping, &config)?.model;
        Ok((model.logits_of(binned, &fold.stopping)?, model.logits_of(binned, &fold.scored)?))
    }

    fn network(&self, architecture: &Architecture, fold: &Fold, seed: u64) -> Result<Logits, Error> {
        let input = Shape::flat(self.data.features.cols());
        let network = architecture.network(input)?;
        let wishes = Wishes {
            epochs: Some(MOST_EPOCHS),
            patience: Some(PATIENCE),
            weight_decay: Some(1e-3),
            seed,
            threads: 1,
            ..Wishes::default()
        };
        let config = wishes.config(fold.training.len(), architecture, mix("naive", None));
        let of = |rows: &[u32], wanted: bool| -> Vec<u32> {
            rows.iter().copied().filter(|&row| self.labels[row as usize] == wanted).collect()
        };
        let (positive, unlabeled) = (of(&fold.training, true), of(&fold.training, false));
        let naive = method("naive")?;
        let setting = Setting { prior_in_unlabeled: 0.5, sampling: Sampling::CaseControl };
        let objective = naive.build(&setting, &Options::default())?;
        let job = Job {
            network: &network,
            data: Source::Numbers(self.data.features.as_slice()),
            positive: &positive,
            unlabeled: &unlabeled,
            held_out_positive: &of(&fold.stopping, true),
            held_out_unlabeled: &of(&fold.stopping, false),
            objective: objective.as_ref(),
            start_bias: (positive.len() as f64 / unlabeled.len() as f64).ln(),
            risk: Some(&log_loss),
            risk_name: "log loss of labeled against unlabeled",
            config: &config,
            checkpoint: None,
        };
        let engine = Engine::new(Device::Cpu, job.data, input)?;
        let trained = train_on(&engine, &job, &mut |_| true)?;
        let scores = |rows: &[u32]| -> Result<Vec<f64>, Error> {
            let scores = scores_on(&engine, &network, &trained.weights, rows, &config.setting())?;
            Ok(scores.into_iter().map(f64::from).collect())
        };
        Ok((scores(&fold.stopping)?, scores(&fold.scored)?))
    }
}
