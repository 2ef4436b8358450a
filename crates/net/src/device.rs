//! Devices by name, and the numbers that they compute with.

use crate::NetError;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::spec::Network;
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
    pub(crate) fn first() -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Shape};

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
}
