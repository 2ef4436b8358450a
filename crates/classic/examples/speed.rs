//! Times the linear solvers and all systems on 20 Newsgroups (TF-IDF of single words; `alt`, `comp`, `misc` and `rec` are
//! positive, a fifth of them hidden), LDCE on USPS, and random features on a million rows.
//!
//!     cargo run --release -p onesided-classic --example speed -- FOLDER
//!
//! FOLDER holds `20news` and `usps`. `speed.py` beside this file times scikit-learn and pulearn on the same texts.

use onesided_classic::systems::kldce::Kldce;
use onesided_classic::{Examples, Hinge, LinearSvm, Logistic, Rows, System, Task, systems};
use onesided_data::{Label, Matrix, PriorInUnlabeled, Scenario, Stream, TextOptions, Weighting};
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder with 20news and usps")?);
    let news = onesided_data::newsgroups(&folder)?;
    let positive =
        |labels: &[u8], below: u8| -> Vec<bool> { labels.iter().map(|&label| label < below).collect() };
    let (truth, test_truth) = (positive(&news.train.labels, 11), positive(&news.test.labels, 11));

    let start = Instant::now();
    let (features, rows) = TextOptions::default().fit_transform(&news.train.texts)?;
    row("tf-idf", start.elapsed(), format!("{} x {}", rows.rows(), rows.cols()));
    let test = features.transform(&news.test.texts);
    let labels = onesided_data::hide(&truth, 0.2, 1)?;
    let of =
        |wanted: Label| labels.iter().map(|&l| if l == wanted { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let (p, u) = (of(Label::Positive), of(Label::Unlabeled));
    let examples = Examples::new(&rows, &p, &u)?;
    let start = Instant::now();
    let objective = Logistic::default().fit(examples).objective;
    row("logistic, C = 1", start.elapsed(), format!("objective {objective:.3}"));
    for (name, hinge) in [("hinge, C = 1", Hinge::Linear), ("squared hinge, C = 1", Hinge::Squared)] {
        let start = Instant::now();
        let svm = LinearSvm { hinge, ..LinearSvm::default() };
        let fitted = svm.fit(examples, &mut Stream::new(0, "svm"));
        row(name, start.elapsed(), format!("objective {:.3}", fitted.objective));
    }

    let counts = TextOptions { weighting: Weighting::Counts, ..TextOptions::default() };
    let (count_features, count_rows) = counts.fit_transform(&news.train.texts)?;
    let count_test = count_features.transform(&news.test.texts);
    for entry in systems().iter().filter(|entry| entry.name != "kldce") {
        let (rows, test) = if entry.needs_counts { (&count_rows, &count_test) } else { (&rows, &test) };
        timed(&*(entry.build)(), rows, &truth, &labels, test, &test_truth)?;
    }

    let usps = onesided_data::usps(&folder)?;
    let matrix = |values: &[f32]| Matrix::new(values.len() / 256, 256, values.to_vec());
    let (rows, test) = (matrix(&usps.train.values)?, matrix(&usps.test.values)?);
    let (truth, test_truth) = (positive(&usps.train.labels, 1), positive(&usps.test.labels, 1));
    for hidden in [0.2, 0.3, 0.4] {
        println!("USPS, 0 against the rest, {hidden} hidden");
        let labels = onesided_data::hide(&truth, hidden, 1)?;
        for entry in systems().iter().filter(|entry| entry.name.ends_with("ldce")) {
            timed(&*(entry.build)(), &rows, &truth, &labels, &test, &test_truth)?;
        }
    }

    let mut stream = Stream::new(1, "million");
    let truth: Vec<bool> = (0..1_000_000).map(|_| stream.uniform() < 0.4).collect();
    // A ball within a wider one: no plane separates them.
    let values = truth.iter().flat_map(|&t| [if t { 1.0 } else { 1.4 }; 50]);
    let values: Vec<f32> = values.map(|spread: f64| (spread * stream.normal()) as f32).collect();
    let rows = Matrix::new(truth.len(), 50, values)?;
    let labels = onesided_data::hide(&truth, 0.5, 1)?;
    println!("1,000,000 x 50 rows, 256 random features");
    let system = Kldce { random_features: Some(256), ..Kldce::default() };
    timed(&system, &rows, &truth, &labels, &rows, &truth)
}

fn timed(
    system: &dyn System,
    rows: &dyn Rows,
    truth: &[bool],
    labels: &[Label],
    test: &dyn Rows,
    test_truth: &[bool],
) -> Result<(), Box<dyn Error>> {
    let unlabeled: Vec<bool> =
        truth.iter().zip(labels).filter(|(_, label)| **label == Label::Unlabeled).map(|(&t, _)| t).collect();
    let mu = unlabeled.iter().filter(|&&t| t).count() as f64 / unlabeled.len() as f64;
    let prior = Some(PriorInUnlabeled::new(mu)?);
    let start = Instant::now();
    let model = system.fit(&Task { rows, labels, prior, scenario: Scenario::SingleSample, seed: 1 })?;
    let fitted = start.elapsed();
    let scores = model.scores(test)?;
    let right = scores.iter().zip(test_truth).filter(|(score, t)| (**score > model.threshold) == **t).count();
    let accuracy = 100.0 * right as f64 / test_truth.len() as f64;
    row(system.name(), fitted, format!("accuracy {accuracy:.2}, {:?}", model.chosen));
    Ok(())
}

fn row(name: &str, took: Duration, what: String) {
    println!("{name:22} {:7.2} s  {what}", took.as_secs_f64());
}
