//! What each member of the portfolio says of the rows it was not trained on, and of new rows: for studying how to blend.
//!
//! `cargo run --release -p onesided-tools --bin auto_members -- train.csv test.csv PRIOR OUT`: the label of `train.csv` is its
//! column `label`, 1 or 0. Writes `OUT.txt`, a line per member with its name and seconds, and `OUT.bin`, 32-bit floats:
//! labels, then for each member its scores out of fold, the mean of its folds' models on the new rows, and the scores of
//! one model of all rows there.

use onesided_data::{
    ClassPrior, Input, InputOptions, Label, PriorInUnlabeled, ReadAgain, Scenario, stratified_folds,
};
use onesided_learn::{Config, Kinds, Machine, Portfolio, Priors, RunNumber, Signal, Subset, Task, Views};
use onesided_net::Device;
use std::fmt::Write;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, prior, out] = &given[..] else { return Err("train.csv test.csv PRIOR OUT".into()) };
    let options = InputOptions::labeled("label");
    let data = options.read(&Input::One(train.into()))?;
    let new = data.encoding().read(&Input::One(test.into()), &ReadAgain::default())?;
    let mut task =
        Task::new(&data, false, Scenario::SingleSample, 0, Machine { threads: 1, ..Machine::default() })?;
    let class = ClassPrior::new(prior.parse()?)?;
    let in_unlabeled: PriorInUnlabeled = class.to_prior_in_unlabeled(Scenario::SingleSample, task.counts)?;
    task.priors = Some(Priors { class, in_unlabeled, estimated: false });
    let views = Views::new(&data);
    let portfolio = Portfolio::new(&data, &Config::default())?;
    let folds = stratified_folds(&task.labels, 5.min(task.counts.positive / 2).max(2), 0)?;
    let labels: Vec<f32> =
        task.labels.iter().map(|&label| f32::from(u8::from(label == Label::Positive))).collect();
    let (mut bytes, mut names) = (floats(&labels), String::new());
    for member in &portfolio.members {
        let begin = Instant::now();
        let trainer = member.scorer.open(&task, &views)?;
        let fit = |training: &Kinds, stopping: &Kinds, scored: &[u32], stop_after| {
            let run = RunNumber { name: &member.name, ..RunNumber::default() };
            let subset = Subset { training, stopping, scored, stop_after, seed: 0, threads: 1, run };
            trainer.fit(&subset, &member.candidate(), &mut |_| Signal::Continue)
        };
        let (mut out_of_fold, mut mean) = (vec![0f32; data.len()], vec![0f32; new.len()]);
        let mut rounds = Vec::new();
        for (kept, held) in &folds {
            let scored: Vec<u32> = held.iter().map(|&row| row as u32).collect();
            let (training, stopping) = match member.rounds {
                Some(_) => (task.split(kept), Kinds::default()),
                None => {
                    let some: Vec<usize> = kept.iter().copied().step_by(8).collect();
                    let rest: Vec<usize> = kept
                        .iter()
                        .copied()
                        .enumerate()
                        .filter(|(at, _)| at % 8 > 0)
                        .map(|(_, row)| row)
                        .collect();
                    (task.split(&rest), task.split(&some))
                }
            };
            let fit = fit(&training, &stopping, &scored, member.rounds)?;
            held.iter().zip(&fit.scored).for_each(|(&row, &score)| out_of_fold[row] = score);
            let said = fit.fitted.scores(&new, Device::Cpu, 1)?;
            mean.iter_mut().zip(said).for_each(|(mean, score)| *mean += score / folds.len() as f32);
            rounds.push(fit.history.best_epoch);
        }
        rounds.sort_unstable();
        let folded = begin.elapsed().as_secs_f64();
        let all: Vec<usize> = (0..data.len()).collect();
        let rounds = member.rounds.unwrap_or(rounds[rounds.len() / 2].max(1));
        let whole = fit(&task.split(&all), &Kinds::default(), &[], Some(rounds))?;
        let said = whole.fitted.scores(&new, Device::Cpu, 1)?;
        writeln!(names, "{}\t{folded:.3}\t{:.3}", member.name, begin.elapsed().as_secs_f64() - folded)?;
        [out_of_fold, mean, said].iter().for_each(|scores| bytes.extend(floats(scores)));
    }
    std::fs::write(format!("{out}.txt"), names)?;
    std::fs::write(format!("{out}.bin"), bytes)?;
    Ok(())
}

fn floats(of: &[f32]) -> Vec<u8> {
    of.iter().flat_map(|value| value.to_le_bytes()).collect()
}
