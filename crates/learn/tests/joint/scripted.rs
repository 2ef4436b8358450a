//! A small scorer of one's own: what it says, how it stops and whether it fails are written down by the test, and what it was asked
//! for is written down by it.

use onesided_data::{Dataset, Label, Matrix, PriorInUnlabeled, Scenario};
use onesided_learn::{
    At, Blend, Candidate, Error, Fitted, History, Info, Kinds, Machine, Observer, OwnModel, Policy, Priors,
    Progress, ScoreScale, Scorer, Signal, Subset, Task, TrainedScorer, Trainer, Views,
};
use onesided_net::OnTheWay;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// A table of one column, the number of the row, with the truth.
pub struct Table {
    pub data: Dataset,
    pub truth: Vec<bool>,
}

/// Four of ten rows are positive, and one in `labeled` of them has its label.
pub fn table(rows: usize, labeled: usize) -> Table {
    let truth: Vec<bool> = (0..rows).map(|row| row % 10 >= 6).collect();
    let mut seen = 0;
    let labels = truth.iter().map(|&positive| {
        seen += usize::from(positive);
        if positive && seen.is_multiple_of(labeled) { Label::Positive } else { Label::Unlabeled }
    });
    let labels = labels.collect();
    let values = (0..rows).map(|row| row as f32).collect();
    let matrix = Matrix::new(rows, 1, values).unwrap();
    let data = Dataset::from_scaled(matrix, None).unwrap().with_labels(labels).unwrap();
    Table { data, truth }
}

impl Table {
    /// A task with the prior that the rows have, on two threads.
    pub fn task(&self) -> Task<'_> {
        let machine = Machine { threads: 2, ..Machine::default() };
        let task = Task::new(&self.data, false, Scenario::SingleSample, 7, machine).unwrap();
        let unlabeled = task.labels.iter().zip(&self.truth).filter(|(label, _)| **label == Label::Unlabeled);
        let hidden = unlabeled.filter(|(_, truth)| **truth).count();
        let mu = PriorInUnlabeled::new(hidden as f64 / task.counts.unlabeled as f64).unwrap();
        let priors = Some(Priors::from_unlabeled(mu, task.scenario, task.drawn, false));
        Task { priors, ..task }
    }
}

/// What a model says of a row: how well it sees the truth, and how much it says at all.
#[derive(Clone, Copy, Debug)]
pub struct Says {
    /// What a positive scores more than a negative, next to noise from -1 to 1.
    pub signal: f32,
    /// The stream of its noise.
    pub noise: u32,
    /// All of it times this.
    pub size: f32,
    /// And plus this.
    pub offset: f32,
}

impl Default for Says {
    fn default() -> Self {
        Self { signal: 1.0, noise: 1, size: 1.0, offset: 0.0 }
    }
}

impl Says {
    /// Noise that follows from the row alone.
    pub fn score(&self, row: u32) -> f32 {
        let mixed = (row + 1)
            .wrapping_mul(2_654_435_761)
            .wrapping_mul(2 * self.noise + 1)
            .rotate_left(self.noise % 31);
        let noise = (mixed >> 8) as f32 / (1 << 23) as f32 - 1.0;
        let truth = if row % 10 >= 6 { self.signal } else { 0.0 };
        self.size * (truth + noise) + self.offset
    }
}

impl OwnModel for Says {
    fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
        Ok(rows.dense()?.as_slice().iter().map(|&x| self.score(x as u32)).collect())
    }
}

/// When a training of a script fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fails {
    Never,
    /// In the fold that scores this row.
    WhereScored(u32),
    /// It says what is no number.
    Silently,
}

/// One candidate: what it says after each epoch.
#[derive(Clone, Debug)]
pub struct Script {
    pub candidate: Candidate,
    pub says: Says,
    /// What it says after each epoch where it has some; the best is the one that `best` names for a fold.
    pub epochs: Vec<Says>,
    pub fails: Fails,
}

impl Script {
    pub fn new(name: &str, says: Says) -> Self {
        Self { candidate: Candidate::only(name), says, epochs: Vec::new(), fails: Fails::Never }
    }

    /// One that takes so many rounds, whatever the rows say.
    pub fn of_rounds(name: &str, rounds: usize, says: Says) -> Self {
        let mut script = Self::new(name, says);
        script.candidate.rounds = Some(rounds);
        script
    }
}

/// What a trainer was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub name: String,
    pub training: Kinds,
    pub stopping: Kinds,
    pub scored: Vec<u32>,
    pub stop_after: Option<usize>,
    pub seed: u64,
    pub threads: usize,
    pub run: (usize, usize),
}

/// The scorer.
pub struct Scripted {
    pub scripts: Vec<Script>,
    pub policy: Policy,
    pub any_threads: bool,
    pub side_by_side: bool,
    pub works_without_prior: bool,
    pub asked: Mutex<Vec<Asked>>,
    pub cleaned_up: Mutex<Option<usize>>,
}

impl Scripted {
    pub fn choosing(scripts: Vec<Script>) -> Self {
        Self {
            scripts,
            policy: Policy::Choose,
            any_threads: false,
            side_by_side: true,
            works_without_prior: false,
            asked: Mutex::default(),
            cleaned_up: Mutex::default(),
        }
    }

    pub fn blending(scripts: Vec<Script>, blend: Blend) -> Self {
        Self { policy: Policy::Blend(blend), ..Self::choosing(scripts) }
    }

    /// What it was asked for, in the order of candidates and of the first row that is scored.
    pub fn asked(&self) -> Vec<Asked> {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.sort_by_key(|one| (one.name.clone(), one.run, one.scored.first().copied()));
        asked
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.asked().into_iter().map(|one| one.name).collect();
        names.dedup();
        names
    }
}

impl Scorer for Scripted {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("scripted"),
            model: Cow::Borrowed("script"),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: self.works_without_prior,
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        self.scripts.iter().map(|script| script.candidate.clone()).collect()
    }

    fn policy(&self) -> Policy {
        self.policy.clone()
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn open<'d>(
        &'d self,
        _task: &'d Task<'_>,
        _views: &'d Views<'_>,
    ) -> Result<Box<dyn Trainer + 'd>, Error> {
        Ok(Box::new(ScriptedTrainer { scorer: self }))
    }

    fn clean_up(&self, runs: usize) {
        *self.cleaned_up.lock().unwrap() = Some(runs);
    }
}

struct ScriptedTrainer<'d> {
    scorer: &'d Scripted,
}

impl Trainer for ScriptedTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        self.scorer.asked.lock().unwrap().push(Asked {
            name: candidate.name.clone(),
            training: subset.training.clone(),
            stopping: subset.stopping.clone(),
            scored: subset.scored.to_vec(),
            stop_after: subset.stop_after,
            seed: subset.seed,
            threads: subset.threads,
            run: (subset.run.number, subset.run.all),
        });
        let script = self.scorer.scripts.iter().find(|one| one.candidate.name == candidate.name).unwrap();
        let mut finished_early = false;
        let most = script.epochs.len().max(2);
        for done in 1..=most {
            let at = At::Tree { done, most };
            match observer(&progress(subset.run.name, subset.run.number, subset.run.all, at)) {
                Signal::Continue => {}
                Signal::Finish => {
                    finished_early = true;
                    break;
                }
                Signal::Abort => return Err(Error::Interrupted { epoch: done, checkpoint: None }),
            }
        }
        match script.fails {
            Fails::WhereScored(row) if subset.scored.contains(&row) => {
                return Err(Error::NeedsTruth(candidate.name.clone()));
            }
            _ => {}
        }
        let score = |says: &Says, rows: &[u32]| -> Vec<f32> {
            let silent = script.fails == Fails::Silently;
            rows.iter().map(|&row| if silent { f32::NAN } else { says.score(row) }).collect()
        };
        // Which epoch is best follows from the rows that decide: the last digit of their sum.
        let epochs = script.epochs.len();
        let sum: u32 = subset.stopping.positive.iter().fold(0, |sum, row| sum.wrapping_add(*row));
        let best_epoch = match (subset.stop_after, epochs) {
            (_, 0) => 0,
            (Some(stop_after), _) => stop_after.min(epochs),
            (None, _) => 1 + sum as usize % epochs,
        };
        let says = if best_epoch == 0 { script.says } else { script.epochs[best_epoch - 1] };
        let mut rounds = OnTheWay::new(epochs, subset.scored.len());
        if !subset.stopping.is_empty() {
            for (at, says) in script.epochs.iter().enumerate() {
                rounds.keep(at + 1, || score(says, subset.scored));
            }
        }
        Ok(TrainedScorer {
            fitted: Fitted::Own { name: candidate.name.clone(), model: Arc::new(says) },
            stopping: score(&says, &subset.stopping.all()),
            scored: score(&says, subset.scored),
            rounds,
            scale: ScoreScale { mean: f64::from(says.offset), deviation: f64::from(says.size) },
            history: History { epochs, best_epoch, ..History::default() },
            described: format!("{} after {best_epoch}", candidate.name),
            resumed_from: None,
            finished_early,
        })
    }

    fn any_threads(&self) -> bool {
        self.scorer.any_threads
    }

    fn side_by_side(&self) -> bool {
        self.scorer.side_by_side
    }
}

fn progress<'a>(name: &'a str, run: usize, runs: usize, at: At<'a>) -> Progress<'a> {
    let mut progress = Progress::of_columns(0, 0);
    (progress.name, progress.run, progress.runs, progress.at) = (name, run, runs, at);
    progress
}

/// What a model of a script says of these rows.
pub fn said(fitted: &Fitted, data: &Dataset) -> Vec<f32> {
    fitted.scores(data, onesided_net::Device::Cpu, 1).unwrap()
}

/// The AUC of the true classes, or of labeled rows against unlabeled ones.
pub fn auc(scores: &[f32], positive: &[bool]) -> f64 {
    onesided_eval::auc(scores, positive).unwrap()
}
