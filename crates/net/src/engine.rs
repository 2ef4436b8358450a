//! An engine: a device that holds a data set once, for any number of networks.

use crate::NetError;
use crate::cpu::CpuExecutor;
#[cfg(feature = "cuda")]
use crate::cuda::{Card, CardData, CudaExecutor};
use crate::device::{Device, Precision};
use crate::executor::{Executor, Source};
use crate::optimizer::Optimizer;
use crate::spec::{Network, Shape};
use crate::weights::Weights;

/// What an executor is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExecutorConfig {
    /// The optimizer.
    pub optimizer: Optimizer,
    /// L2 penalty.
    pub weight_decay: f64,
    /// Threads of the CPU; 0 for every core.
    pub threads: usize,
    /// Numbers of a GPU.
    pub precision: Precision,
    /// Most rows of a training batch.
    pub batch: usize,
    /// Most strong views or mixed rows among them.
    pub strong: usize,
}

impl Default for ExecutorConfig {
    fn default() -> Self {
        let precision = Precision::default();
        Self { optimizer: Optimizer::Nadam, weight_decay: 0.0, threads: 0, precision, batch: 512, strong: 0 }
    }
}

/// A device that holds a data set.
pub struct Engine<'a> {
    source: Source<'a>,
    rows: usize,
    input: Shape,
    place: Place,
}

enum Place {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda {
        number: usize,
        card: Card,
        data: CardData,
    },
}

impl<'a> Engine<'a> {
    /// Puts rows of shape `input` on a device. [`Device::Auto`] is the first GPU that can be used, else the CPU;
    /// [`Device::resolve`] also looks at the network.
    pub fn new(device: Device, source: Source<'a>, input: Shape) -> Result<Self, NetError> {
        let rows = source.check(input)?;
        let device = if device == Device::Auto { Device::first() } else { device };
        device.check()?;
        let place = match device {
            #[cfg(feature = "cuda")]
            Device::Cuda(number) => {
                let card = Card::open(number)?;
                let data = CardData::upload(&card, &source, input)?;
                Place::Cuda { number, card, data }
            }
            _ => Place::Cpu,
        };
        Ok(Self { source, rows, input, place })
    }

    /// The device in use: `cpu`, or `cuda:0 (NVIDIA H200)`.
    pub fn describe(&self) -> String {
        match &self.place {
            Place::Cpu => Device::Cpu.to_string(),
            #[cfg(feature = "cuda")]
            Place::Cuda { number, card, .. } => format!("{} ({})", Device::Cuda(*number), card.name()),
        }
    }

    /// The device in use.
    pub fn device(&self) -> Device {
        match &self.place {
            Place::Cpu => Device::Cpu,
            #[cfg(feature = "cuda")]
            Place::Cuda { number, .. } => Device::Cuda(*number),
        }
    }

    /// The data set that is held.
    pub fn source(&self) -> Source<'a> {
        self.source
    }

    /// Rows of the data set.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether this is the data set that is held.
    pub(crate) fn holds(&self, source: &Source) -> bool {
        self.source.is(source)
    }

    /// A network with these weights over the data set.
    pub fn executor<'e>(
        &'e self,
        network: &Network,
        weights: &Weights,
        setting: &ExecutorConfig,
    ) -> Result<Box<dyn Executor + 'e>, NetError> {
        if network.input != self.input {
            return Err(NetError::Config(format!(
                "the network takes rows of shape {}, but the data was given as rows of shape {}",
                network.input, self.input
            )));
        }
        network.check(weights)?;
        match &self.place {
            Place::Cpu => {
                let ExecutorConfig { optimizer, weight_decay, threads, .. } = *setting;
                let executor =
                    CpuExecutor::new(network, weights, self.source, threads, optimizer, weight_decay)?;
                Ok(Box::new(executor))
            }
            #[cfg(feature = "cuda")]
            Place::Cuda { data, .. } => Ok(Box::new(CudaExecutor::new(data, network, weights, setting)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    #[test]
    fn data_that_does_not_fit_is_refused() {
        let refusal = |source, input| Engine::new(Device::Cpu, source, input).err().unwrap().to_string();
        let pixel = Shape { channels: 3, height: 1, width: 2 };
        assert!(refusal(Source::Numbers(&[0.0; 7]), pixel).contains("7 numbers"));
        let bytes = |scale, shift| Source::Bytes { bytes: &[0; 6], scale, shift };
        assert!(refusal(bytes(&[1.0; 3], &[0.0; 2]), pixel).contains("come with 3 and 2"));
        assert!(refusal(bytes(&[1.0; 3], &[0.0, f32::NAN, 0.0]), pixel).contains("NaN"));
        let engine = Engine::new(Device::Cpu, bytes(&[1.0; 3], &[0.0; 3]), pixel).unwrap();
        assert_eq!((engine.rows(), engine.describe().as_str()), (1, "cpu"));
        let network = Architecture::Linear.network(Shape::flat(6)).unwrap();
        let weights = Weights::initial(&network, 0.0, 0).unwrap();
        let error =
            engine.executor(&network, &weights, &ExecutorConfig::default()).err().unwrap().to_string();
        assert!(error.contains("6x1x1") && error.contains("3x1x2"), "{error}");
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn without_the_feature_a_gpu_is_refused_in_one_sentence() {
        let error = Engine::new(Device::Cuda(0), Source::Numbers(&[0.0]), Shape::flat(1)).err().unwrap();
        assert!(error.to_string().contains("no CUDA support") && matches!(error, NetError::Device(_)));
        assert_eq!(Device::first(), Device::Cpu);
    }
}
