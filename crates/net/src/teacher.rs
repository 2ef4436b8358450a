//! Training with a teacher: an average of the student's own weights, whose sure answers on weak views the student learns to
//! give on strong ones ([`Lesson`](onesided_loss::Lesson)).
//!
//! Strong views of images are turned and recolored ([`Strong`](crate::Strong)), those of other rows lack some of their numbers
//! ([`Dropped`](crate::Dropped)).
//!
//! A step takes the positives and unlabeled rows of a batch twice, as weak and as strong views, through the student at once,
//! and the weak views of U through the teacher, with the statistics of the batch and without a gradient. The objective sees
//! the student's weak views alone, unless it is told to look at both ([`ObjectiveViews`]). The lesson, times a weight that rises from 0 over the first epochs, is added to it. After
//! the step the teacher's weights and running statistics move toward the student's.

use crate::NetError;
use onesided_loss::Lesson;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a student is taught.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Teacher {
    /// How much of the teacher stays at each step.
    pub rate: f64,
    /// The probability from which on the teacher's answer counts.
    pub confidence: f64,
    /// The weight of the lesson next to the objective.
    pub weight: f64,
    /// Epochs over which that weight rises from 0.
    pub ramp: f64,
    /// How strong strong views are: the share of each change's largest amount; 0 for weak views alone.
    #[serde(default = "one")]
    pub strength: f64,
    /// What the student must match.
    #[serde(default)]
    pub targets: Targets,
    /// Whether the mean of the teacher's answers is kept at the share of positives.
    #[serde(default = "yes")]
    pub align: bool,
    /// What the objective looks at.
    #[serde(default)]
    pub objective: ObjectiveViews,
}

/// The views that the objective looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectiveViews {
    /// Weak ones.
    #[default]
    Weak,
    /// Weak and strong ones, each kind for itself: few labeled images are then less easily learned by heart.
    Both,
}

/// What a student must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Targets {
    /// 0 or 1, where the teacher is sure.
    #[default]
    Hard,
    /// The teacher's probability, for every row.
    Soft,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

impl Default for Teacher {
    fn default() -> Self {
        Self {
            rate: 0.99,
            confidence: 0.95,
            weight: 8.0,
            ramp: 10.0,
            strength: one(),
            targets: Targets::Hard,
            align: yes(),
            objective: ObjectiveViews::Weak,
        }
    }
}

impl Teacher {
    /// The usual one for rows that are no images: a tenth of their numbers is left out, and its lesson weighs as much as the
    /// objective. Chosen on tables (docs/loss-comparison.md); the mildest did the least harm where a teacher did not help.
    pub fn of_rows() -> Self {
        Self { weight: 1.0, ramp: 5.0, strength: 0.2, ..Self::default() }
    }

    /// Refuses numbers that no teacher can use, in one sentence.
    pub fn check(&self) -> Result<(), NetError> {
        let refuse = |what: &str, range: &str, value: f64| {
            Err(NetError::Config(format!("the teacher's {what} must be {range}, but is {value}")))
        };
        if !(0.0..1.0).contains(&self.rate) {
            return refuse("rate", "0 or above and below 1", self.rate);
        }
        if !(0.5..1.0).contains(&self.confidence) {
            return refuse("confidence", "0.5 or above and below 1", self.confidence);
        }
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return refuse("weight", "above 0 and finite", self.weight);
        }
        if !(self.ramp >= 0.0 && self.ramp.is_finite()) {
            return refuse("ramp", "0 or more epochs, and finite", self.ramp);
        }
        if !(0.0..=1.0).contains(&self.strength) {
            return refuse("strength", "from 0 to 1", self.strength);
        }
        Ok(())
    }

    /// What it teaches about unlabeled rows of which `share` are positive.
    pub(crate) fn lesson(&self, share: f64) -> Lesson {
        let mut lesson = Lesson::new(share, self.confidence);
        if self.targets == Targets::Soft {
            lesson = lesson.soft();
        }
        if self.align { lesson } else { lesson.unaligned() }
    }

    /// The weight of the lesson after this many epochs, parts of one included.
    pub(crate) fn weight_at(&self, epochs: f64) -> f64 {
        if epochs >= self.ramp { self.weight } else { self.weight * epochs / self.ramp }
    }
}

/// Numbers of a teacher that were said; what is left open follows from the kind of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TeacherNumbers {
    /// [`Teacher::rate`].
    pub rate: Option<f64>,
    /// [`Teacher::confidence`].
    pub confidence: Option<f64>,
    /// [`Teacher::weight`].
    pub weight: Option<f64>,
    /// [`Teacher::ramp`].
    pub ramp: Option<f64>,
    /// [`Teacher::strength`].
    pub strength: Option<f64>,
    /// [`Teacher::targets`].
    pub targets: Option<Targets>,
    /// [`Teacher::align`].
    pub align: Option<bool>,
    /// [`Teacher::objective`].
    pub objective: Option<ObjectiveViews>,
}

impl TeacherNumbers {
    /// The teacher that they make of another.
    pub fn over(self, usual: Teacher) -> Teacher {
        Teacher {
            rate: self.rate.unwrap_or(usual.rate),
            confidence: self.confidence.unwrap_or(usual.confidence),
            weight: self.weight.unwrap_or(usual.weight),
            ramp: self.ramp.unwrap_or(usual.ramp),
            strength: self.strength.unwrap_or(usual.strength),
            targets: self.targets.unwrap_or(usual.targets),
            align: self.align.unwrap_or(usual.align),
            objective: self.objective.unwrap_or(usual.objective),
        }
    }
}

impl From<Teacher> for TeacherNumbers {
    fn from(teacher: Teacher) -> Self {
        let Teacher { rate, confidence, weight, ramp, strength, targets, align, objective } = teacher;
        Self {
            rate: Some(rate),
            confidence: Some(confidence),
            weight: Some(weight),
            ramp: Some(ramp),
            strength: Some(strength),
            targets: Some(targets),
            align: Some(align),
            objective: Some(objective),
        }
    }
}

/// Whether there is a teacher: `off`, `on`, or `on` with other numbers, such as `weight=2,ramp=5`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Teaching {
    /// The objective alone.
    #[default]
    Off,
    /// With a teacher, of these numbers where they are said.
    On(TeacherNumbers),
}

impl Teaching {
    /// The teacher of rows whose usual one is given.
    pub fn teacher(self, usual: Teacher) -> Option<Teacher> {
        match self {
            Teaching::Off => None,
            Teaching::On(numbers) => Some(numbers.over(usual)),
        }
    }
}

impl From<Teacher> for Teaching {
    fn from(teacher: Teacher) -> Self {
        Teaching::On(teacher.into())
    }
}

impl From<Teaching> for Option<Teacher> {
    /// That of pictures.
    fn from(teaching: Teaching) -> Self {
        teaching.teacher(Teacher::default())
    }
}

impl fmt::Display for Teaching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Teaching::On(said) = *self else { return f.write_str("off") };
        let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name}={value}"));
        let word = |name: &str, value: Option<&str>| value.map(|value| format!("{name}={value}"));
        let targets = said.targets.map(|targets| if targets == Targets::Soft { "soft" } else { "hard" });
        let align = said.align.map(|align| if align { "yes" } else { "no" });
        let both = said.objective.map(|views| if views == ObjectiveViews::Both { "both" } else { "weak" });
        let parts = [
            number("rate", said.rate),
            number("confidence", said.confidence),
            number("weight", said.weight),
            number("ramp", said.ramp),
            number("strength", said.strength),
            word("targets", targets),
            word("align", align),
            word("objective", both),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { f.write_str("on") } else { f.write_str(&parts.join(",")) }
    }
}

impl FromStr for Teaching {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let unknown = || {
            NetError::Config(format!(
                "unknown teacher '{text}'; use on, off, or its rate, confidence, weight, ramp, strength, targets (hard or \
                 soft), align (yes or no) and objective (weak or both), such as weight=2,ramp=5"
            ))
        };
        let mut said = TeacherNumbers::default();
        match text {
            "off" => return Ok(Teaching::Off),
            "on" => return Ok(Teaching::On(said)),
            _ => {}
        }
        for pair in text.split(',') {
            let (name, value) = pair.split_once('=').ok_or_else(unknown)?;
            let (name, value) = (name.trim(), value.trim());
            let twice = match name {
                "rate" => said.rate.replace(number(name, value)?).is_some(),
                "confidence" => said.confidence.replace(number(name, value)?).is_some(),
                "weight" => said.weight.replace(number(name, value)?).is_some(),
                "ramp" => said.ramp.replace(number(name, value)?).is_some(),
                "strength" => said.strength.replace(number(name, value)?).is_some(),
                "targets" => {
                    let known = [("hard", Targets::Hard), ("soft", Targets::Soft)];
                    said.targets.replace(named(name, value, known)?).is_some()
                }
                "align" => said.align.replace(named(name, value, [("yes", true), ("no", false)])?).is_some(),
                "objective" => {
                    let known = [("weak", ObjectiveViews::Weak), ("both", ObjectiveViews::Both)];
                    said.objective.replace(named(name, value, known)?).is_some()
                }
                _ => return Err(unknown()),
            };
            if twice {
                return Err(NetError::Config(format!("the teacher's {name} is given twice, in '{text}'")));
            }
        }
        said.over(Teacher::default()).check()?;
        Ok(Teaching::On(said))
    }
}

fn number(name: &str, value: &str) -> Result<f64, NetError> {
    let wrong = || NetError::Config(format!("the teacher's {name} must be a number, but is '{value}'"));
    value.parse().map_err(|_| wrong())
}

fn named<T: Copy>(name: &str, value: &str, known: [(&str, T); 2]) -> Result<T, NetError> {
    known.iter().find(|(word, _)| *word == value).map(|(_, meant)| *meant).ok_or_else(|| {
        let [(one, _), (other, _)] = known;
        NetError::Config(format!("the teacher's {name} must be {one} or {other}, but is '{value}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_rises_in_a_straight_line() {
        let teacher = Teacher { weight: 4.0, ramp: 8.0, ..Teacher::default() };
        assert_eq!([0.0, 2.0, 8.0, 50.0].map(|at| teacher.weight_at(at)), [0.0, 1.0, 4.0, 4.0]);
        assert_eq!(Teacher { ramp: 0.0, ..teacher }.weight_at(0.0), 4.0);
    }

    #[test]
    fn names_come_back_as_they_were() {
        let numbers = "rate=0.9,confidence=0.8,weight=2,ramp=0";
        let all = format!("{numbers},strength=0.5,targets=soft,align=no,objective=both");
        for name in ["on", "off", "weight=8", "strength=0.2,align=yes", numbers, &all] {
            assert_eq!(name.parse::<Teaching>().unwrap().to_string(), name);
        }
        let some: Option<Teacher> = "weight=2, ramp=5".parse::<Teaching>().unwrap().into();
        assert_eq!(some, Some(Teacher { weight: 2.0, ramp: 5.0, ..Teacher::default() }));
        let rows = "strength=0.5".parse::<Teaching>().unwrap().teacher(Teacher::of_rows());
        assert_eq!(rows, Some(Teacher { strength: 0.5, ..Teacher::of_rows() }));
        assert_eq!(Teaching::from(Teacher::of_rows()).teacher(Teacher::default()), Some(Teacher::of_rows()));
        let message = |wrong: &str| wrong.parse::<Teaching>().unwrap_err().to_string();
        for wrong in ["", "yes", "weight", "speed=1"] {
            let message = message(wrong);
            assert!(message.contains(&format!("unknown teacher '{wrong}'")), "{message}");
        }
        assert!(message("weight=x").contains("the teacher's weight must be a number, but is 'x'"));
        assert!(message("align=x").contains("align must be yes or no, but is 'x'"));
        assert!(message("targets=1").contains("targets must be hard or soft, but is '1'"));
        assert!(message("objective=strong").contains("objective must be weak or both, but is 'strong'"));
        assert!(message("rate=.9, rate=.8").contains("rate is given twice, in 'rate=.9, rate=.8'"));
        assert!(message("weight=inf").contains("weight must be above 0 and finite, but is inf"));
        assert!("rate=2".parse::<Teaching>().unwrap_err().to_string().contains("below 1"));
    }

    #[test]
    fn impossible_teachers_are_named() {
        let message = |teacher: Teacher| teacher.check().unwrap_err().to_string();
        let teacher = Teacher::default();
        assert!(teacher.check().is_ok());
        assert!(message(Teacher { rate: 1.0, ..teacher }).contains("rate must be 0 or above and below 1"));
        assert!(message(Teacher { confidence: 0.4, ..teacher }).contains("confidence"));
        assert!(
            message(Teacher { weight: f64::NAN, ..teacher })
                .contains("weight must be above 0 and finite, but is NaN")
        );
        assert!(message(Teacher { strength: 1.5, ..teacher }).contains("strength must be from 0 to 1"));
        assert!(message(Teacher { ramp: -1.0, ..teacher }).contains("ramp"));
    }
}
