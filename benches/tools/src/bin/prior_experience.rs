//! What can be seen of tables whose share of positives is known: the lines of `benches/prior/experience/seen.csv`.
//!
//! `cargo run --release -p onesided-tools --bin prior_experience -- TABLE.csv…`: columns `label` and `truth` are 1 or 0, the others are
//! features. Prints a line for each table: its name, μ, n_p, n_u, AUC of P against U, ln of the bounds at 10, 30, 50 and
//! 70 % of P, the bound that the data give, and the consensus of the estimators with its interval.

use onesided::prior::PriorSettings;
use onesided::{Error, Input, InputOptions, Label, Learner};
use onesided_data::Roles;
use std::path::Path;

fn main() -> Result<(), Error> {
    for path in std::env::args().skip(1) {
        let named = |name: &str| Some(name.to_string());
        let options = InputOptions {
            roles: Roles { label: named("label"), truth: named("truth"), ..Roles::default() },
            ..InputOptions::default()
        };
        let data = options.read(&Input::one(Path::new(&path)))?;
        let learner = Learner::new().threads(1).prior_settings(PriorSettings::quick());
        let report = learner.estimate_prior(&data)?;
        let labels = data.labels().ok_or(Error::NeedsLabels)?;
        let truth = data.truth().unwrap_or_default();
        let hidden = labels.iter().zip(truth).filter(|(label, truth)| **label == Label::Unlabeled && **truth);
        let (seen, consensus) = (&report.answer.seen, &report.consensus);
        let mu = hidden.count() as f64 / seen.unlabeled as f64;
        let [a, b, c, d] = seen.ln_bounds;
        println!(
            "{},{mu:.6},{},{},{:.6},{a:.6},{b:.6},{c:.6},{d:.6},{:.6},{:.6},{:.6},{:.6}",
            Path::new(&path).file_stem().unwrap_or_default().to_string_lossy(),
            seen.positive,
            seen.unlabeled,
            seen.auc,
            report.answer.bound,
            consensus.mu,
            consensus.interval.0,
            consensus.interval.1,
        );
    }
    Ok(())
}
