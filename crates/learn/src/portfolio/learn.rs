//! Members on folds, a mean of them, and the mean on all rows.
//!
//! 1. Rows are split into folds; of a large table a sample is.
//! 2. Every member is trained on each fold's other rows and scores its own: a job each, a thread each.
//! 3. Weights of the members follow from these scores ([`super::blend`]).
//! 4. A member is the mean of its folds' models, which is steadier than one model of all rows. Where a sample was split, or
//!    one model is wanted, members with a weight are trained once more on all rows instead.
//! 5. The mean's scores out of fold are calibrated at U's prior, and measured: those of each fold by weights that follow from the
//!    other folds, because weights flatter the positives that they follow from. Rows outside of the sample are scored by the models of one
//!    fold each, in turn: those have not met them either.

use super::blend::{self, OutOfFold, Parts};
use super::judge::{Fold, Judged, Tries, folds, judge, judged_rows};
use super::{Portfolio, PortfolioMember};
use crate::align::{FoldScores, aligned};
use crate::criterion;
use crate::fitted::Member;
use crate::folds::workers;
use crate::pipeline::{Learned, by_row, shift, warnings};
use crate::{Beside, Error, Fitted, Kinds, Observer, Report, RunNumber, Scorer, Subset, Task, Tried, Views};
use onesided_data::{Counts, Description, Encoding, Feature, FeatureKind, PriorInUnlabeled, Stream, part_of};
use onesided_eval::Calibration;
use onesided_trees::TreesModel;
use std::collections::{BTreeMap, HashMap};

/// Rows outside of a sample are scored this many at a time.
const ROWS_AT_ONCE: usize = 65_536;
/// Parts that rows which were held out once are dealt into, to weigh members by other rows.
const PARTS: usize = 5;

pub(crate) fn learn(
    portfolio: &Portfolio,
    task: &Task,
    views: &Views,
    hold_out: Option<f64>,
    observer: Observer,
) -> Result<Learned, Error> {
    let sample = judged_rows(task);
    let sampled = sample.len() < task.data.len();
    let folds = folds(task, &sample, hold_out, portfolio.effort)?;
    let members: Vec<&PortfolioMember> = portfolio.members.iter().collect();
    let Tries { judged, failed, early, device } = judge(&members, task, views, &folds, observer)?;
    let scores: Vec<OutOfFold> = judged.iter().map(|one| one.scores.clone()).collect();
    let usual: Vec<f64> = judged.iter().map(|one| one.member.usual).collect();
    let weights = blend::weights(&scores, &usual, portfolio.single);
    let blended = blend::mean(&scores, &weights);
    let threads = workers(task.machine.threads);
    let fair = blend::by_other_parts(&scores, &usual, portfolio.single, &parts(&folds), &blended, threads);
    let mut report = report(task, &judged, &failed, &weights, &folds);
    report.beside = beside(task, &judged, &fair);
    report.notes.extend(not_monotone(&portfolio.not_monotone));
    report.device = device;
    let again = (sampled || (portfolio.single && hold_out.is_none())) && !early;
    if sampled {
        let trained = if again { "all others, too" } else { "these alone" };
        let (judged, all) = (sample.len(), task.data.len());
        report.warnings.push(format!(
            "members were judged on a sample of {}; the model was trained on {trained}",
            part_of(judged, all, "rows")
        ));
    }
    // What somebody asked to hold out stays out.
    let kept_out: Vec<u32> = match hold_out {
        Some(_) => folds.iter().flat_map(|fold| fold.scored.all()).collect(),
        None => Vec::new(),
    };
    let mut members = Vec::new();
    let chosen: Vec<(Judged, f64)> =
        judged.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
    let all = chosen.len();
    let described = described(&chosen);
    let mut out_of_fold = by_row(task.data.len(), of_folds(&folds, &blended));
    if sampled && hold_out.is_none() {
        beyond_the_sample(&chosen, &folds, task, views, &mut out_of_fold)?;
    }
    if task.cross_fit && !sampled && !early {
        once_more(&chosen, folds.len(), task, views, &mut out_of_fold, observer)?;
    }
    for (number, (one, weight)) in chosen.into_iter().enumerate() {
        let weight = weight / one.scale.deviation;
        if again {
            let fitted = on_all_rows(&one, task, views, &kept_out, (number, all), observer)?;
            members.push(Member { weight, fitted });
        } else {
            members.extend(mean_of(one.fits.into_iter().map(|fit| fit.fitted).collect(), weight))
        }
    }
    let members = described_once(members);
    let priors = task.priors;
    let mu = priors.map(|priors| priors.in_unlabeled).ok_or_else(|| Error::NeedsPrior("auto".to_string()))?;
    let held = fair.held();
    let calibration = Calibration::fit_weighted(held.positive, held.unlabeled, mu)?;
    let of_positives = folds.iter().flat_map(|fold| &fold.scored.positive);
    let of_unlabeled = folds.iter().flat_map(|fold| &fold.scored.unlabeled);
    Ok(Learned {
        held_out: of_positives.chain(of_unlabeled).copied().collect(),
        positive: fair.positive,
        unlabeled: fair.unlabeled,
        negative: fair.negative,
        out_of_fold,
        fitted: Fitted::Ensemble(members),
        info: portfolio.info(),
        model: if portfolio.single { "single".to_string() } else { "ensemble".to_string() },
        described,
        priors,
        calibration,
        shift: shift(task, priors),
        report,
    })
}

/// Which fold each scored row is in. Rows that were held out once are dealt into parts.
fn parts(folds: &[Fold]) -> Parts {
    let number = if folds.len() > 1 { folds.len() } else { PARTS };
    let of = |kind: fn(&Kinds) -> &Vec<u32>| -> Vec<usize> {
        let places = folds.iter().enumerate().flat_map(|(fold, one)| {
            (0..kind(&one.scored).len()).map(move |at| if folds.len() > 1 { fold } else { at % PARTS })
        });
        places.collect()
    };
    let of_rows = [of(|kinds| &kinds.positive), of(|kinds| &kinds.unlabeled), of(|kinds| &kinds.negative)];
    Parts { of_rows, number }
}

/// The rows of the folds with what the mean says of them, brought to one scale.
fn of_folds(folds: &[Fold], blended: &OutOfFold) -> Vec<(u32, f32)> {
    let (mut p, mut u, mut n) = (&blended.positive[..], &blended.unlabeled[..], &blended.negative[..]);
    let mut scores = Vec::with_capacity(folds.len());
    for Fold { scored, .. } in folds {
        let (positive, unlabeled, negative);
        (positive, p) = p.split_at(scored.positive.len());
        (unlabeled, u) = u.split_at(scored.unlabeled.len());
        (negative, n) = n.split_at(scored.negative.len());
        scores.push(FoldScores {
            rows: scored.all(),
            scores: [positive, unlabeled, negative].concat(),
            unlabeled: unlabeled.to_vec(),
        });
    }
    aligned(scores)
}

/// Scores the unlabeled rows a second time, by members that were trained on all positives and on the other parts of U, and takes
/// the mean. What keeps a row from being scored fairly is that it was met as an unlabeled one; positives need not be spared for
/// that, and of few positives a fifth is missed.
fn once_more(
    chosen: &[(Judged, f64)],
    parts: usize,
    task: &Task,
    views: &Views,
    out_of_fold: &mut [Option<f32>],
    observer: Observer,
) -> Result<(), Error> {
    let all = task.split(&(0..task.data.len()).collect::<Vec<usize>>());
    let dealt = |rows: &[u32], name: &str| -> Vec<u32> {
        let mut rows = rows.to_vec();
        Stream::new(task.seed, name).shuffle(&mut rows);
        rows
    };
    let unlabeled = dealt(&all.unlabeled, "unlabeled rows of the list");
    let part = |rows: &[u32], number: usize| -> Vec<u32> {
        let mut some: Vec<u32> = rows.iter().copied().skip(number).step_by(parts).collect();
        some.sort_unstable();
        some
    };
    let mut of_unlabeled: Vec<Vec<usize>> =
        (0..parts).map(|number| part(&unlabeled, number).iter().map(|&row| row as usize).collect()).collect();
    task.gather(&mut of_unlabeled);
    let unlabeled: Vec<Vec<u32>> =
        of_unlabeled.iter().map(|rows| rows.iter().map(|&row| row as u32).collect()).collect();
    let fold = |number: usize| {
        let others = (0..parts).filter(|&other| other != number);
        let mut others: Vec<u32> = others.flat_map(|other| unlabeled[other].iter().copied()).collect();
        others.sort_unstable();
        let training = Kinds { unlabeled: others, ..all.clone() };
        // Positives are scored with them for no other reason than that scores of both are looked at.
        let scored = Kinds {
            positive: part(&all.positive, number),
            unlabeled: unlabeled[number].clone(),
            negative: Vec::new(),
        };
        Fold { training, scored }
    };
    let folds: Vec<Fold> = (0..parts).map(fold).collect();
    let members: Vec<&PortfolioMember> = chosen.iter().map(|(one, _)| one.member).collect();
    let Tries { judged, early, .. } = judge(&members, task, views, &folds, observer)?;
    if early || judged.len() < chosen.len() {
        return Ok(());
    }
    let scores: Vec<OutOfFold> = judged.into_iter().map(|one| one.scores).collect();
    let weights: Vec<f64> = chosen.iter().map(|(_, weight)| *weight).collect();
    let again = blend::mean(&scores, &weights);
    let mut met = vec![false; task.data.len()];
    let first = |row: u32| task.copies.as_ref().map_or(row as usize, |copies| copies.of_row(row as usize));
    all.positive.iter().chain(&all.negative).for_each(|&row| met[first(row)] = true);
    for (row, score) in of_folds(&folds, &again) {
        // Labeled rows were met, and with them their copies.
        if !met[first(row)] {
            let place = &mut out_of_fold[row as usize];
            *place = place.map(|first| (first + score) / 2.0);
        }
    }
    Ok(())
}

/// Scores of the rows that no fold had, by the models of one fold each: of the one that has a row's copy, or in turn.
fn beyond_the_sample(
    chosen: &[(Judged, f64)],
    of_sample: &[Fold],
    task: &Task,
    views: &Views,
    out_of_fold: &mut [Option<f32>],
) -> Result<(), Error> {
    let mut there = vec![false; task.data.len()];
    let mut fold_of: HashMap<usize, usize> = HashMap::new();
    for (number, fold) in of_sample.iter().enumerate() {
        for row in fold.scored.all() {
            there[row as usize] = true;
            if let Some(copies) = &task.copies {
                fold_of.insert(copies.of_row(row as usize), number);
            }
        }
    }
    let others: Vec<usize> = (0..task.data.len()).filter(|&row| !there[row]).collect();
    let data = views.scaled(onesided_data::Scaling::Standard);
    let folds = chosen.first().map_or(1, |(one, _)| one.fits.len().max(1));
    for fold in 0..folds {
        let fold_for = |at: usize, row: usize| {
            let of_copy = task.copies.as_ref().and_then(|copies| fold_of.get(&copies.of_row(row)));
            of_copy.copied().unwrap_or(at % folds)
        };
        let mine = others.iter().enumerate().filter(|&(at, &row)| fold_for(at, row) == fold);
        let rows: Vec<usize> = mine.map(|(_, &row)| row).collect();
        for some in rows.chunks(ROWS_AT_ONCE) {
            let part = data.select(some);
            let mut sum = vec![0f64; some.len()];
            for (one, weight) in chosen {
                let scores =
                    one.fits[fold].fitted.scores(&part, task.machine.device, task.machine.threads)?;
                let weight = weight / one.scale.deviation;
                sum.iter_mut().zip(scores).for_each(|(sum, score)| *sum += weight * f64::from(score));
            }
            some.iter().zip(sum).for_each(|(&row, sum)| out_of_fold[row] = Some(sum as f32));
        }
    }
    Ok(())
}

/// The models of the folds as one: their mean is steadier than a model of all rows, and costs no training.
fn mean_of(models: Vec<Fitted>, weight: f64) -> Vec<Member> {
    let many = models.len() as f64;
    let (mut trees, mut described, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut looked_at = None;
    for fitted in models {
        match fitted {
            Fitted::Trees(model) => trees.push(model),
            Fitted::Described { by, model } => {
                looked_at = Some(by);
                described.push(*model);
            }
            fitted => others.push(Member { weight: weight / many, fitted }),
        }
    }
    let share = weight * trees.len() as f64 / many;
    others
        .extend(TreesModel::mean(trees).map(|model| Member { weight: share, fitted: Fitted::Trees(model) }));
    // The models of a member look at one description.
    if let Some(by) = looked_at {
        let of_described = |Member { weight, fitted }| Member {
            weight,
            fitted: Fitted::Described { by, model: Box::new(fitted) },
        };
        others.extend(mean_of(described, weight).into_iter().map(of_described));
    }
    others
}

/// The same sum in which pictures are described once for all members that look at one description.
fn described_once(members: Vec<Member>) -> Vec<Member> {
    let mut described: Vec<(Description, Vec<Member>)> = Vec::new();
    let mut gathered = Vec::new();
    for Member { weight, fitted } in members {
        match fitted {
            Fitted::Described { by, model } => {
                let member = Member { weight, fitted: *model };
                match described.iter_mut().find(|(of, _)| *of == by) {
                    Some((_, all)) => all.push(member),
                    None => described.push((by, vec![member])),
                }
            }
            fitted => gathered.push(Member { weight, fitted }),
        }
    }
    gathered.extend(described.into_iter().map(|(by, members)| {
        let model = Box::new(Fitted::Ensemble(members));
        Member { weight: 1.0, fitted: Fitted::Described { by, model } }
    }));
    gathered
}

/// A member on all rows but those to keep out, through the rounds that its folds kept.
fn on_all_rows(
    one: &Judged,
    task: &Task,
    views: &Views,
    kept_out: &[u32],
    (number, all): (usize, usize),
    observer: Observer,
) -> Result<Fitted, Error> {
    let trainer = one.member.scorer.open(task, views)?;
    let name = format!("{} on all rows", one.member.name);
    let mut there = vec![true; task.data.len()];
    kept_out.iter().for_each(|&row| there[row as usize] = false);
    let rows: Vec<usize> = (0..task.data.len()).filter(|&row| there[row]).collect();
    let subset = Subset {
        training: &task.split(&rows),
        stopping: &Kinds::default(),
        scored: &[],
        stop_after: Some(one.member.rounds.unwrap_or_else(|| one.rounds().max(1))),
        seed: task.seed,
        threads: task.machine.threads,
        run: RunNumber { name: &name, number, all, resumed_from: None },
    };
    Ok(trainer.fit(&subset, &one.member.candidate(), observer)?.fitted)
}

/// `0.40 bagged trees, 0.33 linear, 0.27 forest`.
fn described(chosen: &[(Judged, f64)]) -> String {
    let mut parts: Vec<(f64, &str)> =
        chosen.iter().map(|(one, weight)| (*weight, one.member.name.as_str())).collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.iter().map(|(weight, name)| format!("{weight:.2} {name}")).collect::<Vec<_>>().join(", ")
}

/// That trees were not tried on columns next to a text that was asked for.
fn without_trees(encoding: &Encoding) -> Option<String> {
    let Encoding::Table(features) = encoding else { return None };
    let is_text = |feature: &&Feature| matches!(feature.kind, FeatureKind::Text { beside: false, .. });
    let text = features.columns().iter().find(is_text)?;
    let others = features.columns().iter().filter(|feature| !is_text(feature)).count();
    (others > 0).then(|| {
        format!(
            "trees were not tried on the {others} other columns, because column '{}' was asked to be a text and gives {} \
             terms; a column of free text that is not asked for gives few, and trees learn from them and from the others",
            text.name,
            text.width()
        )
    })
}

/// That members were not tried because they cannot keep a constraint.
fn not_monotone(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "not tried, because they cannot hold a score to going up or down with a column: {}",
            names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
        )
    })
}

fn report(
    task: &Task,
    judged: &[Judged],
    failed: &[(String, String)],
    weights: &[f64],
    folds: &[Fold],
) -> Report {
    let held_out = Counts {
        positive: folds.iter().map(|fold| fold.scored.positive.len()).sum(),
        unlabeled: folds.iter().map(|fold| fold.scored.unlabeled.len()).sum(),
        negative: folds.iter().map(|fold| fold.scored.negative.len()).sum(),
    };
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let mut first = true;
    let tried = judged.iter().zip(weights).map(|(one, &weight)| {
        let chosen = weight == largest && std::mem::take(&mut first);
        let risk = one.scores.held().risk(task.mu());
        Tried {
            name: one.member.name.clone(),
            risk: risk.is_finite().then_some(risk),
            epochs: one.fits.iter().map(|fit| fit.history.epochs).max().unwrap_or(0),
            best_epoch: one.rounds(),
            chosen,
            reduction: one.member.reduction,
            auc: Some(one.scores.auc()),
            weight: Some(weight),
        }
    });
    let mut warnings = warnings(task, held_out.positive, 0.0);
    warnings.extend(without_trees(task.data.encoding()));
    warnings.extend(failed.iter().map(|(name, why)| format!("'{name}' was left out: {why}")));
    Report {
        config: None,
        seed: Some(task.seed),
        device: "cpu".to_string(),
        threads: Some(workers(task.machine.threads)),
        resumed_from: None,
        folds: folds.len(),
        held_out,
        criterion: criterion::auc_name(task).to_string(),
        candidates: tried.collect(),
        noise: None,
        history: Vec::new(),
        beside: Vec::new(),
        metrics: BTreeMap::new(),
        warnings,
        notes: Vec::new(),
    }
}

/// The mean, the plain alternative, and calling everything negative, by what can be said without a negative.
fn beside(task: &Task, judged: &[Judged], blended: &OutOfFold) -> Vec<Beside> {
    let Some(mu) = task.mu() else { return Vec::new() };
    let shift = shift(task, task.priors);
    // An accuracy at a prior that is a guess would be one, too.
    let known = task.priors.is_some_and(|priors| !priors.estimated);
    let row = |name: &str, scores: &OutOfFold| Beside {
        name: name.to_string(),
        auc: Some(scores.auc()),
        accuracy: accuracy(scores, mu, shift).filter(|_| known),
    };
    let mut rows = vec![row("auto", blended)];
    if let Some(naive) = judged.iter().find(|one| one.member.is_naive) {
        rows.push(row("naive", &naive.scores));
    }
    let accuracy = known.then_some(1.0 - mu.get());
    rows.push(Beside { name: "all negative".to_string(), auc: Some(0.5), accuracy });
    rows
}

/// The accuracy on unlabeled rows if their prior is right, of scores that were calibrated to it and decide for the
/// population: μ r + (1 - u) - μ (1 - r), where r and u are the shares of P and of U that are called positive.
fn accuracy(scores: &OutOfFold, mu: PriorInUnlabeled, shift: f64) -> Option<f64> {
    let held = scores.held();
    let calibration = Calibration::fit_weighted(held.positive, held.unlabeled, mu).ok()?;
    let called = |score: f32| if calibration.apply(score) + shift >= 0.0 { 1.0 } else { 0.0 };
    let (found, called, mu) = (held.positive.mean(called), held.unlabeled.mean(called), mu.get());
    // Beyond 1 the share and the labels do not fit together, and there is no accuracy to tell.
    Some(mu * found + (1.0 - called) - mu * (1.0 - found)).filter(|accuracy| (0.0..=1.0).contains(accuracy))
}
