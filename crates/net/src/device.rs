//! Devices by name, and an engine: a device that holds a data set once, for any number of networks.

use crate::NetError;
use crate::cpu::CpuExecutor;
#[cfg(feature = "cuda")]
use crate::cuda::{self, Card, CardData, CudaExecutor};
use crate::executor::{Executor, Source};
use crate::optimizer::Optimizer;
use crate::spec::{Network, Shape};
use crate::weights::Weights;
use onesided_data::unknown_name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Multiply-adds of a batch's forward pass below which a step on a card is all launches and waiting, and the processor
/// is done sooner. `auto` leaves such networks on the CPU.
const WORTH_A_CARD: usize = 8_000_000;

/// Rows of a pass outside training, by which `auto` judges whether scoring is worth a card.
const ROWS_A_PASS: usize = 1024;

/// Where a network runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// The first NVIDIA GPU where there is one and the network is large enough to gain from it, else the CPU.
    Auto,
    /// The processor's cores.
    #[default]
    Cpu,
    /// The NVIDIA GPU of this number.
    Cuda(usize),
}

impl Device {
    /// The device that `self` means for batches of this network: never [`Auto`](Device::Auto).
    pub fn resolve(self, network: &Network, batch: usize) -> Self {
        match self {
            Device::Auto if network.products().saturating_mul(batch) < WORTH_A_CARD => Device::Cpu,
            Device::Auto => Self::first(),
            named => named,
        }
    }

    /// The device that `self` means for scoring this many rows.
    pub fn for_scoring(self, network: &Network, rows: usize) -> Self {
        self.resolve(network, rows.min(ROWS_A_PASS))
    }

    /// Refuses a device that this build or this machine cannot use; quick, so that it can be asked before any work.
    pub fn check(self) -> Result<(), NetError> {
        match self {
            Device::Auto | Device::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Device::Cuda(_) => cuda::available(),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda(_) => {
                Err(NetError::Device("this build has no CUDA support; build with the feature cuda".into()))
            }
        }
    }

    /// The first GPU if it can be used and computes in bf16, else the CPU.
    fn first() -> Self {
        #[cfg(feature = "cuda")]
        if cuda::worth_choosing(0) {
            return Device::Cuda(0);
        }
        Device::Cpu
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Auto => f.write_str("auto"),
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for Device {
    type Err = NetError;

    /// `auto`, `cpu`, `cuda` (the first GPU) or `cuda:1` (the second).
    fn from_str(text: &str) -> Result<Self, NetError> {
        let refuse = || {
            let known = ["auto", "cpu", "cuda", "cuda:N for GPU number N"];
            NetError::Config(match text {
                // One letter from cpu, which is not what is meant.
                "gpu" | "GPU" => {
                    format!("unknown device '{text}' (did you mean 'cuda'?); use {}", known.join(", "))
                }
                _ => unknown_name("device", text, &known),
            })
        };
        match text {
            "auto" => Ok(Device::Auto),
            "cpu" => Ok(Device::Cpu),
            "cuda" => Ok(Device::Cuda(0)),
            _ => {
                let number = text.strip_prefix("cuda:").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
                number.and_then(|n| n.parse().ok()).map(Device::Cuda).ok_or_else(refuse)
            }
        }
    }
}

impl TryFrom<String> for Device {
    type Error = NetError;

    fn try_from(text: String) -> Result<Self, NetError> {
        text.parse()
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

/// The numbers that a GPU computes with. The CPU always takes f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// bfloat16 products, sums and weights in f32.
    #[default]
    Bf16,
    /// f32 throughout: slower, for checking.
    F32,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::Bf16 => "bf16",
            Precision::F32 => "f32",
        })
    }
}

impl FromStr for Precision {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        match text {
            "bf16" => Ok(Precision::Bf16),
            "f32" => Ok(Precision::F32),
            _ => Err(NetError::Config(unknown_name("precision", text, &["bf16", "f32"]))),
        }
    }
}

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
    /// Most strong views among them.
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
    fn names_come_back_as_they_were() {
        for (name, device) in [
            ("auto", Device::Auto),
            ("cpu", Device::Cpu),
            ("cuda:0", Device::Cuda(0)),
            ("cuda:12", Device::Cuda(12)),
        ] {
            assert_eq!(name.parse::<Device>().unwrap(), device);
            assert_eq!(device.to_string(), name);
            let json = serde_json::to_string(&device).unwrap();
            assert_eq!(
                (json.as_str(), serde_json::from_str(&json).unwrap()),
                (&*format!("\"{name}\""), device)
            );
        }
        assert_eq!("cuda".parse::<Device>().unwrap(), Device::Cuda(0));
        for wrong in ["gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "CUDA", "cuda:99999999999999999999"] {
            let error = wrong.parse::<Device>().unwrap_err().to_string();
            assert!(error.contains(&format!("unknown device '{wrong}'")), "{error}");
            assert!(serde_json::from_str::<Device>(&format!("\"{wrong}\"")).is_err());
        }
        assert_eq!("f32".parse::<Precision>().unwrap(), Precision::F32);
        assert_eq!(Precision::default().to_string(), "bf16");
        assert!("f16".parse::<Precision>().unwrap_err().to_string().contains("use bf16 or f32"));
    }

    #[test]
    fn auto_leaves_small_networks_on_the_cpu() {
        // 64·128 + 128·128 + 128 = 24,704 products a row: 323 rows stay below 8 million.
        let network = Architecture::mlp().network(Shape::flat(64)).unwrap();
        assert_eq!(network.products(), 24_704);
        assert_eq!(Device::Auto.resolve(&network, 323), Device::Cpu);
        assert_ne!(Device::Auto.resolve(&network, 1 << 20), Device::Auto);
        assert_eq!(Device::Cuda(3).resolve(&network, 1), Device::Cuda(3));
    }

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
