//! The networks users name: `linear`, `mlp`, `cnn`, `vgg16`, `resnet18`, `wide-resnet`.

use crate::NetError;
use crate::spec::{Activation, Layer, Network, Shape};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A family of networks; together with the shape of the input it becomes a [`Network`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// One dense layer: logistic regression on the features.
    Linear,
    /// Dense layers with an activation between.
    Mlp {
        /// Widths of the hidden layers.
        hidden: Vec<usize>,
        /// After each hidden layer.
        activation: Activation,
        /// Batch norm before each activation.
        batch_norm: bool,
        /// Dropout after each activation; 0 for none.
        dropout: f32,
    },
    /// Two 3×3 convolutions (32 and 64 channels, batch norm, pooling) and a dense layer of 128.
    Cnn,
    /// VGG-16 (Simonyan and Zisserman, 2015) for small images: its 13 convolutions with pooling, then the score.
    Vgg16 {
        /// Batch norm after each convolution.
        batch_norm: bool,
    },
    /// ResNet-18 (He et al., 2016) for small images: a 3×3 convolution of 64 channels, eight residual blocks of 64 to 512
    /// channels, the mean over pixels, then the score.
    ResNet18,
    /// A wide residual network (Zagoruyko and Komodakis, 2016): three groups of blocks of 16, 32 and 64 times `width`
    /// channels.
    WideResNet {
        /// Layers as its authors count them: 4 more than a multiple of 6.
        depth: usize,
        /// By how much it is wider than a plain one.
        width: usize,
    },
    /// Layers of your own; the last must give one number.
    Layers(Vec<Layer>),
}

/// Widths of VGG-16's convolutions; 0 is a pooling.
const VGG16: [usize; 18] = [64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0];

impl Architecture {
    /// The multilayer perceptron that `mlp` names: two hidden layers of 128, ReLU, batch norm.
    pub fn mlp() -> Self {
        Architecture::Mlp {
            hidden: vec![128, 128],
            activation: Activation::Relu,
            batch_norm: true,
            dropout: 0.0,
        }
    }

    /// The names that can be parsed.
    pub fn names() -> &'static [&'static str] {
        &[
            "linear",
            "mlp",
            "mlp:64,32",
            "mlp:300x5:softsign",
            "cnn",
            "vgg16",
            "vgg16-plain",
            "resnet18",
            "wide-resnet",
            "wide-resnet:28x10",
        ]
    }

    /// Whether the architecture looks at its input as an image.
    pub fn needs_image(&self) -> bool {
        matches!(
            self,
            Architecture::Cnn
                | Architecture::Vgg16 { .. }
                | Architecture::ResNet18
                | Architecture::WideResNet { .. }
        )
    }

    /// The layers for examples of shape `input`.
    pub fn network(&self, input: Shape) -> Result<Network, NetError> {
        if self.needs_image() && (input.height < 4 || input.width < 4) {
            return Err(NetError::Architecture(format!(
                "{self} needs images of at least 4x4 pixels, but the input has shape {input}; \
                 give the image shape, or use mlp"
            )));
        }
        if let Architecture::WideResNet { depth, width } = *self
            && !is_wide_resnet(depth, width)
        {
            return Err(NetError::Architecture(format!(
                "{self} cannot be built: the depth must be 4 more than a multiple of 6, from 10 to 64, the width from 1 to 32"
            )));
        }
        let mut layers = Vec::new();
        match self {
            Architecture::Layers(layers) => {
                let network = Network { input, layers: layers.clone() };
                network.shapes()?;
                return Ok(network);
            }
            Architecture::Linear => layers.push(Layer::Flatten),
            Architecture::Mlp { hidden, activation, batch_norm, dropout } => {
                layers.push(Layer::Flatten);
                for &outputs in hidden {
                    layers.push(Layer::Dense { outputs, bias: !batch_norm });
                    if *batch_norm {
                        layers.push(Layer::BatchNorm);
                    }
                    layers.push(Layer::Activate { activation: *activation });
                    if *dropout > 0.0 {
                        layers.push(Layer::Dropout { probability: *dropout });
                    }
                }
            }
            Architecture::Cnn => {
                convolutions(&mut layers, &[32, 0, 64, 0], true, input);
                layers.push(Layer::Flatten);
                layers.push(Layer::Dense { outputs: 128, bias: true });
                layers.push(Layer::Activate { activation: Activation::Relu });
            }
            Architecture::Vgg16 { batch_norm } => {
                convolutions(&mut layers, &VGG16, *batch_norm, input);
                layers.push(Layer::Flatten);
            }
            Architecture::ResNet18 => {
                layers.push(Layer::Conv { outputs: 64, bias: false });
                layers.extend([Layer::BatchNorm, Layer::Activate { activation: Activation::Relu }]);
                groups(&mut layers, &[64, 128, 256, 512], 2, false);
                layers.push(Layer::MeanPool);
            }
            Architecture::WideResNet { depth, width } => {
                layers.push(Layer::Conv { outputs: 16, bias: false });
                groups(&mut layers, &[16 * width, 32 * width, 64 * width], (depth - 4) / 6, true);
                layers.extend([Layer::BatchNorm, Layer::Activate { activation: Activation::Relu }]);
                layers.push(Layer::MeanPool);
            }
        }
        layers.push(Layer::Dense { outputs: 1, bias: true });
        let network = Network { input, layers };
        network.shapes()?;
        Ok(network)
    }
}

/// Convolutions with batch norm and ReLU; a width of 0 pools. A pooling that would leave nothing of a small image
/// is left out, so VGG-16 also takes 16×16 and 28×28 images.
fn convolutions(layers: &mut Vec<Layer>, widths: &[usize], batch_norm: bool, input: Shape) {
    let mut side = input.height.min(input.width);
    for &outputs in widths {
        if outputs == 0 {
            if side >= 2 {
                layers.push(Layer::MaxPool);
                side /= 2;
            }
            continue;
        }
        layers.push(Layer::Conv { outputs, bias: !batch_norm });
        if batch_norm {
            layers.push(Layer::BatchNorm);
        }
        layers.push(Layer::Activate { activation: Activation::Relu });
    }
}

/// Whether there is a wide residual network of this size.
fn is_wide_resnet(depth: usize, width: usize) -> bool {
    (10..=64).contains(&depth) && depth % 6 == 4 && (1..=32).contains(&width)
}

/// Groups of residual blocks; each but the first halves height and width.
fn groups(layers: &mut Vec<Layer>, widths: &[usize], blocks: usize, pre: bool) {
    for (group, &outputs) in widths.iter().enumerate() {
        for block in 0..blocks {
            let stride = if group > 0 && block == 0 { 2 } else { 1 };
            layers.push(Layer::Residual { outputs, stride, pre });
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Architecture::Linear => f.write_str("linear"),
            Architecture::Cnn => f.write_str("cnn"),
            Architecture::Vgg16 { batch_norm: true } => f.write_str("vgg16"),
            Architecture::Vgg16 { batch_norm: false } => f.write_str("vgg16-plain"),
            Architecture::ResNet18 => f.write_str("resnet18"),
            Architecture::WideResNet { depth, width } => write!(f, "wide-resnet:{depth}x{width}"),
            Architecture::Layers(layers) => write!(f, "{} layers of your own", layers.len()),
            Architecture::Mlp { hidden, activation, batch_norm, dropout } => {
                let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
                write!(f, "mlp:{}", widths.join(","))?;
                if *activation == Activation::Softsign {
                    f.write_str(":softsign")?;
                }
                if !batch_norm {
                    f.write_str(":plain")?;
                }
                if *dropout > 0.0 {
                    write!(f, ":dropout={dropout}")?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Architecture {
    type Err = NetError;

    /// `mlp` takes widths (`64,32` or `300x5`) and the words `relu`, `softsign`, `plain` (no batch norm) and
    /// `dropout=P`, each behind a colon. Softsign networks are plain, as in the paper.
    fn from_str(text: &str) -> Result<Self, NetError> {
        let unknown = |part: &str| {
            let names = Architecture::names();
            let meant = onesided_data::nearest(part, names.iter().copied()).filter(|_| part == text);
            let meant = meant.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"));
            NetError::Architecture(format!(
                "unknown network '{part}' in '{text}'{meant}; known are {}",
                names.join(", ")
            ))
        };
        match text {
            "linear" => return Ok(Architecture::Linear),
            "mlp" => return Ok(Architecture::mlp()),
            "cnn" => return Ok(Architecture::Cnn),
            "vgg16" => return Ok(Architecture::Vgg16 { batch_norm: true }),
            "vgg16-plain" => return Ok(Architecture::Vgg16 { batch_norm: false }),
            "resnet18" => return Ok(Architecture::ResNet18),
            "wide-resnet" => return Ok(Architecture::WideResNet { depth: 28, width: 2 }),
            _ => {}
        }
        if let Some(size) = text.strip_prefix("wide-resnet:") {
            let (depth, width) = size.split_once('x').ok_or_else(|| unknown(size))?;
            return match (depth.parse(), width.parse()) {
                (Ok(depth), Ok(width)) if is_wide_resnet(depth, width) => {
                    Ok(Architecture::WideResNet { depth, width })
                }
                _ => Err(unknown(size)),
            };
        }
        let mut parts = text.split(':');
        if parts.next() != Some("mlp") {
            return Err(unknown(text));
        }
        let (mut hidden, mut activation, mut batch_norm, mut dropout) =
            (vec![128, 128], Activation::Relu, true, 0.0);
        for part in parts {
            match part {
                "relu" => activation = Activation::Relu,
                "softsign" => (activation, batch_norm) = (Activation::Softsign, false),
                "plain" => batch_norm = false,
                _ => {
                    if let Some(p) = part.strip_prefix("dropout=") {
                        dropout =
                            p.parse().ok().filter(|p| (0.0..1.0).contains(p)).ok_or_else(|| unknown(part))?;
                    } else {
                        hidden = widths(part).ok_or_else(|| unknown(part))?;
                    }
                }
            }
        }
        Ok(Architecture::Mlp { hidden, activation, batch_norm, dropout })
    }
}

/// `64,32` or `300x5` (five layers of 300).
fn widths(text: &str) -> Option<Vec<usize>> {
    let good = |n: &usize| (1..=65_536).contains(n);
    if let Some((width, times)) = text.split_once('x') {
        let (width, times) = (width.parse().ok().filter(good)?, times.parse::<usize>().ok()?);
        return (1..=64).contains(&times).then(|| vec![width; times]);
    }
    text.split(',').map(|part| part.parse().ok().filter(good)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_print_the_same() {
        for name in [
            "linear",
            "cnn",
            "vgg16",
            "vgg16-plain",
            "resnet18",
            "wide-resnet:28x2",
            "mlp:64,32",
            "mlp:300,300:softsign:plain",
            "mlp:8:dropout=0.5",
        ] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
        assert_eq!(
            "mlp:300x5:softsign".parse::<Architecture>().unwrap().to_string(),
            "mlp:300,300,300,300,300:softsign:plain"
        );
        for name in [
            "resnet",
            "wide-resnet:28",
            "wide-resnet:27x2",
            "wide-resnet:28x0",
            "mlp:0",
            "mlp:a",
            "mlp:8:dropout=1",
            "",
        ] {
            assert!(name.parse::<Architecture>().is_err(), "{name}");
        }
    }

    /// As the published networks with ten classes (11,173,962, 1,467,610 and 36,479,194), with one score in their place.
    #[test]
    fn residual_networks_have_the_published_sizes() {
        let image = Shape { channels: 3, height: 32, width: 32 };
        for (name, size, last) in [
            ("resnet18", 11_173_962, 512),
            ("wide-resnet", 1_467_610, 128),
            ("wide-resnet:28x10", 36_479_194, 640),
        ] {
            let network = name.parse::<Architecture>().unwrap().network(image).unwrap();
            assert_eq!(network.parameters(), size - 9 * (last + 1), "{name}");
        }
        let shallow = Architecture::WideResNet { depth: 3, width: 2 }.network(image).unwrap_err();
        assert!(shallow.to_string().contains("4 more than a multiple of 6"), "{shallow}");
        for side in [4, 16, 28] {
            let small = Shape { channels: 1, height: side, width: side };
            assert!(Architecture::ResNet18.network(small).is_ok(), "{side}");
        }
    }

    #[test]
    fn vgg16_has_the_published_size() {
        let image = Shape { channels: 3, height: 32, width: 32 };
        // 13 convolutions without bias: 14,710,464 weights; 4,224 channels of batch norm, twice; 513 for the score.
        let with = Architecture::Vgg16 { batch_norm: true }.network(image).unwrap();
        assert_eq!(with.parameters(), 14_710_464 + 2 * 4_224 + 513);
        let plain = Architecture::Vgg16 { batch_norm: false }.network(image).unwrap();
        assert_eq!(plain.parameters(), 14_710_464 + 4_224 + 513);
        for side in [8, 16, 28] {
            let small = Shape { channels: 1, height: side, width: side };
            assert!(Architecture::Vgg16 { batch_norm: true }.network(small).is_ok(), "{side}");
        }
        assert!(Architecture::Cnn.network(Shape::flat(64)).is_err());
    }
}
