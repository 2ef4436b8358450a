//! Times the classic systems.
//!
//!     cargo run --release -p onesided-tools --bin classic_speed -- FOLDER texts|usps|kernel|million [REPEATS]
//!
//! FOLDER holds `20news` and `usps`. A line has the median of the repeats and the quickest and the slowest of them, in
//! seconds; the last line has the peak memory of the process, where the system tells it.
//!
//! * `texts`: 20 Newsgroups (TF-IDF of single words; `alt`, `comp`, `misc` and `rec` are positive, a fifth of them hidden).
//!   First what `benches/classic/speed.py` times with scikit-learn and pulearn on the same texts, at the same settings, then
//!   every system as `fit` runs it, its settings chosen on held-out rows.
//! * `usps`: LDCE and KLDCE, zeros against the rest, with a share of the zeros hidden.
//! * `kernel`: kernel machines on 10,000 rows of 50 columns. `million`: random features on 1,000,000 of them.

use onesided_classic::systems::bagging::Bagging;
use onesided_classic::systems::biased_svm::BiasedSvm;
use onesided_classic::systems::elkan_noto::ElkanNoto;
use onesided_classic::systems::kldce::Kldce;
use onesided_classic::systems::{Space, systems};
use onesided_classic::{Examples, Hinge, Kernel, LinearSvm, Logistic, Problem, Rows, System};
use onesided_data::{Label, Matrix, PriorInUnlabeled, Scenario, Stream, TextOptions, Weighting, hide};
use onesided_experiment::{newsgroups, usps};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// pulearn's Elkan-Noto takes dense rows alone; this many terms fit into memory.
const FEW_TERMS: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let usage = "name the folder with 20news and usps, and what to time: texts, usps, kernel or million";
    let (folder, what) = (PathBuf::from(words.next().ok_or(usage)?), words.next().ok_or(usage)?);
    let repeats = words.next().map_or(Ok(1), |word| word.parse())?;
    match what.as_str() {
        "texts" => texts(&folder, repeats)?,
        "usps" => zeros(&folder, repeats)?,
        "kernel" => kernels(repeats)?,
        "million" => million(repeats)?,
        _ => return Err(usage.into()),
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("peak memory {}", peak.trim());
    }
    Ok(())
}

fn texts(folder: &std::path::Path, repeats: usize) -> Result<(), Box<dyn Error>> {
    let news = newsgroups(folder)?;
    let (truth, test_truth) = (below(&news.train.labels, 11), below(&news.test.labels, 11));
    let (features, rows) = timed("tf-idf", repeats, || {
        let made = TextOptions::default().fit_transform(&news.train.texts)?;
        let what = format!("{} x {}", made.1.rows(), made.1.cols());
        Ok((made, what))
    })?;
    // Every fifth positive, so that speed.py can do the same.
    let mut positives = 0;
    let mut labeled = |&positive: &bool| {
        positives += usize::from(positive);
        if positive && positives % 5 != 1 { Label::Positive } else { Label::Unlabeled }
    };
    let labels: Vec<Label> = truth.iter().map(&mut labeled).collect();
    let of = |wanted: Label| -> Vec<f64> {
        labels.iter().map(|&label| f64::from(u8::from(label == wanted))).collect()
    };
    let (p, u) = (of(Label::Positive), of(Label::Unlabeled));
    let examples = Examples::new(&rows, &p, &u)?;
    timed("logistic, C = 1", repeats, || {
        let objective = Logistic::default().fit(examples).objective;
        Ok(((), format!("objective {objective:.3}")))
    })?;
    for (name, hinge) in [("hinge, C = 1", Hinge::Linear), ("squared hinge, C = 1", Hinge::Squared)] {
        timed(name, repeats, || {
            let svm = LinearSvm { hinge, ..LinearSvm::default() };
            let objective = svm.fit(examples, &mut Stream::new(0, "svm")).objective;
            Ok(((), format!("objective {objective:.3}")))
        })?;
    }
    let fewer = TextOptions { max_terms: Some(FEW_TERMS), ..TextOptions::default() };
    let few = fewer.fit_transform(&news.train.texts)?.1;
    for (name, rows) in [("all terms", &rows), ("2,000 terms", &few)] {
        let elkan_noto = ElkanNoto { costs: vec![10.0], ..ElkanNoto::default() };
        let bagging = Bagging { costs: vec![1.0], ..Bagging::default() };
        let systems: [(&str, &dyn System); 2] =
            [("elkan-noto, C = 10", &elkan_noto), ("bagging of 30, C = 1", &bagging)];
        // Without a prior, since pulearn estimates c as well.
        let problem = Problem {
            weights: None,
            rows,
            labels: &labels,
            prior: None,
            scenario: Scenario::SingleSample,
            seed: 1,
            threads: 0,
            go_on: None,
        };
        for (system, fitted) in systems {
            timed(&format!("{system}, {name}"), repeats, || Ok((fitted.fit(&problem)?, String::new())))?;
        }
    }

    let test = features.transform(&news.test.texts);
    let counts = TextOptions { weighting: Weighting::Counts, ..TextOptions::default() };
    let (count_features, count_rows) = counts.fit_transform(&news.train.texts)?;
    let count_test = count_features.transform(&news.test.texts);
    // The rows of a kernel machine, and what a generator draws, are dense.
    for entry in systems().iter().filter(|entry| !["kldce", "genpu"].contains(&entry.name)) {
        let (rows, test) = if entry.needs_counts { (&count_rows, &count_test) } else { (&rows, &test) };
        system(
            entry.name,
            onesided_classic::system(entry.name)?.as_ref(),
            repeats,
            [rows, test],
            [&truth, &test_truth],
            &labels,
        )?;
    }
    Ok(())
}

fn zeros(folder: &std::path::Path, repeats: usize) -> Result<(), Box<dyn Error>> {
    let usps = usps(folder)?;
    let matrix = |values: &[f32]| Matrix::new(values.len() / 256, 256, values.to_vec());
    let (rows, test) = (matrix(&usps.train.values)?, matrix(&usps.test.values)?);
    let (truth, test_truth) = (below(&usps.train.labels, 1), below(&usps.test.labels, 1));
    for hidden in [0.2, 0.3, 0.4] {
        let labels = hide(&truth, hidden, 1)?;
        for entry in systems().iter().filter(|entry| entry.name.ends_with("ldce")) {
            let name = format!("{}, {hidden} hidden", entry.name);
            system(
                &name,
                onesided_classic::system(entry.name)?.as_ref(),
                repeats,
                [&rows, &test],
                [&truth, &test_truth],
                &labels,
            )?;
        }
    }
    Ok(())
}

/// Rows, which of them are positive, and which are labeled so.
type Drawn = (Matrix, Vec<bool>, Vec<Label>);

/// Rows of 50 columns: a ball within a wider one, which no plane separates; half of the positives are hidden.
fn balls(rows: usize) -> Result<Drawn, Box<dyn Error>> {
    let mut stream = Stream::new(1, "million");
    let truth: Vec<bool> = (0..rows).map(|_| stream.uniform() < 0.4).collect();
    let values = truth.iter().flat_map(|&t| [if t { 1.0 } else { 1.4 }; 50]);
    let values: Vec<f32> = values.map(|spread: f64| (spread * stream.normal()) as f32).collect();
    let labels = hide(&truth, 0.5, 1)?;
    Ok((Matrix::new(rows, 50, values)?, truth, labels))
}

fn kernels(repeats: usize) -> Result<(), Box<dyn Error>> {
    let (rows, truth, labels) = balls(10_000)?;
    let rbf = BiasedSvm { space: Space::Kernel(Kernel::Rbf { gamma: 0.015 }), ..BiasedSvm::default() };
    let rows = [&rows as &dyn Rows; 2];
    system("kldce", &Kldce::default(), repeats, rows, [&truth; 2], &labels)?;
    system("biased-svm, rbf", &rbf, repeats, rows, [&truth; 2], &labels)
}

fn million(repeats: usize) -> Result<(), Box<dyn Error>> {
    let (rows, truth, labels) = balls(1_000_000)?;
    let kldce = Kldce { random_features: Some(256), ..Kldce::default() };
    system("kldce, 256 features", &kldce, repeats, [&rows as &dyn Rows; 2], [&truth; 2], &labels)
}

fn below(labels: &[u8], limit: u8) -> Vec<bool> {
    labels.iter().map(|&label| label < limit).collect()
}

fn fit(
    system: &dyn System,
    rows: &dyn Rows,
    truth: &[bool],
    labels: &[Label],
) -> Result<onesided_classic::ClassicModel, Box<dyn Error>> {
    let hidden = truth.iter().zip(labels).filter(|(t, label)| **t && **label == Label::Unlabeled).count();
    let unlabeled = labels.iter().filter(|&&label| label == Label::Unlabeled).count();
    let prior = Some(PriorInUnlabeled::new(hidden as f64 / unlabeled as f64)?);
    Ok(system.fit(&Problem {
        rows,
        labels,
        weights: None,
        prior,
        scenario: Scenario::SingleSample,
        seed: 1,
        threads: 0,
        go_on: None,
    })?)
}

/// Times a system, and says how well it does on other rows.
fn system(
    name: &str,
    system: &dyn System,
    repeats: usize,
    [rows, test]: [&dyn Rows; 2],
    [truth, test_truth]: [&Vec<bool>; 2],
    labels: &[Label],
) -> Result<(), Box<dyn Error>> {
    let described = |model: &onesided_classic::ClassicModel| -> Result<String, Box<dyn Error>> {
        let scores = model.scores(test)?;
        let right = scores.iter().zip(test_truth).filter(|(score, t)| (**score > model.threshold) == **t);
        let accuracy = 100.0 * right.count() as f64 / test_truth.len() as f64;
        Ok(format!("accuracy {accuracy:.2}, {:?}", model.chosen))
    };
    let model = timed(name, repeats, || Ok((fit(system, rows, truth, labels)?, String::new())))?;
    println!("{:34} {}", "", described(&model)?);
    Ok(())
}

fn timed<T>(
    name: &str,
    repeats: usize,
    work: impl Fn() -> Result<(T, String), Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let mut seconds = Vec::new();
    let mut last = None;
    for _ in 0..repeats.max(1) {
        // What the last repeat made is gone before the next one starts.
        drop(last.take());
        let start = Instant::now();
        let made = work()?;
        seconds.push(start.elapsed().as_secs_f64());
        last = Some(made);
    }
    seconds.sort_by(f64::total_cmp);
    let (median, least, most) = (seconds[seconds.len() / 2], seconds[0], seconds[seconds.len() - 1]);
    let (made, what) = last.ok_or("nothing was timed")?;
    println!("{name:34} {median:8.3} ({least:.3} to {most:.3})  {what}");
    Ok(made)
}
