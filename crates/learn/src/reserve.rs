//! Positives that are set aside before anything is looked at, for the promises of a finished model.

use crate::Error;
use onesided_data::{Label, Stream};
use std::fmt;
use std::str::FromStr;

/// How many labeled positives are set aside: no prior is estimated, nothing is trained, chosen or calibrated with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reserve {
    /// A share of them, strictly between 0 and 1.
    Share(f64),
    /// This many of them.
    Rows(usize),
}

impl FromStr for Reserve {
    type Err = Error;

    /// `0.2`, `20%` or `100`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::Unknown {
            what: "reserve",
            found: text.to_string(),
            known: "a share of the positives such as 0.2, or a number of them such as 100".to_string(),
        };
        if let Ok(rows) = text.parse::<usize>() {
            return if rows > 0 { Ok(Reserve::Rows(rows)) } else { Err(unknown()) };
        }
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map_err(|_| unknown())? / 100.0,
            None => text.parse().map_err(|_| unknown())?,
        };
        if share > 0.0 && share < 1.0 { Ok(Reserve::Share(share)) } else { Err(unknown()) }
    }
}

impl fmt::Display for Reserve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reserve::Share(share) => share.fmt(f),
            Reserve::Rows(rows) => rows.fmt(f),
        }
    }
}

impl Reserve {
    /// How many of this many positives are set aside. At least one is left.
    pub fn number(self, positives: usize) -> Result<usize, Error> {
        let number = match self {
            Reserve::Share(share) => ((share * positives as f64).round() as usize).max(1),
            Reserve::Rows(rows) => rows,
        };
        if number < positives { Ok(number) } else { Err(Error::Reserve { number, positives }) }
    }

    /// The rows to learn from and the positives to set aside, both in ascending order. At least one positive is left on
    /// either side.
    pub fn split(self, labels: &[Label], seed: u64) -> Result<(Vec<usize>, Vec<usize>), Error> {
        let mut positives: Vec<usize> =
            (0..labels.len()).filter(|&row| labels[row] == Label::Positive).collect();
        let number = self.number(positives.len())?;
        Stream::new(seed, "reserve").shuffle(&mut positives);
        let mut aside = positives[..number].to_vec();
        aside.sort_unstable();
        let kept = (0..labels.len()).filter(|row| aside.binary_search(row).is_err()).collect();
        Ok((kept, aside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Vec<Label> {
        (0..100).map(|i| if i % 4 == 0 { Label::Positive } else { Label::Unlabeled }).collect()
    }

    #[test]
    fn positives_alone_are_set_aside_and_no_row_is_lost() {
        for (reserve, number) in
            [(Reserve::Share(0.2), 5), (Reserve::Rows(24), 24), (Reserve::Share(0.001), 1)]
        {
            let (kept, aside) = reserve.split(&labels(), 3).unwrap();
            assert_eq!((aside.len(), kept.len()), (number, 100 - number));
            assert!(aside.iter().all(|&row| row % 4 == 0 && !kept.contains(&row)));
        }
        let draw = |seed| Reserve::Rows(10).split(&labels(), seed).unwrap().1;
        assert!(draw(1) == draw(1) && draw(1) != draw(2));
    }

    #[test]
    fn what_leaves_nothing_is_refused() {
        let refused = |text: &str| text.parse::<Reserve>().unwrap_err().to_string();
        for wrong in ["0", "1.0", "-0.2", "many", "100%", "NaN", "1e3"] {
            assert!(refused(wrong).starts_with(&format!("unknown reserve '{wrong}'")), "{wrong}");
        }
        assert_eq!("20%".parse::<Reserve>().unwrap(), Reserve::Share(0.2));
        let error = Reserve::Rows(25).split(&labels(), 0).unwrap_err().to_string();
        assert_eq!(
            error,
            "25 positives cannot be set aside: there are 25, and some must be left to learn from"
        );
        assert!(Reserve::Share(0.99).split(&labels(), 0).is_err());
    }
}
