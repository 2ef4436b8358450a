//! Training that can be taken up again: everything between two epochs in one safetensors file.
//!
//! A checkpoint belongs to one job. Its fingerprint covers the network, the settings, the objective, the rows and the
//! data, so that a run with other settings is refused instead of silently continued.

use crate::NetError;
use crate::device::Device;
use crate::executor::{OptimizerState, Source};
use crate::optimizer::Clock;
use crate::sampler::SamplerState;
use crate::spec::Network;
use crate::train::{EpochRecord, Job};
use crate::train_config::TrainConfig;
use crate::weights::{Tensor, Weights};
use onesided_data::{DataError, read_regular, write_atomically};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// Training between two epochs.
pub(crate) struct State {
    pub weights: Weights,
    pub optimizer: OptimizerState,
    pub sampler: SamplerState,
    pub history: Vec<EpochRecord>,
    /// Epoch, risk and weights of the best epoch so far.
    pub best: Option<(usize, f64, Weights)>,
    /// Scores of the held-out rows after each epoch, where they are kept.
    pub held_out: Vec<Vec<f32>>,
    /// Averaged weights, where they are kept, with the shift of the teacher that has them, where there is one.
    pub average: Option<(Option<f64>, Weights)>,
}

/// The part of the state that is not tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    fingerprint: u64,
    clock: Clock,
    sampler: SamplerState,
    history: Vec<EpochRecord>,
    best: Option<(usize, f64)>,
    /// The shift of a teacher; averaged weights are there if this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    teacher: Option<Shift>,
}

/// What is kept besides averaged weights; nothing without a teacher.
#[derive(Serialize, Deserialize)]
struct Shift {
    shift: Option<f64>,
}

const KEY: &str = "onesided-checkpoint";
const CHECKSUM: &str = "checksum";
const HELD_OUT: &str = "held_out";

/// CRC-32 of the head and of the tensors in the order of their names, in hexadecimal: no flipped bit goes unnoticed.
fn checksum<'t>(head: &str, tensors: impl Iterator<Item = (&'t str, &'t [u8])>) -> String {
    let mut tensors: Vec<_> = tensors.collect();
    tensors.sort_unstable_by_key(|(name, _)| *name);
    let mut sum = crc32fast::Hasher::new();
    sum.update(head.as_bytes());
    for (name, bytes) in tensors {
        sum.update(name.as_bytes());
        sum.update(bytes);
    }
    format!("{:08x}", sum.finalize())
}

pub(crate) fn refused(path: &Path, reason: impl Into<String>) -> NetError {
    NetError::Checkpoint { path: path.display().to_string(), reason: reason.into() }
}

/// A number that differs, all but surely, between different jobs (FNV-1a).
pub(crate) fn fingerprint(job: &Job) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let (objective, bias, risk) = (job.objective.describe(), job.start_bias, job.risk_name);
    // The device is left out: a run that a card has no memory for may continue on the CPU.
    let config = TrainConfig { device: Device::Cpu, ..job.config.clone() };
    add(format!("{:?} {config:?} {objective} {bias} {risk}", job.network).as_bytes());
    for rows in [job.positive, job.unlabeled, job.held_out_positive, job.held_out_unlabeled] {
        add(&(rows.len() as u64).to_le_bytes());
        rows.iter().for_each(|row| add(&row.to_le_bytes()));
    }
    if let Some(negatives) = job.negatives {
        add(format!("{:?}", negatives.term).as_bytes());
        for rows in [negatives.training, negatives.held_out] {
            add(&(rows.len() as u64).to_le_bytes());
            rows.iter().for_each(|row| add(&row.to_le_bytes()));
        }
    }
    if let Some(weights) = job.weights {
        weights.iter().for_each(|weight| add(&weight.to_le_bytes()));
    }
    // Without a teacher nothing depends on it, and checkpoints of earlier versions are found.
    if let (Some(_), Some(share)) = (&job.config.teacher, job.share) {
        add(&share.to_le_bytes());
    }
    add(&(job.data.len() as u64).to_le_bytes());
    match job.data {
        Source::Numbers(numbers) => numbers.iter().for_each(|x| add(&x.to_le_bytes())),
        Source::Bytes { bytes, scale, shift } => {
            add(bytes);
            scale.iter().chain(shift).for_each(|x| add(&x.to_le_bytes()));
        }
    }
    hash
}

pub(crate) fn write(path: &Path, fingerprint: u64, state: &State) -> Result<(), NetError> {
    let mut arrays: Vec<(String, Vec<usize>, &[f32])> = vec![
        ("optimizer.first".into(), vec![state.optimizer.first.len()], &state.optimizer.first),
        ("optimizer.second".into(), vec![state.optimizer.second.len()], &state.optimizer.second),
    ];
    let named = [
        ("now", Some(&state.weights)),
        ("best", state.best.as_ref().map(|b| &b.2)),
        ("teacher", state.average.as_ref().map(|average| &average.1)),
    ];
    for (prefix, weights) in named {
        for tensor in weights.iter().flat_map(|w| &w.tensors) {
            arrays.push((format!("{prefix}.{}", tensor.name), tensor.shape.clone(), &tensor.data));
        }
    }
    let held_out = state.held_out.concat();
    if let Some(first) = state.held_out.first() {
        arrays.push((HELD_OUT.into(), vec![state.held_out.len(), first.len()], &held_out));
    }
    let head = Header {
        fingerprint,
        clock: state.optimizer.clock.clone(),
        sampler: state.sampler.clone(),
        history: state.history.clone(),
        best: state.best.as_ref().map(|b| (b.0, b.1)),
        teacher: state.average.as_ref().map(|&(shift, _)| Shift { shift }),
    };
    let head = serde_json::to_string(&head).map_err(|error| refused(path, error.to_string()))?;
    let bytes: Vec<Vec<u8>> =
        arrays.iter().map(|(_, _, data)| data.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let views = arrays
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| {
            Ok((name.clone(), TensorView::new(Dtype::F32, shape.clone(), bytes)?))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| refused(path, error.to_string()))?;
    let checksum =
        checksum(&head, arrays.iter().map(|(name, ..)| name.as_str()).zip(bytes.iter().map(Vec::as_slice)));
    let about = HashMap::from([(KEY.to_string(), head), (CHECKSUM.to_string(), checksum)]);
    let file =
        safetensors::serialize(views, Some(about)).map_err(|error| refused(path, error.to_string()))?;
    Ok(write_atomically(path, |out| out.write_all(&file)).map_err(DataError::from)?)
}

/// The state in the file, or nothing if there is no file.
pub(crate) fn read(path: &Path, fingerprint: u64, network: &Network) -> Result<Option<State>, NetError> {
    // A pipe might never end.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return Err(refused(path, "is a pipe or a device, not a regular file; name another file"));
    }
    let file = match read_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(path, format!("cannot be read: {error}"))),
    };
    let damaged =
        || refused(path, "is damaged or not a checkpoint; name another file, or delete it to start over");
    let (_, header) = SafeTensors::read_metadata(&file).map_err(|_| damaged())?;
    let tensors = SafeTensors::deserialize(&file).map_err(|_| damaged())?;
    let head = header.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or_else(damaged)?;
    // Checkpoints of earlier versions have none.
    let stored = header.metadata().as_ref().and_then(|m| m.get(CHECKSUM));
    let all = tensors.iter().map(|(name, view)| (name, view.data()));
    if !cfg!(fuzzing) && stored.is_some_and(|stored| *stored != checksum(head, all)) {
        return Err(damaged());
    }
    let head: Header = serde_json::from_str(head).map_err(|_| damaged())?;
    if head.fingerprint != fingerprint {
        return Err(refused(
            path,
            "belongs to another run (other data, settings or seed); delete it or name another file",
        ));
    }
    if !head.clock.is_sound() {
        return Err(damaged());
    }
    let array = |name: &str| -> Result<Vec<f32>, NetError> {
        let view = tensors.tensor(name).map_err(|_| damaged())?;
        if view.dtype() != Dtype::F32 {
            return Err(damaged());
        }
        Ok(view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    };
    let weights = |prefix: &str| -> Result<Weights, NetError> {
        let tensors = network.tensors()?.into_iter().map(|spec| {
            Ok(Tensor {
                data: array(&format!("{prefix}.{}", spec.name))?,
                name: spec.name,
                shape: spec.shape,
            })
        });
        let weights = Weights { tensors: tensors.collect::<Result<_, NetError>>()? };
        network.check(&weights).map_err(|_| damaged())?;
        Ok(weights)
    };
    let best = match head.best {
        Some((epoch, risk)) => Some((epoch, risk, weights("best")?)),
        None => None,
    };
    let average = match head.teacher {
        Some(Shift { shift }) => Some((shift, weights("teacher")?)),
        None => None,
    };
    // Checkpoints of earlier versions have none.
    let held_out = match tensors.tensor(HELD_OUT).map(|view| view.shape().to_vec()) {
        Err(_) => Vec::new(),
        Ok(shape) if shape.len() == 2 && shape[1] > 0 => {
            array(HELD_OUT)?.chunks(shape[1]).map(<[f32]>::to_vec).collect()
        }
        Ok(_) => return Err(damaged()),
    };
    Ok(Some(State {
        held_out,
        weights: weights("now")?,
        optimizer: OptimizerState {
            clock: head.clock,
            first: array("optimizer.first")?,
            second: array("optimizer.second")?,
        },
        sampler: head.sampler,
        history: head.history,
        best,
        average,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Shape;
    use crate::teacher::Teacher;
    use crate::train::NegativeRows;
    use crate::zoo::Architecture;
    use onesided_loss::{Collective, Options, Reduction, Sampling, Setting, method};

    /// A run must not be continued with other data, rows, settings or loss: each of them changes the fingerprint. The
    /// device alone does not.
    #[test]
    fn everything_that_changes_a_run_changes_its_fingerprint() {
        let network = Architecture::Linear.network(Shape::flat(2)).unwrap();
        let wider = Architecture::Linear.network(Shape::flat(1)).unwrap();
        let [sums, weighted] = [Reduction::SumOfMeans, Reduction::PriorWeighted]
            .map(|reduction| Collective::new(0.25, reduction).unwrap());
        let taught = TrainConfig { teacher: Some(Teacher::default()), ..TrainConfig::default() };
        let config = TrainConfig::default();
        let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let job = |config| Job {
            network: &network,
            data: Source::Numbers(&data),
            positive: &[0],
            unlabeled: &[1, 2],
            held_out_positive: &[],
            held_out_unlabeled: &[3],
            negatives: None,
            weights: None,
            objective: &sums,
            start_bias: -1.0,
            share: Some(0.25),
            risk: None,
            risk_name: "none",
            config,
            checkpoint: None,
        };
        let before = fingerprint(&job(&config));
        let negatives = |training, weight| {
            let setting = Setting { prior_in_unlabeled: 0.25, sampling: Sampling::CaseControl };
            let term = method("collective").unwrap().negative_term(&setting, &Options::default(), weight);
            Some(NegativeRows { training, held_out: &[], term: term.unwrap() })
        };
        let [epochs, rate, seed] = [
            TrainConfig { epochs: 49, ..config.clone() },
            TrainConfig { learning_rate: 2e-3, ..config.clone() },
            TrainConfig { seed: 1, ..config.clone() },
        ];
        let (bytes, two) = ([1, 2, 3, 4, 5, 6, 7, 8], [1.0, 1.0]);
        let of_bytes = |scale| Source::Bytes { bytes: &bytes, scale, shift: &two };
        let others = [
            Job { network: &wider, ..job(&config) },
            Job { data: Source::Numbers(&data[..6]), ..job(&config) },
            Job { data: of_bytes(&[1.0, 1.0]), ..job(&config) },
            Job { data: of_bytes(&[1.0, 2.0]), ..job(&config) },
            Job { positive: &[0, 1], unlabeled: &[2], ..job(&config) },
            Job { unlabeled: &[2, 1], ..job(&config) },
            Job { held_out_positive: &[3], held_out_unlabeled: &[], ..job(&config) },
            Job { negatives: negatives(&[3], 1.0), ..job(&config) },
            Job { negatives: negatives(&[3], 0.5), ..job(&config) },
            Job { negatives: negatives(&[2], 1.0), ..job(&config) },
            Job { weights: Some(&[1.0, 1.0, 1.0, 2.0]), ..job(&config) },
            Job { objective: &weighted, ..job(&config) },
            Job { start_bias: -1.5, ..job(&config) },
            Job { risk_name: "log loss", ..job(&config) },
            job(&epochs),
            job(&rate),
            job(&seed),
            job(&taught),
            Job { share: Some(0.5), ..job(&taught) },
        ];
        let mut prints: Vec<u64> = others.iter().map(fingerprint).chain([before]).collect();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), others.len() + 1);
        // Where it runs, and a share that only a teacher reads, are not part of it.
        let elsewhere = TrainConfig { device: Device::Cuda(1), ..config.clone() };
        assert_eq!(fingerprint(&job(&elsewhere)), before);
        assert_eq!(fingerprint(&Job { share: None, ..job(&config) }), before);
    }
}
