//! GenPU against nnPU on MNIST: threes against fives, with 100 threes labeled.
//!
//!     cargo run --release -p onesided-classic --example genpu_mnist -- FOLDER [SEEDS]
//!
//! FOLDER holds the files of MNIST. The other threes and all fives of the training digits are unlabeled, and the share of
//! threes among them is known. Both methods are judged on the threes and fives of the test digits. nnPU trains a
//! network of the size of GenPU's on all rows for a fixed number of epochs and keeps the last one; GenPU holds out a
//! fifth of the rows to choose among the steps of its game.

use onesided_classic::genpu::GenPu;
use onesided_classic::{System, Task};
use onesided_data::{Images, Label, Matrix, Mix, PriorInUnlabeled, Scenario, Stream, mnist};
use onesided_loss::{Sampling, method};
use onesided_net::{Activation, Architecture, Job, Optimizer, Shape, Source, TrainConfig, scores, train};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const LABELED: usize = 100;
const PIXELS: usize = 28 * 28;
const EPOCHS: usize = 40;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("name the folder with the files of MNIST")?);
    let seeds: u64 = words.next().map_or(Ok(3), |word| word.parse())?;
    let digits = mnist(&folder)?;
    let (train, test) = (threes_and_fives(&digits.train)?, threes_and_fives(&digits.test)?);
    let (mut of_genpu, mut of_nnpu) = (Vec::new(), Vec::new());
    for seed in 0..seeds {
        let split = Split::new(&train.1, seed);
        for (name, learn, accuracies) in
            [("genpu", genpu as Learn, &mut of_genpu), ("nnpu", nnpu as Learn, &mut of_nnpu)]
        {
            let start = Instant::now();
            let scores = learn(&train.0, &split, &test.0)?;
            let right = scores.iter().zip(&test.1).filter(|(score, t)| (**score > 0.0) == **t).count();
            let accuracy = 100.0 * right as f64 / test.1.len() as f64;
            accuracies.push(accuracy);
            println!("seed {seed}  {name:5}  accuracy {accuracy:.2}  {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    for (name, accuracies) in [("genpu", of_genpu), ("nnpu", of_nnpu)] {
        let n = accuracies.len() as f64;
        let mean = accuracies.iter().sum::<f64>() / n;
        let spread = accuracies.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        println!("{name:5}  {mean:.2} ± {:.2} over {n} seeds", spread.sqrt());
    }
    Ok(())
}

/// From training rows, their labels and test rows to a number a test row, above 0 for threes.
type Learn = fn(&Matrix, &Split, &Matrix) -> Result<Vec<f64>, Box<dyn Error>>;

fn threes_and_fives(images: &Images) -> Result<(Matrix, Vec<bool>), Box<dyn Error>> {
    let chosen: Vec<usize> = (0..images.len()).filter(|&i| [3, 5].contains(&images.labels[i])).collect();
    let pixels = |i: usize| &images.bytes[i * PIXELS..(i + 1) * PIXELS];
    let values = chosen.iter().flat_map(|&i| pixels(i)).map(|&byte| f32::from(byte) / 255.0).collect();
    let truth = chosen.iter().map(|&i| images.labels[i] == 3).collect();
    Ok((Matrix::new(chosen.len(), PIXELS, values)?, truth))
}

struct Split {
    labels: Vec<Label>,
    mu: f64,
    seed: u64,
}

impl Split {
    fn new(truth: &[bool], seed: u64) -> Self {
        let mut threes: Vec<usize> = (0..truth.len()).filter(|&i| truth[i]).collect();
        Stream::new(seed, "labeled").shuffle(&mut threes);
        let mut labels = vec![Label::Unlabeled; truth.len()];
        threes.iter().take(LABELED).for_each(|&i| labels[i] = Label::Positive);
        let mu = (threes.len() - LABELED) as f64 / (truth.len() - LABELED) as f64;
        Self { labels, mu, seed }
    }
}

fn genpu(rows: &Matrix, split: &Split, test: &Matrix) -> Result<Vec<f64>, Box<dyn Error>> {
    let prior = Some(PriorInUnlabeled::new(split.mu)?);
    let (labels, scenario, seed) = (&split.labels, Scenario::SingleSample, split.seed);
    let model = GenPu::default().fit(&Task { rows, labels, prior, scenario, seed })?;
    println!("        {:?}", model.chosen);
    Ok(model.scores(test)?.into_iter().map(|score| score - model.threshold).collect())
}

fn nnpu(rows: &Matrix, split: &Split, test: &Matrix) -> Result<Vec<f64>, Box<dyn Error>> {
    let (positive, unlabeled): (Vec<u32>, Vec<u32>) =
        (0..split.labels.len() as u32).partition(|&i| split.labels[i as usize] == Label::Positive);
    let labeled_share = LABELED as f64 / split.labels.len() as f64;
    let setting = onesided_loss::Setting {
        prior_in_unlabeled: split.mu,
        sampling: Sampling::SingleSample { labeled_share },
    };
    let objective = method("nnpu")?.build(&setting, &onesided_loss::Options::default())?;
    let hidden = vec![128, 128];
    let mlp = Architecture::Mlp { hidden, activation: Activation::Relu, batch_norm: false, dropout: 0.0 };
    let network = mlp.network(Shape::flat(PIXELS))?;
    let config = TrainConfig {
        epochs: EPOCHS,
        optimizer: Optimizer::Adam,
        mix: Mix::AtLeast(0.02),
        seed: split.seed,
        ..TrainConfig::default()
    };
    let job = Job {
        network: &network,
        data: Source::Numbers(rows.as_slice()),
        positive: &positive,
        unlabeled: &unlabeled,
        held_out_positive: &[],
        held_out_unlabeled: &[],
        objective: objective.as_ref(),
        start_bias: (split.mu / (1.0 - split.mu)).ln(),
        risk: None,
        risk_name: "",
        config: &config,
        checkpoint: None,
    };
    let trained = train(&job, &mut |_| true)?;
    let scores = scores(&network, &trained.weights, test.as_slice(), 0)?;
    Ok(scores.into_iter().map(f64::from).collect())
}
