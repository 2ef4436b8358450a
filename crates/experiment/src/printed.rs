//! Values that others have printed, to compare with ours.
//!
//! ```toml
//! [accuracy]
//! "mnist/0.2/collective" = [99.25, 0.03]   # mean and standard deviation, in percent
//! "svhn/0.2/ldce" = [78.5]                 # no deviation was printed
//! ```

use crate::ExperimentError;
use crate::spec::text_of;
use std::collections::BTreeMap;
use std::path::Path;

/// The cells of one printed table, by name; in percent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed(BTreeMap<String, (f64, Option<f64>)>);

impl Printed {
    /// Reads one table of a file.
    pub fn read(file: &Path, table: &str) -> Result<Self, ExperimentError> {
        let shown = file.display().to_string();
        let text = text_of(file).map_err(|cause| ExperimentError::Read { file: shown.clone(), cause })?;
        Self::parse(&text, table).map_err(|detail| ExperimentError::Spec { file: shown, detail })
    }

    pub(crate) fn parse(text: &str, table: &str) -> Result<Self, String> {
        let tables: BTreeMap<String, BTreeMap<String, Vec<f64>>> =
            toml::from_str(text).map_err(|error| error.message().to_string())?;
        let Some(cells) = tables.get(table) else {
            let known: Vec<&str> = tables.keys().map(String::as_str).collect();
            return Err(format!("it has no table '{table}'; its tables are {}", known.join(", ")));
        };
        let cell = |(name, values): (&String, &Vec<f64>)| match values[..] {
            [mean] => Ok((name.clone(), (mean, None))),
            [mean, deviation] => Ok((name.clone(), (mean, Some(deviation)))),
            _ => Err(format!("'{name}' needs a mean and, if there is one, a standard deviation")),
        };
        cells.iter().map(cell).collect::<Result<_, _>>().map(Self)
    }

    /// The mean and deviation of a cell, in percent.
    pub fn get(&self, cell: &str) -> Option<(f64, Option<f64>)> {
        self.0.get(cell).copied()
    }

    /// Methods that have a cell `DATA/HIDDEN/METHOD`, in the order of their names.
    pub fn methods(&self) -> Vec<&str> {
        let third =
            |name: &'_ String| -> Option<usize> { name.match_indices('/').nth(1).map(|(at, _)| at + 1) };
        let mut methods: Vec<&str> = self.0.keys().filter_map(|name| Some(&name[third(name)?..])).collect();
        methods.sort_unstable();
        methods.dedup();
        methods
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[accuracy]\n\"mnist/0.2/upu\" = [99.2, 0.03]\n\"svhn/0.2/ldce\" = [78.5]\n";

    #[test]
    fn cells_are_found_by_name() {
        let printed = Printed::parse(TEXT, "accuracy").unwrap();
        assert_eq!(printed.get("mnist/0.2/upu"), Some((99.2, Some(0.03))));
        assert_eq!((printed.get("svhn/0.2/ldce"), printed.get("svhn/0.3/ldce")), (Some((78.5, None)), None));
        assert_eq!(printed.methods(), ["ldce", "upu"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            Printed::parse(TEXT, "auc").unwrap_err(),
            "it has no table 'auc'; its tables are accuracy"
        );
        assert!(Printed::parse("[a]\n\"x\" = []", "a").unwrap_err().contains("'x' needs a mean"));
    }
}
