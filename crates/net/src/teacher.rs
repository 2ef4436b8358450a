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
            return refuse("weight", "above 0", self.weight);
        }
        if !(self.ramp >= 0.0 && self.ramp.is_finite()) {
            return refuse("ramp", "0 or more epochs", self.ramp);
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

/// Whether there is a teacher: `off`, `on`, or `on` with other numbers, such as `weight=2,ramp=5`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Teaching {
    /// The objective alone.
    #[default]
    Off,
    /// With a teacher.
    On(Teacher),
}

impl From<Teaching> for Option<Teacher> {
    fn from(teaching: Teaching) -> Self {
        match teaching {
            Teaching::Off => None,
            Teaching::On(teacher) => Some(teacher),
        }
    }
}

impl fmt::Display for Teaching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Teaching::Off => f.write_str("off"),
            Teaching::On(teacher) if *teacher == Teacher::default() => f.write_str("on"),
            Teaching::On(Teacher { rate, confidence, weight, ramp, strength, targets, align, objective }) => {
                write!(f, "rate={rate},confidence={confidence},weight={weight},ramp={ramp}")?;
                if *strength != one() {
                    write!(f, ",strength={strength}")?;
                }
                if *targets == Targets::Soft {
                    f.write_str(",targets=soft")?;
                }
                if !*align {
                    f.write_str(",align=no")?;
                }
                if *objective == ObjectiveViews::Both { f.write_str(",objective=both") } else { Ok(()) }
            }
        }
    }
}

impl FromStr for Teaching {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let refuse = || {
            NetError::Config(format!(
                "unknown teacher '{text}'; use on, off, or its rate, confidence, weight, ramp, strength, targets (hard or \
                 soft), align (yes or no) and objective (weak or both), such as weight=2,ramp=5"
            ))
        };
        let mut teacher = Teacher::default();
        match text {
            "off" => return Ok(Teaching::Off),
            "on" => return Ok(Teaching::On(teacher)),
            _ => {}
        }
        for pair in text.split(',') {
            let (name, value) = pair.split_once('=').ok_or_else(refuse)?;
            let place = match name.trim() {
                "targets" => {
                    teacher.targets = match value.trim() {
                        "hard" => Targets::Hard,
                        "soft" => Targets::Soft,
                        _ => return Err(refuse()),
                    };
                    continue;
                }
                "align" => {
                    teacher.align = match value.trim() {
                        "yes" => true,
                        "no" => false,
                        _ => return Err(refuse()),
                    };
                    continue;
                }
                "objective" => {
                    teacher.objective = match value.trim() {
                        "weak" => ObjectiveViews::Weak,
                        "both" => ObjectiveViews::Both,
                        _ => return Err(refuse()),
                    };
                    continue;
                }
                "rate" => &mut teacher.rate,
                "confidence" => &mut teacher.confidence,
                "weight" => &mut teacher.weight,
                "ramp" => &mut teacher.ramp,
                "strength" => &mut teacher.strength,
                _ => return Err(refuse()),
            };
            *place = value.trim().parse().map_err(|_| refuse())?;
        }
        teacher.check()?;
        Ok(Teaching::On(teacher))
    }
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
        for name in ["on", "off", numbers, &all] {
            assert_eq!(name.parse::<Teaching>().unwrap().to_string(), name);
        }
        let some: Option<Teacher> = "weight=2, ramp=5".parse::<Teaching>().unwrap().into();
        assert_eq!(some, Some(Teacher { weight: 2.0, ramp: 5.0, ..Teacher::default() }));
        for wrong in ["", "yes", "weight", "weight=x", "speed=1", "align=x", "targets=1", "objective=strong"]
        {
            let message = wrong.parse::<Teaching>().unwrap_err().to_string();
            assert!(message.contains(&format!("unknown teacher '{wrong}'")), "{message}");
        }
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
            message(Teacher { weight: f64::NAN, ..teacher }).contains("weight must be above 0, but is NaN")
        );
        assert!(message(Teacher { strength: 1.5, ..teacher }).contains("strength must be from 0 to 1"));
        assert!(message(Teacher { ramp: -1.0, ..teacher }).contains("ramp"));
    }
}
