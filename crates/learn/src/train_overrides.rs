//! How networks are trained: what the user says, and where nothing is said, what the size of the data and the network
//! suggest.

use crate::Error;
use onesided_net::Mix;
use onesided_net::{
    Architecture, Augment, Mixing, Optimizer, Schedule, Shape, Teacher, Teaching, TrainConfig,
};

/// Passes over small data; also the most that are made by default.
const MOST_EPOCHS: usize = 100;
/// Even large data are seen a few times.
const FEWEST_EPOCHS: usize = 4;
/// Steps that a default training run aims at: 100 epochs up to 40,000 rows, 4 for a million.
const STEPS: usize = 8_000;
/// Batches of this size keep the noise of the mean over U low (about 0.02 at μ = 0.25) and the processor busy.
const LARGEST_BATCH: usize = 512;
/// Smaller data get smaller batches, so that an epoch has about four steps.
const SMALLEST_BATCH: usize = 32;
/// Epochs over which networks of images come to their full rate: without it, one in seven runs of a small network on MNIST with few
/// labels called every image positive from its first steps on (docs/loss-comparison.md).
const WARM_UP_ON_IMAGES: f64 = 0.5;
/// With a teacher: decay kept separate from the gradient, chosen on training images of CIFAR-10 that were kept out
/// (`benches/few_labels`). Its strength times the epochs is what counts, so fewer epochs have more of it.
const TAUGHT_DECAY: f64 = 1.0;
/// With a teacher, a batch has at least this share of positives, few as they are.
const TAUGHT_SHARE: f64 = 0.125;
/// Rows that are no pictures are learned from with a teacher for as many epochs: with 30 or 100 it grew sure of its mistakes on some
/// of the tables that this was chosen on, and with 15 on none (docs/loss-comparison.md).
const TAUGHT_EPOCHS_OF_ROWS: usize = 15;
/// Weak views are moved by up to this many pixels.
const TAUGHT_CROP: u8 = 4;

/// How a network is trained: by the data, except for what was given, or as said to the last detail.
#[derive(Clone, Debug, PartialEq)]
pub enum Training {
    /// What is left open is chosen by the size of the data and the network.
    ByData(TrainOverrides),
    /// Nothing is chosen: experiments repeat to the last digit. Seed, threads, device and precision are still those of the
    /// task.
    Fixed(TrainConfig),
}

impl From<TrainOverrides> for Training {
    fn from(overrides: TrainOverrides) -> Self {
        Training::ByData(overrides)
    }
}

impl Training {
    /// Refuses what no training can use, before any work is done.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Training::ByData(overrides) => overrides.check(),
            Training::Fixed(config) => Ok(config.check()?),
        }
    }

    /// What is done to images of a shape before they are learned from. A teacher needs weak views: where nothing is said,
    /// images are moved by an eighth of their size, four pixels at most, and those in color are mirrored. Gray ones may be
    /// letters or digits, which are something else in a mirror.
    pub(crate) fn augment(&self, shape: Shape) -> Augment {
        match self {
            Training::ByData(TrainOverrides { augment: None, teacher: Some(Teaching::On(_)), .. }) => {
                Augment {
                    crop: (shape.height.min(shape.width) / 8).min(usize::from(TAUGHT_CROP)) as u8,
                    mirror: shape.channels == 3,
                }
            }
            Training::ByData(overrides) => overrides.augment.unwrap_or_default(),
            Training::Fixed(config) => config.augment,
        }
    }

    /// Whether there is a teacher.
    pub(crate) fn is_taught(&self) -> bool {
        match self {
            Training::ByData(overrides) => matches!(overrides.teacher, Some(Teaching::On(_))),
            Training::Fixed(config) => config.teacher.is_some(),
        }
    }

    /// The whole configuration for `rows` training rows of a shape.
    pub(crate) fn config(
        &self,
        rows: usize,
        input: Shape,
        architecture: &Architecture,
        mix: Mix,
    ) -> TrainConfig {
        match self {
            Training::ByData(overrides) => overrides.config(rows, input, architecture, mix),
            Training::Fixed(config) => config.clone(),
        }
    }
}

/// Calls a macro with every setting of the training loop: what it does, its name and its type. The fields of
/// [`TrainOverrides`] and the setters of a builder are made of it.
#[doc(hidden)]
#[macro_export]
macro_rules! training_settings {
    ($make:ident) => {
        $make! {
            /// Rows per batch.
            batch: usize;
            /// The most passes over the unlabeled rows.
            epochs: usize;
            /// The learning rate at the start.
            learning_rate: f64;
            /// The optimizer.
            optimizer: Optimizer;
            /// How the learning rate falls.
            schedule: Schedule;
            /// Epochs over which the learning rate rises to its full size.
            warm_up: f64;
            /// The strength of weight decay.
            weight_decay: f64;
            /// Epochs without a lower held-out risk after which training stops.
            patience: usize;
            /// What is done to pictures before they are learned from.
            augment: Augment;
            /// Whether an average of the network teaches it on strongly changed pictures, or on rows of which some numbers or
            /// words are left out. Where nothing is said, it does for color pictures, at most 10,000 labeled and at least
            /// 10,000 unlabeled ones, under `vgg16`, `resnet18` or `wide-resnet` on a GPU.
            teacher: Teaching;
            /// Whether predictions for mixed rows must be mixed predictions, as in VPU; on the CPU.
            mixup: Mixing;
            /// The rate of a moving average of the weights, which is then what is kept.
            average: f64;
        }
    };
}

macro_rules! overrides {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)+) => {
        /// The settings of the training loop that a user may give; `None` is chosen.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct TrainOverrides {
            $($(#[$doc])* pub $name: Option<$type>,)+
        }

        impl TrainOverrides {
            /// A configuration with what was given put in its place.
            pub fn apply_to(&self, config: TrainConfig) -> TrainConfig {
                TrainConfig { $($name: self.$name.map_or(config.$name, Into::into),)+ ..config }
            }
        }
    };
}

training_settings!(overrides);

impl TrainOverrides {
    /// The whole configuration for `rows` training rows of a shape.
    pub fn config(&self, rows: usize, input: Shape, architecture: &Architecture, mix: Mix) -> TrainConfig {
        let batch = self.batch.unwrap_or_else(|| (rows / 4).clamp(SMALLEST_BATCH, LARGEST_BATCH));
        let steps_per_epoch = rows.div_ceil(batch).max(1);
        let epochs =
            self.epochs.unwrap_or_else(|| (STEPS / steps_per_epoch).clamp(FEWEST_EPOCHS, MOST_EPOCHS));
        let plain = TrainConfig {
            batch,
            epochs,
            learning_rate: learning_rate(architecture),
            weight_decay: 1e-4,
            warm_up: if architecture.needs_image() { WARM_UP_ON_IMAGES } else { 0.0 },
            mix,
            patience: Some((epochs / 5).max(5)),
            ..TrainConfig::default()
        };
        let teacher = self.teacher.unwrap_or_default().teacher(usual(input));
        let config = match teacher {
            Some(_) if is_image(input) => taught(plain),
            Some(_) => TrainConfig {
                epochs: epochs.min(TAUGHT_EPOCHS_OF_ROWS),
                mix: with_few_positives(plain.mix),
                patience: None,
                ..plain
            },
            None => plain,
        };
        TrainConfig { teacher, ..self.apply_to(config) }
    }
}

/// What a teacher goes with: its answers change until the last epoch, so training goes through to the end, and strong decay
/// keeps the student from learning the few labeled images by heart.
fn taught(plain: TrainConfig) -> TrainConfig {
    TrainConfig {
        learning_rate: 1e-3,
        optimizer: Optimizer::NadamW,
        warm_up: 0.0,
        weight_decay: TAUGHT_DECAY * MOST_EPOCHS as f64 / plain.epochs.max(MOST_EPOCHS / 2) as f64,
        mix: with_few_positives(plain.mix),
        patience: None,
        ..plain
    }
}

fn with_few_positives(mix: Mix) -> Mix {
    match mix {
        Mix::AtLeast(_) => Mix::AtLeast(TAUGHT_SHARE),
        mix => mix,
    }
}

/// The teacher that rows of a shape have where nothing else is said.
fn usual(input: Shape) -> Teacher {
    if is_image(input) { Teacher::default() } else { Teacher::of_rows() }
}

/// Whether rows of a shape are images, which have views of their own.
fn is_image(input: Shape) -> bool {
    input.pixels() > 1
}

/// The deeper the network, the smaller the steps; batch norm allows for larger ones. Picked once for all methods, on
/// the built-in digits.
fn learning_rate(architecture: &Architecture) -> f64 {
    match architecture {
        Architecture::Linear => 1e-2,
        Architecture::Mlp { batch_norm: true, .. } => 3e-3,
        Architecture::Mlp { .. } | Architecture::Cnn => 1e-3,
        Architecture::Vgg16 { .. } => 5e-4,
        _ => 1e-3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHOTO: Shape = Shape { channels: 3, height: 32, width: 32 };

    fn chosen(rows: usize) -> (usize, usize) {
        let config =
            TrainOverrides::default().config(rows, Shape::flat(9), &Architecture::Linear, Mix::Proportional);
        (config.batch, config.epochs)
    }

    fn warm_ups() -> [f64; 3] {
        [Architecture::mlp(), Architecture::Cnn, Architecture::ResNet18].map(|architecture| {
            TrainOverrides::default().config(1_000, PHOTO, &architecture, Mix::Proportional).warm_up
        })
    }

    #[test]
    fn batches_and_epochs_follow_the_size_of_the_data() {
        assert_eq!(chosen(40), (32, 100));
        assert_eq!(chosen(1_000), (250, 100));
        assert_eq!(chosen(40_000), (512, 100));
        assert_eq!(chosen(200_000), (512, 20));
        assert_eq!(chosen(1_000_000), (512, 4));
        assert_eq!(chosen(50_000_000), (512, 4));
    }

    #[test]
    fn what_is_asked_for_is_done() {
        let overrides = TrainOverrides {
            batch: Some(7),
            epochs: Some(3),
            learning_rate: Some(0.5),
            ..TrainOverrides::default()
        };
        let config =
            overrides.config(1_000, PHOTO, &Architecture::Vgg16 { batch_norm: true }, Mix::Proportional);
        assert_eq!((config.batch, config.epochs, config.learning_rate), (7, 3, 0.5));
        let deep = TrainOverrides::default().config(
            1_000,
            PHOTO,
            &Architecture::Vgg16 { batch_norm: true },
            Mix::Proportional,
        );
        assert_eq!((deep.learning_rate, deep.warm_up), (5e-4, 0.5));
        assert_eq!(warm_ups(), [0.0, 0.5, 0.5]);
    }

    #[test]
    fn a_teacher_comes_with_its_own_settings_where_nothing_is_said() {
        let on =
            TrainOverrides { teacher: Some(Teaching::On(Default::default())), ..TrainOverrides::default() };
        let config = |overrides: &TrainOverrides| {
            overrides.config(40_000, PHOTO, &Architecture::ResNet18, Mix::AtLeast(0.1))
        };
        let taught = config(&on);
        assert_eq!((taught.optimizer, taught.epochs, taught.weight_decay), (Optimizer::NadamW, 100, 1.0));
        assert_eq!((taught.mix, taught.patience), (Mix::AtLeast(0.125), None));
        let half = config(&TrainOverrides { epochs: Some(50), ..on.clone() });
        assert_eq!(half.weight_decay, 2.0);
        let said = TrainOverrides { weight_decay: Some(0.5), optimizer: Some(Optimizer::Adam), ..on.clone() };
        assert_eq!((config(&said).optimizer, config(&said).weight_decay), (Optimizer::Adam, 0.5));

        assert_eq!(taught.teacher, Some(Teacher::default()));

        // Rows of a table keep the steps and the decay of training without a teacher.
        let row = |overrides: &TrainOverrides| {
            overrides.config(40_000, Shape::flat(9), &Architecture::mlp(), Mix::AtLeast(0.1))
        };
        let (alone, taught) = (row(&TrainOverrides::default()), row(&on));
        assert_eq!(taught.teacher, Some(Teacher::of_rows()));
        assert_eq!((taught.mix, taught.patience, taught.epochs), (Mix::AtLeast(0.125), None, 15));
        assert_eq!(row(&TrainOverrides { epochs: Some(40), ..on.clone() }).epochs, 40);
        assert_eq!((taught.optimizer, taught.weight_decay), (alone.optimizer, alone.weight_decay));
        let weak = TrainOverrides { teacher: Some("strength=0.1".parse().unwrap()), ..on.clone() };
        assert_eq!(row(&weak).teacher, Some(Teacher { strength: 0.1, ..Teacher::of_rows() }));

        let photo = PHOTO;
        let digit = Shape { channels: 1, height: 16, width: 16 };
        let views = |shape| Training::from(on.clone()).augment(shape);
        assert_eq!(views(photo), Augment { crop: 4, mirror: true });
        assert_eq!(views(digit), Augment { crop: 2, mirror: false });
        let none = TrainOverrides { augment: Some(Augment::default()), ..on.clone() };
        assert_eq!(Training::from(none).augment(photo), Augment::default());
        assert_eq!(Training::from(TrainOverrides::default()).augment(photo), Augment::default());
    }

    #[test]
    fn impossible_overrides_are_named() {
        let message = |overrides: TrainOverrides| overrides.check().unwrap_err().to_string();
        assert_eq!(
            message(TrainOverrides { learning_rate: Some(-1.0), ..TrainOverrides::default() }),
            "the learning rate must be a positive number, but is -1"
        );
        assert!(
            message(TrainOverrides { epochs: Some(0), ..TrainOverrides::default() })
                .contains("epochs must be at least 1")
        );
        assert!(
            message(TrainOverrides { batch: Some(1), ..TrainOverrides::default() }).contains("at least 2")
        );
        assert!(
            message(TrainOverrides { weight_decay: Some(f64::NAN), ..TrainOverrides::default() })
                .contains("NaN")
        );
        assert!(
            message(TrainOverrides { patience: Some(0), ..TrainOverrides::default() }).contains("patience")
        );
    }
}
