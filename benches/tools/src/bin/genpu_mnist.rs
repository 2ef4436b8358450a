//! GenPU against nnPU on MNIST: threes against fives, with 100 threes labeled.
//!
//!     cargo run --release -p onesided-tools --bin genpu_mnist -- FOLDER [seeds=5] [SETTING=VALUE]...
//!
//! FOLDER holds `mnist`. The other threes and all fives of the training digits are unlabeled, and the share of threes
//! among them is known. Both methods are judged on the threes and fives of the test digits. nnPU trains a network of the
//! size of GenPU's on all rows for a fixed number of epochs and keeps the last one; its threshold is 0, and a second time,
//! as `nnpu-ranked`, GenPU's: as large a share of the unlabeled rows lies above it as is positive. A line of JSON a run is
//! printed, and means go to the standard error.
//!
//! `digits=49` takes fours against nines instead, on which settings can be compared without a look at the test digits of
//! the others; `genpu=0`, `nnpu=0` and `nnpu-ranked=0` leave a method out; `steps`, `looks`, `games`, `hidden`, `averaged`, `rate` and
//! `noise` (first and last, such as 1.4,0.7) set GenPU's.

use onesided_classic::genpu::GenPu;
use onesided_classic::{Problem, System};
use onesided_data::{Images, Label, Matrix, PriorInUnlabeled, Scenario, Stream};
use onesided_experiment::mnist;
use onesided_loss::{Sampling, method};
use onesided_net::Mix;
use onesided_net::{Activation, Architecture, Job, Optimizer, Shape, Source, TrainConfig, scores, train};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

const LABELED: usize = 100;
const PIXELS: usize = 28 * 28;
const EPOCHS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("name the folder that holds mnist")?);
    let mut wanted = Wanted::default();
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not NAME=VALUE"))?;
        wanted.set(name, value)?;
    }
    let digits = mnist(&folder)?;
    let (train, test) = (wanted.pair(&digits.train)?, wanted.pair(&digits.test)?);
    let [first, second] = wanted.digits;
    let methods = [("genpu", genpu as Learn), ("nnpu", nnpu as Learn), ("nnpu-ranked", nnpu_ranked as Learn)];
    for (name, learn) in methods {
        if !wanted.methods.contains(&name) {
            continue;
        }
        let mut accuracies = Vec::new();
        for seed in 0..wanted.seeds {
            let split = Split::new(&train.1, seed);
            let start = Instant::now();
            let scores = learn(&wanted.genpu, &train.0, &split, &test.0)?;
            let seconds = start.elapsed().as_secs_f64();
            let right = scores.iter().zip(&test.1).filter(|(score, t)| (**score > 0.0) == **t).count();
            let accuracy = 100.0 * right as f64 / test.1.len() as f64;
            accuracies.push(accuracy);
            println!(
                "{{\"digits\":\"{first}{second}\",\"labeled\":{LABELED},\"method\":\"{name}\",\"seed\":{seed},\
                 \"accuracy\":{accuracy:.2},\"seconds\":{seconds:.1}}}"
            );
        }
        let n = accuracies.len() as f64;
        let mean = accuracies.iter().sum::<f64>() / n;
        let spread = accuracies.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        eprintln!("{name:5}  {mean:.2} ± {:.2} over {n} seeds", spread.sqrt());
    }
    Ok(())
}

/// What to run.
struct Wanted {
    digits: [u8; 2],
    seeds: u64,
    methods: Vec<&'static str>,
    genpu: GenPu,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            digits: [3, 5],
            seeds: 5,
            methods: vec!["genpu", "nnpu", "nnpu-ranked"],
            genpu: GenPu::default(),
        }
    }
}

impl Wanted {
    fn set(&mut self, name: &str, value: &str) -> Result<(), Box<dyn Error>> {
        let (genpu, count) = (&mut self.genpu, || value.parse::<usize>());
        match name {
            "seeds" => self.seeds = value.parse()?,
            "digits" => match value.as_bytes() {
                [a @ b'0'..=b'9', b @ b'0'..=b'9'] if a != b => self.digits = [a - b'0', b - b'0'],
                _ => return Err("digits are two, such as 35".into()),
            },
            "genpu" | "nnpu" | "nnpu-ranked" if value == "0" => self.methods.retain(|method| *method != name),
            "steps" => genpu.steps = Some(count()?),
            "looks" => genpu.looks = Some(count()?),
            "games" => genpu.games = count()?,
            "hidden" => genpu.hidden = Some(count()?),
            "averaged" => genpu.averaged = count()?,
            "rate" => genpu.rate = Some(value.parse()?),
            "noise" => {
                let (first, last) = value.split_once(',').ok_or("noise is two numbers, such as 1.4,0.7")?;
                genpu.noise = Some((first.parse()?, last.parse()?));
            }
            _ => return Err(format!("there is no setting '{name}'").into()),
        }
        Ok(())
    }

    /// The images of the two digits, and which are of the first.
    fn pair(&self, images: &Images) -> Result<(Matrix, Vec<bool>), Box<dyn Error>> {
        let of_both = |i: &usize| self.digits.contains(&images.labels[*i]);
        let chosen: Vec<usize> = (0..images.len()).filter(of_both).collect();
        let pixels = |i: usize| &images.bytes[i * PIXELS..(i + 1) * PIXELS];
        let values = chosen.iter().flat_map(|&i| pixels(i)).map(|&byte| f32::from(byte) / 255.0).collect();
        let truth = chosen.iter().map(|&i| images.labels[i] == self.digits[0]).collect();
        Ok((Matrix::new(chosen.len(), PIXELS, values)?, truth))
    }
}

/// From settings, training rows, their labels and test rows to a number per test row, above 0 for the first digit.
type Learn = fn(&GenPu, &Matrix, &Split, &Matrix) -> Result<Vec<f64>, Box<dyn Error>>;

struct Split {
    labels: Vec<Label>,
    mu: f64,
    seed: u64,
}

impl Split {
    fn new(truth: &[bool], seed: u64) -> Self {
        let mut positives: Vec<usize> = (0..truth.len()).filter(|&i| truth[i]).collect();
        Stream::new(seed, "labeled").shuffle(&mut positives);
        let mut labels = vec![Label::Unlabeled; truth.len()];
        positives.iter().take(LABELED).for_each(|&i| labels[i] = Label::Positive);
        let mu = (positives.len() - LABELED) as f64 / (truth.len() - LABELED) as f64;
        Self { labels, mu, seed }
    }
}

fn genpu(settings: &GenPu, rows: &Matrix, split: &Split, test: &Matrix) -> Result<Vec<f64>, Box<dyn Error>> {
    let prior = Some(PriorInUnlabeled::new(split.mu)?);
    let (labels, scenario, seed) = (&split.labels, Scenario::SingleSample, split.seed);
    let model = settings.fit(&Problem {
        rows,
        labels,
        weights: None,
        prior,
        scenario,
        seed,
        threads: 0,
        go_on: None,
    })?;
    Ok(model.scores(test)?.into_iter().map(|score| score - model.threshold).collect())
}

fn nnpu(_: &GenPu, rows: &Matrix, split: &Split, test: &Matrix) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok(nnpu_scores(rows, split, test)?.1)
}

fn nnpu_ranked(_: &GenPu, rows: &Matrix, split: &Split, test: &Matrix) -> Result<Vec<f64>, Box<dyn Error>> {
    let (mut unlabeled, scores) = nnpu_scores(rows, split, test)?;
    unlabeled.sort_by(|a, b| b.total_cmp(a));
    let threshold = unlabeled[(split.mu * unlabeled.len() as f64).round() as usize];
    Ok(scores.into_iter().map(|score| score - threshold).collect())
}

/// Scores of the unlabeled rows and of the test rows.
fn nnpu_scores(rows: &Matrix, split: &Split, test: &Matrix) -> Result<(Vec<f64>, Vec<f64>), Box<dyn Error>> {
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
        negatives: None,
        weights: None,
        objective: objective.as_ref(),
        start_bias: (split.mu / (1.0 - split.mu)).ln(),
        share: None,
        risk: None,
        risk_name: "",
        config: &config,
        checkpoint: None,
    };
    let trained = train(&job, &mut |_| true)?;
    let scored = |rows: &Matrix| -> Result<Vec<f64>, Box<dyn Error>> {
        let scores = scores(&network, &trained.weights, rows.as_slice(), 0)?;
        Ok(scores.into_iter().map(f64::from).collect())
    };
    let all = scored(rows)?;
    Ok((unlabeled.iter().map(|&i| all[i as usize]).collect(), scored(test)?))
}
