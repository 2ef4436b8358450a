//! When a network has a teacher though nobody asked for one.
//!
//! On CIFAR-10 and SVHN a teacher made VGG-16 and ResNet-18 better with 20 to 9,457 labeled pictures, by 2 to 10 points; with
//! 1,000 labels it made the small `cnn` worse on three of four sets. Little is known of gray pictures under large networks, and
//! nothing of sets of a few hundred pictures (docs/few-labels-results.md). It also takes twice the time, which is hours on a CPU. So the
//! rule asks for all of what it was seen with.

use crate::methods::Method;
use crate::views::shape_of;
use crate::{Config, ModelChoice, TrainOverrides};
use onesided_data::{Dataset, Label};
use onesided_net::{Architecture, Device, Shape, Teacher, Teaching};

/// With more labeled pictures than these, what a teacher brings was not measured.
const MOST_LABELED: usize = 10_000;
/// The same for fewer unlabeled ones.
const FEWEST_UNLABELED: usize = 10_000;
/// Rows of a batch, by which the device is chosen where none was named.
const BATCH: usize = 512;

/// What is said of a model that had a teacher by the rule.
pub const TAUGHT_BY_RULE: &str = "a teacher took part, as it does by default where a large network learns from few labeled \
                                  color pictures on a GPU; turn the teacher off to train without one";

impl Config {
    /// These settings with a teacher, where they say nothing of one and the rule asks for it.
    pub fn taught_by_rule(&self, data: &Dataset) -> Option<Self> {
        let said = self.train.teacher.is_some() || self.train.mixup.is_some() || self.train.average.is_some();
        let Ok(Method::Objective(objective)) = self.method() else { return None };
        let (Some(shape), Some(ModelChoice::Network(architecture))) =
            (data.encoding().shape().map(|_| shape_of(data)), &self.model)
        else {
            return None;
        };
        // Without a prior in it, an objective calls nearly everything negative, and a teacher repeats that.
        if said || !objective.needs_prior || objective.needs_truth {
            return None;
        }
        let count =
            |kind: Label| data.labels().map_or(0, |all| all.iter().filter(|&&label| label == kind).count());
        let counts = (count(Label::Positive), count(Label::Unlabeled));
        let device = self.machine().device.resolve(&architecture.network(shape).ok()?, BATCH);
        helps(architecture, shape, counts, device).then(|| {
            let teacher = Some(Teaching::from(Teacher::default()));
            Self { train: TrainOverrides { teacher, ..self.train.clone() }, ..self.clone() }
        })
    }
}

/// Whether a teacher was seen to help a network like this on so many labeled and unlabeled pictures of a shape.
fn helps(
    architecture: &Architecture,
    shape: Shape,
    (labeled, unlabeled): (usize, usize),
    device: Device,
) -> bool {
    let is_large = matches!(
        architecture,
        Architecture::Vgg16 { batch_norm: true } | Architecture::ResNet18 | Architecture::WideResNet { .. }
    );
    let is_few = labeled <= MOST_LABELED && unlabeled >= FEWEST_UNLABELED;
    is_large && shape.channels == 3 && is_few && matches!(device, Device::Cuda(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    const PHOTO: Shape = Shape { channels: 3, height: 32, width: 32 };
    const DIGIT: Shape = Shape { channels: 1, height: 16, width: 16 };

    #[test]
    fn a_teacher_helps_large_networks_with_few_labels_in_color_on_a_gpu() {
        let (few, card) = ((1_000, 49_000), Device::Cuda(0));
        for large in ["vgg16", "resnet18", "wide-resnet"] {
            assert!(helps(&large.parse().unwrap(), PHOTO, few, card), "{large}");
        }
        let resnet = Architecture::ResNet18;
        assert!(!helps(&Architecture::Cnn, PHOTO, few, card));
        assert!(!helps(&"vgg16-plain".parse().unwrap(), PHOTO, few, card));
        assert!(!helps(&resnet, DIGIT, few, card));
        assert!(!helps(&resnet, PHOTO, (20_000, 49_000), card));
        assert!(!helps(&resnet, PHOTO, (100, 900), card));
        assert!(!helps(&resnet, PHOTO, few, Device::Cpu));
    }

    #[test]
    fn tables_and_what_was_said_are_left_alone() {
        let data = Dataset::from_scaled(Matrix::new(2, 1, vec![0.0, 1.0]).unwrap(), None).unwrap();
        let model = Some(ModelChoice::Network(Architecture::ResNet18));
        assert_eq!(Config { model, ..Config::default() }.taught_by_rule(&data), None);
        assert_eq!(Config::default().taught_by_rule(&data), None);
    }
}
