//! Where a training step's time goes on a GPU, kernel by kernel, and what cuDNN's engines give for each convolution.
//!
//! `cargo bench --features cuda --bench gpu -- [layers|engines|steps] [NETWORK] [BATCH]`; see docs/speed.md.

#[cfg(not(feature = "cuda"))]
fn main() {
    eprintln!("skipped: this benchmark needs `--features cuda`");
}

#[cfg(feature = "cuda")]
fn main() {
    if let Err(error) = gpu::run() {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

#[cfg(feature = "cuda")]
mod gpu {
    use onesided_data::Stream;
    use onesided_loss::{Collective, Objective, Reduction};
    use onesided_net::{
        Architecture, Batch, Card, CardData, CudaExecutor, Executor, ExecutorConfig, Mode, NetError, Network,
        Shape, Source, Weights,
    };
    use std::time::Instant;

    const ROWS: usize = 8192;

    pub fn run() -> Result<(), NetError> {
        let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
        let word = |at: usize, default: &'static str| words.get(at).map_or(default, String::as_str);
        let batch: usize = word(2, "512").parse().unwrap_or(512);
        let architecture: Architecture = word(1, "vgg16").parse()?;
        let start = Instant::now();
        let shape = if architecture.needs_image() {
            Shape { channels: 3, height: 32, width: 32 }
        } else {
            Shape::flat(300)
        };
        let network = architecture.network(shape)?;
        let mut random = Stream::new(1, "gpu benchmark");
        let bytes: Vec<u8> = (0..ROWS * shape.len()).map(|_| random.next_u64() as u8).collect();
        let scale = vec![1.0 / 64.0; shape.channels];
        let shift = vec![-2.0; shape.channels];
        let card = Card::open(0)?;
        let data =
            CardData::upload(&card, &Source::Bytes { bytes: &bytes, scale: &scale, shift: &shift }, shape)?;
        eprintln!("{}: data on the card after {:.2} s", card.name(), start.elapsed().as_secs_f64());
        let weights = Weights::initial(&network, 0.0, 1)?;
        let setting = ExecutorConfig { batch, ..ExecutorConfig::default() };
        let mut executor = CudaExecutor::new(&data, &network, &weights, &setting)?;
        eprintln!("network on the card after {:.2} s", start.elapsed().as_secs_f64());
        match word(0, "layers") {
            "engines" => engines(&executor),
            "steps" => steps(&mut executor, batch, start),
            _ => layers(&mut executor, &network, batch),
        }
    }

    fn one_step(executor: &mut CudaExecutor, rows: &[u32], gradient: &mut [f32]) -> Result<f64, NetError> {
        let half = rows.len() / 2;
        let scores = executor.forward(&Batch::plain(rows), Mode::Train)?;
        let (p, u) = scores.split_at(half);
        let (to_p, to_u) = gradient.split_at_mut(half);
        let objective =
            Collective::new(0.3, Reduction::SumOfMeans).map_err(|e| NetError::Config(e.to_string()))?;
        let loss = objective.evaluate(p, u, to_p, to_u);
        executor.backward(gradient)?;
        executor.step(5e-4)?;
        Ok(loss)
    }

    fn batches(batch: usize) -> Vec<Vec<u32>> {
        let mut random = Stream::new(2, "gpu benchmark");
        (0..16).map(|_| (0..batch).map(|_| (random.next_u64() % ROWS as u64) as u32).collect()).collect()
    }

    fn steps(executor: &mut CudaExecutor, batch: usize, start: Instant) -> Result<(), NetError> {
        let batches = batches(batch);
        let mut gradient = vec![0.0; batch];
        let mut loss = one_step(executor, &batches[0], &mut gradient)?;
        executor.weights()?;
        eprintln!("first step done after {:.2} s", start.elapsed().as_secs_f64());
        for k in 0..20 {
            one_step(executor, &batches[k % 16], &mut gradient)?;
        }
        executor.weights()?;
        let mut rates = Vec::new();
        for _ in 0..5 {
            let count = (200_000 / batch).clamp(50, 2000);
            let begin = Instant::now();
            for k in 0..count {
                loss = one_step(executor, &batches[k % 16], &mut gradient)?;
            }
            // Waits for the last step.
            executor.forward(&Batch::plain(&batches[0]), Mode::Train)?;
            rates.push((count * batch) as f64 / begin.elapsed().as_secs_f64());
        }
        rates.sort_by(f64::total_cmp);
        println!(
            "batch {batch}: {:.0} rows/s ({:.0} to {:.0}), {:.1} us a step, last loss {loss:.4}",
            rates[2],
            rates[0],
            rates[4],
            1e6 * batch as f64 / rates[2]
        );
        Ok(())
    }

    fn layers(executor: &mut CudaExecutor, network: &Network, batch: usize) -> Result<(), NetError> {
        let rows = &batches(batch)[0];
        let gradient = vec![1.0 / batch as f32; batch];
        let profile = executor.profile(&Batch::plain(rows), &gradient, 31)?;
        let total: f32 = profile.iter().map(|row| row.1).sum();
        println!("{} parameters, batch {batch}; microseconds, each kernel alone", network.parameters());
        for (label, time) in &profile {
            println!("{time:9.1}  {label}");
        }
        println!("{total:9.1}  all");
        Ok(())
    }

    fn engines(executor: &CudaExecutor) -> Result<(), NetError> {
        for (label, time) in executor.engines()? {
            println!("{:9.1} us  {label}", 1000.0 * time);
        }
        Ok(())
    }
}
