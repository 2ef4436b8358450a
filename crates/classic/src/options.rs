//! Options of the systems: what can be set by name, what each takes, and the values given, checked once at the door.
//!
//! Only what users have a reason to set has a name; the fields of a system have all of it. An option that takes several
//! numbers names candidates, between which held-out rows decide; one number fixes it.

use std::fmt;

/// What can be set of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The values it takes.
    pub takes: Takes,
    /// What it is where it is not given, for people to read.
    pub default: &'static str,
}

impl OptionInfo {
    pub(crate) const fn new(
        name: &'static str,
        what: &'static str,
        takes: Takes,
        default: &'static str,
    ) -> Self {
        Self { name, what, takes, default }
    }
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Numbers above 0, with commas between them.
    Numbers,
    /// Numbers of at least 0, with commas between them.
    NumbersFromZero,
    /// One number above 0.
    Number,
    /// One number strictly between 0 and 1.
    Share,
    /// A whole number from 1.
    Count,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Takes::Numbers => f.write_str("numbers above 0"),
            Takes::NumbersFromZero => f.write_str("numbers from 0"),
            Takes::Number => f.write_str("a number above 0"),
            Takes::Share => f.write_str("between 0 and 1"),
            Takes::Count => f.write_str("a whole number"),
            Takes::Choice(words) => f.write_str(&words.join(", ")),
        }
    }
}

impl Takes {
    fn parse(self, text: &str) -> Option<Value> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let above = |text: &str| number(text).filter(|&number| number > 0.0);
        match self {
            Takes::Numbers => text.split(',').map(above).collect::<Option<_>>().map(Value::Numbers),
            Takes::NumbersFromZero => {
                let from_zero = |text| number(text).filter(|&number| number >= 0.0);
                text.split(',').map(from_zero).collect::<Option<_>>().map(Value::Numbers)
            }
            Takes::Number => above(text).map(Value::Number),
            Takes::Share => above(text).filter(|&share| share < 1.0).map(Value::Number),
            Takes::Count => text.parse().ok().filter(|&count| count > 0).map(Value::Count),
            Takes::Choice(words) => words.iter().find(|word| **word == text).map(|word| Value::Choice(word)),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Numbers(Vec<f64>),
    Number(f64),
    Count(usize),
    Choice(&'static str),
}

/// Options of one system with their values: every name known, none twice, every value one that its option takes.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionValues {
    options: &'static [OptionInfo],
    values: Vec<(&'static str, Value)>,
}

impl OptionValues {
    /// Checks names and values against the `options` of a method.
    pub fn new(
        method: &str,
        options: &'static [OptionInfo],
        given: &[(String, String)],
    ) -> Result<Self, OptionError> {
        let mut values: Vec<(&'static str, Value)> = Vec::new();
        for (name, text) in given {
            let Some(option) = options.iter().find(|option| option.name == name) else {
                let (method, name) = (method.to_string(), name.clone());
                return Err(OptionError::Unknown { method, name, known: options });
            };
            if values.iter().any(|(other, _)| other == name) {
                return Err(OptionError::Twice { name: option.name });
            }
            let text = text.trim();
            let Some(value) = option.takes.parse(text) else {
                let (name, takes) = (option.name, option.takes);
                return Err(OptionError::Value { name, value: text.to_string(), takes });
            };
            values.push((option.name, value));
        }
        Ok(Self { options, values })
    }

    /// The numbers of an option that takes several.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        match self.get(name) {
            Some(Value::Numbers(numbers)) => Some(numbers.clone()),
            _ => None,
        }
    }

    /// The number of an option that takes one, or a share.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The whole number of an option that takes one.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        match self.get(name) {
            Some(Value::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// The word of an option that takes one of some.
    #[must_use]
    pub fn choice(&self, name: &str) -> Option<&'static str> {
        match self.get(name) {
            Some(Value::Choice(word)) => Some(word),
            _ => None,
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.options.iter().any(|option| option.name == name), "no option is called {name}");
        self.values.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }
}

/// Why an option was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum OptionError {
    /// An option that the method does not have.
    #[error(
        "the method {method} has no option '{name}'{}; its options are: {}",
        meant(name, known),
        names(known)
    )]
    Unknown { method: String, name: String, known: &'static [OptionInfo] },
    /// A value that the option does not take.
    #[error("the option {name} cannot be '{value}'; it takes {takes}")]
    Value { name: &'static str, value: String, takes: Takes },
    /// Nothing says which of the two values is meant.
    #[error("the option {name} was given twice")]
    Twice { name: &'static str },
}

fn meant(given: &str, options: &[OptionInfo]) -> String {
    onesided_data::nearest(given, options.iter().map(|option| option.name))
        .map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

fn names(options: &[OptionInfo]) -> String {
    match options {
        [] => "none".to_string(),
        _ => options.iter().map(|option| option.name).collect::<Vec<_>>().join(", "),
    }
}

/// Options for tests.
#[cfg(test)]
impl OptionValues {
    pub(crate) fn of(options: &'static [OptionInfo], given: &[(&str, &str)]) -> Self {
        let given: Vec<(String, String)> =
            given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Self::new("test", options, &given).unwrap()
    }

    /// Every default that is written as a value, as if it had been given.
    pub(crate) fn stated_defaults(options: &'static [OptionInfo]) -> Self {
        let stated = options.iter().filter(|option| option.takes.parse(option.default).is_some());
        Self::of(options, &stated.map(|option| (option.name, option.default)).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static OPTIONS: [OptionInfo; 6] = [
        OptionInfo::new("cost", "", Takes::Numbers, "1,10"),
        OptionInfo::new("radius", "", Takes::NumbersFromZero, "0"),
        OptionInfo::new("gamma", "", Takes::Number, "1"),
        OptionInfo::new("spies", "", Takes::Share, "0.15"),
        OptionInfo::new("rounds", "", Takes::Count, "as many as it takes"),
        OptionInfo::new("centroid", "", Takes::Choice(&["exact", "published"]), "exact"),
    ];

    fn message(given: &[(&str, &str)]) -> String {
        let given: Vec<(String, String)> =
            given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        OptionValues::new("puld", &OPTIONS, &given).err().map_or(String::new(), |error| error.to_string())
    }

    #[test]
    fn values_are_what_their_options_take() {
        let given = [
            ("cost", " 0.1, 2"),
            ("radius", "0,0.5"),
            ("gamma", "1e-3"),
            ("spies", "0.3"),
            ("rounds", "7"),
            ("centroid", "published"),
        ];
        let values = OptionValues::of(&OPTIONS, &given);
        assert_eq!(values.numbers("cost"), Some(vec![0.1, 2.0]));
        assert_eq!(values.numbers("radius"), Some(vec![0.0, 0.5]));
        assert_eq!((values.number("gamma"), values.number("spies")), (Some(1e-3), Some(0.3)));
        assert_eq!((values.count("rounds"), values.choice("centroid")), (Some(7), Some("published")));
        let none = OptionValues::of(&OPTIONS, &[]);
        assert_eq!((none.numbers("cost"), none.count("rounds")), (None, None));
        let stated = OptionValues::stated_defaults(&OPTIONS);
        assert_eq!((stated.number("spies"), stated.count("rounds")), (Some(0.15), None));
    }

    #[test]
    fn what_does_not_fit_gets_a_sentence() {
        assert_eq!(
            message(&[("c", "1")]),
            "the method puld has no option 'c'; its options are: cost, radius, gamma, spies, rounds, centroid"
        );
        assert_eq!(
            OptionValues::new("nnpu", &[], &[("c".into(), "1".into())]).unwrap_err().to_string(),
            "the method nnpu has no option 'c'; its options are: none"
        );
        assert_eq!(message(&[("cost", "1"), ("cost", "2")]), "the option cost was given twice");
        for (name, refused, takes) in [
            ("cost", ["1,x", "0", "inf"], "numbers above 0"),
            ("radius", ["-1", "", "1,,2"], "numbers from 0"),
            ("gamma", ["0", "1,2", "NaN"], "a number above 0"),
            ("spies", ["1.5", "1", "0"], "between 0 and 1"),
            ("rounds", ["0", "1.5", "-3"], "a whole number"),
            ("centroid", ["mean", "Exact", ""], "exact, published"),
        ] {
            for value in refused {
                let sentence = format!("the option {name} cannot be '{value}'; it takes {takes}");
                assert_eq!(message(&[(name, value)]), sentence);
            }
        }
    }
}
