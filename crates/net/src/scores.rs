//! Scores of a trained network.

use crate::NetError;
use crate::cpu::threads_for;
use crate::device::Device;
use crate::engine::{Engine, ExecutorConfig};
use crate::executor::{Batch, Draw, Executor, Mode, Source, check_rows};
use crate::spec::Network;
use crate::weights::Weights;
use onesided_data::Phase;

/// Scores of every row of `data` under a trained network, on the CPU.
///
/// ```
/// use onesided_net::{Architecture, Shape, Tensor, Weights, scores};
///
/// // f(a, b) = 2a - b + 0.5. Layer 0 flattens, layer 1 has the weights.
/// let network = Architecture::Linear.network(Shape::flat(2))?;
/// let tensor = |name: &str, shape: &[usize], data: &[f32]| Tensor {
///     name: name.to_string(),
///     shape: shape.to_vec(),
///     data: data.to_vec(),
/// };
/// let weights = Weights {
///     tensors: vec![tensor("1.weight", &[1, 2], &[2.0, -1.0]), tensor("1.bias", &[1], &[0.5])],
/// };
/// assert_eq!(scores(&network, &weights, &[1.0, 0.0, 0.0, 1.0], 1)?, [2.5, -0.5]);
/// # Ok::<(), onesided_net::NetError>(())
/// ```
pub fn scores(
    network: &Network,
    weights: &Weights,
    data: &[f32],
    threads: usize,
) -> Result<Vec<f32>, NetError> {
    let setting = ExecutorConfig { threads, ..ExecutorConfig::default() };
    scores_with(network, weights, Source::Numbers(data), Device::Cpu, &setting)
}

/// Scores of every row of `data` under a trained network, on a device.
pub fn scores_with(
    network: &Network,
    weights: &Weights,
    data: Source,
    device: Device,
    setting: &ExecutorConfig,
) -> Result<Vec<f32>, NetError> {
    let rows = u32::try_from(data.check(network.input)?)
        .map_err(|_| NetError::Config("more than 4,294,967,295 rows cannot be scored at once".into()))?;
    let engine = Engine::new(device.for_scoring(network, rows as usize), data, network.input)?;
    scores_on(&engine, network, weights, &(0..rows).collect::<Vec<u32>>(), setting)
}

/// Scores of some rows of the data set that an engine holds, in the order of `rows`.
pub fn scores_on(
    engine: &Engine,
    network: &Network,
    weights: &Weights,
    rows: &[u32],
    setting: &ExecutorConfig,
) -> Result<Vec<f32>, NetError> {
    check_rows(rows, engine.rows())?;
    // Threads that would have no work are not started.
    let threads = threads_for(network, rows.len(), setting.threads);
    let setting = ExecutorConfig { threads, ..*setting };
    score_rows(engine.executor(network, weights, &setting)?.as_mut(), rows)
}

/// Scores of some rows under the weights as they are, a pass's worth at a time. Rows must be of the data set.
pub fn score_rows(executor: &mut dyn Executor, rows: &[u32]) -> Result<Vec<f32>, NetError> {
    let mut scores = Vec::with_capacity(rows.len());
    let phase = Phase::new("scoring", rows.len() as u64, "rows");
    for some in rows.chunks(executor.rows_at_once().max(1)) {
        scores.extend_from_slice(executor.forward(&Batch::plain(some), Mode::Predict)?);
        phase.add(some.len() as u64);
    }
    Ok(scores)
}

/// The mean of each image's scores over several views of it, such as itself and its mirror image.
pub fn score_views(executor: &mut dyn Executor, rows: &[u32], views: &[Draw]) -> Result<Vec<f32>, NetError> {
    let mut means = vec![0.0; rows.len()];
    let at_once = executor.rows_at_once().max(1);
    for &view in views {
        for (some, means) in rows.chunks(at_once).zip(means.chunks_mut(at_once)) {
            let batch = Batch { draws: &vec![view; some.len()], ..Batch::plain(some) };
            let scores = executor.forward(&batch, Mode::Predict)?;
            means.iter_mut().zip(scores).for_each(|(mean, score)| *mean += score / views.len() as f32);
        }
    }
    Ok(means)
}
