//! The paper's figure: training seen from a layer of two units, and the samples that change sides in it.
//!
//! C. Xie, Q. Cheng, L. Chen, J. Liang, Y. Xiao, "Collective Loss Function for Positive and Unlabeled Learning", arXiv
//! 2005.03228, 2020, put a dense layer of two units before the score and draw its activations for 500 training samples
//! after epochs 1, 4 and 7, with five samples that are followed. [`figure`] trains the one run of a spec so and looks at
//! the network after every epoch; [`Figure::chart`] draws what it saw, [`Figure::candidates`] lists the unlabeled rows
//! that changed sides most often.

mod candidates;
mod picture;
mod plane;
mod tracks;

pub use crate::spec::FigureSpec;
pub use candidates::{RowToLabel, tally};
use candidates::{csv, rank};
pub use plane::Boundary;
use tracks::choose;
pub use tracks::{Kind, Rule, Track, crossings};

use crate::ExperimentError;
use crate::estimated::Estimates;
use crate::results::Record;
use crate::set::Set;
use crate::spec::Spec;
use crate::trial::Trial;
use onesided_data::Stream;
use onesided_learn::{At, Kinds, Machine, Signal, Views};
use onesided_net::{Engine, ExecutorConfig, TrainProgress, score_rows};
use onesided_report::Thumbnail;
use std::collections::HashMap;
use std::path::Path;

/// What was seen of a run.
#[derive(Clone, Debug)]
pub struct TrainingFigure {
    /// The spec's title.
    pub title: String,
    /// What to show.
    pub plan: FigureSpec,
    /// The training rows that are drawn.
    pub samples: Vec<DrawnRow>,
    /// The boundary after each epoch.
    pub boundaries: Vec<Boundary>,
    /// The samples that are followed.
    pub followed: Vec<Followed>,
    /// Every unlabeled row, the most restless first.
    pub candidates: Vec<RowToLabel>,
    /// Whether rows are separate files.
    pub files: bool,
    /// The outcome of the run, with its two units.
    pub record: Record,
}

/// One training row.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnRow {
    /// Its file or its published number.
    pub name: String,
    /// What it is, and its score after each epoch.
    pub track: Track,
    /// Its two activations after each epoch.
    pub places: Vec<(f64, f64)>,
}

/// A sample that is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// Why.
    pub rule: Rule,
    /// Its number among the samples.
    pub sample: usize,
    /// What it looks like, if it is a picture.
    pub picture: Option<Thumbnail>,
}

/// Trains the one run of a spec with two units before its score. `observer` sees every batch and returns false to stop.
pub fn figure(
    spec: &Spec,
    data: &Path,
    machine: Machine,
    observer: &mut (dyn FnMut(&TrainProgress) -> bool + Send),
) -> Result<TrainingFigure, ExperimentError> {
    let refuse = |detail: String| ExperimentError::Spec { file: spec.file.display().to_string(), detail };
    let plan = spec.figure.as_ref().ok_or_else(|| refuse("it has no section [figure]".into()))?;
    let runs = spec.runs().map_err(refuse)?;
    plan.check(&runs).map_err(refuse)?;
    let run = &runs[0];
    let named =
        |cause: ExperimentError| ExperimentError::Run { run: run.name.clone(), cause: Box::new(cause) };
    let set = Set::read(&spec.data[run.data], run.settings.features, data)?;
    let trial = Trial::new(run, spec.prior_error_kind, &set, machine)
        .and_then(|trial| trial.estimated(spec.prior_error_kind, &Estimates::default()))
        .map_err(named)?;
    let network = trial.network()?.ok_or_else(|| refuse("its run trains no network".into()))?;
    let network = plan.narrowed(network);
    let trial = trial.with_network(network.clone());
    let views = Views::new(set.rows());
    let (source, shape) = views.source()?;
    let engine = Engine::new(trial.device()?, source, shape)?;
    let drawn = drawn(trial.training(), &set.train, plan.samples, run.seed);
    let unlabeled = &trial.training().unlabeled;
    // Scored after each epoch: every unlabeled row, then the labeled ones that are drawn.
    let labeled = drawn.iter().filter(|(_, kind)| *kind == Kind::Labeled).map(|(row, _)| *row);
    let watched: Vec<u32> = unlabeled.iter().copied().chain(labeled).collect();
    let rows: Vec<u32> = drawn.iter().map(|(row, _)| *row).collect();
    let setting = ExecutorConfig {
        threads: machine.threads,
        precision: machine.precision,
        ..ExecutorConfig::default()
    };
    let mut scores: Vec<Vec<f32>> = vec![Vec::new(); watched.len()];
    let (mut places, mut boundaries) = (vec![Vec::new(); rows.len()], Vec::new());
    let mut epoch_now = 0;
    let outcome = trial.train(
        Some(&engine),
        &mut |progress| {
            let At::Batch(progress) = progress.at else { return Signal::Continue };
            epoch_now = progress.epoch;
            observer(progress).into()
        },
        &mut |_, executor| {
            let new = score_rows(executor, &watched)?;
            scores.iter_mut().zip(new).for_each(|(scores, score)| scores.push(score));
            let mut weights = executor.weights()?;
            boundaries.push(Boundary::of(&mut weights)?);
            let new = plane::activations(&engine, &network, &weights, &rows, &setting)?;
            places.iter_mut().zip(new).for_each(|(places, place)| places.push(place));
            Ok(())
        },
    );
    let Some(record) = outcome.map_err(named)? else {
        return Err(ExperimentError::Stopped { epoch: epoch_now });
    };
    let number_of: HashMap<u32, usize> = watched.iter().enumerate().map(|(i, &row)| (row, i)).collect();
    let sample = |((row, kind), places): (&(u32, Kind), Vec<(f64, f64)>)| DrawnRow {
        name: set.name(*row as usize),
        track: Track { kind: *kind, scores: scores[number_of[row]].clone() },
        places,
    };
    let samples: Vec<DrawnRow> = drawn.iter().zip(places).map(sample).collect();
    let tracks: Vec<Track> = samples.iter().map(|sample| sample.track.clone()).collect();
    let followed = choose(&tracks).into_iter().map(|(rule, sample)| {
        let picture = set.picture(rows[sample] as usize);
        let picture = picture.and_then(|(shape, bytes)| Thumbnail::new(shape.width, shape.height, bytes));
        Followed { rule, sample, picture }
    });
    let candidate = |(&row, scores): (&u32, &Vec<f32>)| {
        RowToLabel::new(set.name(row as usize), scores, set.train[row as usize])
    };
    let mut candidates: Vec<RowToLabel> = unlabeled.iter().zip(&scores).map(candidate).collect();
    rank(&mut candidates);
    Ok(TrainingFigure {
        title: spec.title.clone(),
        plan: plan.clone(),
        followed: followed.collect(),
        samples,
        boundaries,
        candidates,
        files: set.files.is_some(),
        record,
    })
}

/// Training rows picked at random, as many as asked for or all there are, in their order.
fn drawn(training: &Kinds, truth: &[bool], count: usize, seed: u64) -> Vec<(u32, Kind)> {
    let unlabeled = training.unlabeled.iter().map(|&row| {
        let kind = if truth[row as usize] { Kind::Hidden } else { Kind::Negative };
        (row, kind)
    });
    let labeled = training.positive.iter().map(|&row| (row, Kind::Labeled));
    let mut all: Vec<(u32, Kind)> = labeled.chain(unlabeled).collect();
    Stream::new(seed, "figure").shuffle(&mut all);
    all.truncate(count);
    all.sort_by_key(|(row, _)| *row);
    all
}

impl TrainingFigure {
    /// Of the samples of a kind, how many are decided positive after each epoch.
    pub fn decided_positive(&self, kind: Kind) -> Vec<usize> {
        let of = || self.samples.iter().filter(move |sample| sample.track.kind == kind);
        let after = |epoch: usize| of().filter(|sample| sample.track.scores[epoch] > 0.0).count();
        (0..self.boundaries.len()).map(after).collect()
    }

    /// The candidates as CSV, in order.
    pub fn crossings_csv(&self) -> String {
        csv(&self.candidates, if self.files { "file" } else { "row" })
    }
}
