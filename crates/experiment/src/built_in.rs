//! The specs that come with the crate, so that a published table can be repeated without a clone of the repository. Specs that
//! only chose settings (`experiments/tune*.toml`) are files alone.

use crate::{ExperimentError, Printed, Spec};
use std::path::Path;

/// A spec, or a file of printed values that specs refer to, by its name and as it is written.
type File = (&'static str, &'static str);

/// The files of the repository's folder `experiments`, which the links in `specs/` lead to.
macro_rules! files {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../specs/", $name, ".toml")))),*]
    };
}

const SPECS: [File; 21] = files![
    "table1",
    "table1-again",
    "table1-as-printed",
    "table1-taught",
    "table2",
    "classic",
    "few-labels",
    "few-labels-40000",
    "few-labels-biased",
    "few-labels-estimated",
    "few-labels-more",
    "few-labels-svhn",
    "few-labels-two-samples",
    "benchmark",
    "benchmark-pubench",
    "benchmark-estimated",
    "benchmark-biased",
    "benchmark-single",
    "figure",
    "figure-vgg16",
    "plain-start"
];

/// What others have printed.
const PRINTED: [File; 1] = files!["paper"];

impl Spec {
    /// A spec that comes with the crate. Its results are in the folder `results` of the current folder.
    pub fn built_in(name: &str) -> Option<Result<Self, ExperimentError>> {
        let (name, text) = SPECS.iter().find(|(known, _)| *known == name)?;
        let file = format!("{name}.toml");
        let spec = Self::parse(Path::new(&file), text);
        Some(spec.map_err(|detail| ExperimentError::Spec { file, detail }))
    }

    /// The names of the specs that come with the crate, those of the published tables first.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        SPECS.iter().map(|(name, _)| *name)
    }
}

/// Reads one table of a file of printed values: that of the crate where a built-in spec names it and there is none.
pub(crate) fn read_printed(file: &Path, table: &str) -> Result<Printed, ExperimentError> {
    let named = |(name, _): &&File| file == Path::new(&format!("{name}.toml"));
    match PRINTED.iter().find(named) {
        Some((_, text)) if !file.exists() => Printed::parse(text, table)
            .map_err(|detail| ExperimentError::Spec { file: file.display().to_string(), detail }),
        _ => Printed::read(file, table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measure, Results, ResultsTable};
    use std::fs;

    #[test]
    fn every_spec_can_be_read() {
        for name in Spec::built_in_names() {
            let spec = Spec::built_in(name).unwrap().unwrap();
            assert_eq!(spec.results_file(), Path::new(&format!("results/{name}.jsonl")));
            let none = Results::read(Path::new("no-such-folder/results.jsonl"), &[]).unwrap();
            ResultsTable::new(&spec, &none, Measure::Accuracy)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(Spec::built_in("table3").is_none());
    }

    /// Few labels: what the specs say of a run comes through.
    #[test]
    fn few_labels_are_counted_and_have_a_teacher_where_the_name_says_so() {
        let runs = Spec::built_in("few-labels").unwrap().unwrap().runs().unwrap();
        let of = |name: &str| runs.iter().filter(|run| run.matches(name)).count();
        // Four sets of pictures with twelve methods at three numbers of labels, and supervised.
        assert_eq!(runs.len(), 5 * 4 * (12 * 3 + 1));
        assert_eq!((of("cifar10/1000/collective-taught"), of("20ng")), (5, 0));
        for run in &runs {
            assert_eq!(run.settings.config.teacher.is_some(), run.name.contains("taught"), "{}", run.name);
        }
        // Numbers that a spec gives the teacher are the teacher's.
        let svhn = Spec::built_in("few-labels-svhn").unwrap().unwrap().runs().unwrap();
        let run = svhn.iter().find(|run| run.name == "svhn/100/collective-taught/1").unwrap();
        let teacher = run.settings.config.teacher.map(|teacher| (teacher.ramp, teacher.strength));
        assert_eq!(teacher, Some((7.0, 0.5)));
        let taught = Spec::built_in("table1-taught").unwrap().unwrap().runs().unwrap();
        assert!(taught.iter().all(|run| run.settings.config.teacher.is_some() != run.name.contains("alone")));
    }

    /// A run is found again whether its spec came from the folder or from the crate.
    #[test]
    fn runs_are_those_of_the_repository() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        if !folder.exists() {
            return eprintln!("SKIPPED: the folder experiments is in the repository alone");
        }
        let mut names: Vec<String> = Spec::built_in_names().map(str::to_string).collect();
        names.extend(PRINTED.map(|(name, _)| name.to_string()));
        let mut files: Vec<String> = Vec::new();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path.file_stem().unwrap().to_string_lossy().into_owned());
            }
        }
        names.sort();
        files.sort();
        let (tuned, files): (Vec<String>, Vec<String>) =
            files.into_iter().partition(|name| name.starts_with("tune"));
        assert_eq!(names, files, "a spec was added: list it here and link to it in specs/");
        assert!(tuned.len() >= 11, "{tuned:?}");
        for name in tuned {
            let read = Spec::read(&folder.join(format!("{name}.toml"))).unwrap();
            assert!(!read.runs().unwrap().is_empty(), "{name}");
        }
        let fingerprint = |spec: &Spec| spec.runs().unwrap()[0].fingerprint.clone();
        for name in Spec::built_in_names() {
            let read = Spec::read(&folder.join(format!("{name}.toml"))).unwrap();
            assert_eq!(fingerprint(&read), fingerprint(&Spec::built_in(name).unwrap().unwrap()), "{name}");
        }
    }
}
