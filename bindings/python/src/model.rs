//! A fitted model: scores, explanations, bytes.

use crate::failure::{raise, raise_for};
use crate::fitting::{IN_SAMPLE, NOTE, Said, as_labels, notes};
use crate::progress::Watch;
use crate::rows::Rows;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::data::{ColumnShift, Note};
use onesided::{
    Among, Dataset, Encoding, Error, ImportanceSettings, KnownRows, Model, Progress, RecallTarget, RowKind,
    RowsFileError, ScoredBy,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;

/// What is said of rows that the model was fitted on and has no other scores for.
const MET: &str =
    "the model has met these very rows and scores them in sample, where a hidden positive may rank low";
/// Rows that are explained before Python is asked for a signal.
const EXPLAINED_AT_ONCE: usize = 256;

/// A number per row.
type Numbers<'py> = Bound<'py, PyArray1<f32>>;

/// A model.
#[pyclass(name = "Model", frozen, module = "onesided._onesided")]
pub struct PyModel {
    model: Model,
    /// Why the rows that it was fitted on are not known, where that is so.
    unknown: Option<Unknown>,
}

/// Why nothing is known of the rows that a model was fitted on.
enum Unknown {
    /// The file next to the model is not there.
    NoFile(String),
    /// It is there and of no use.
    Unusable(RowsFileError),
    /// The model comes from its bytes alone.
    BytesAlone,
}

impl PyModel {
    pub fn new(model: Model) -> Self {
        Self { model, unknown: None }
    }

    /// On this many threads of a device.
    fn on(&self, threads: usize, device: &str) -> PyResult<Model> {
        let device = device.parse().map_err(|error: onesided::net::NetError| raise_for("device", error))?;
        Ok(self.model.clone().with_threads(threads).on_device(device))
    }

    /// What is to be said of a list where it is not known which rows the model was fitted on.
    fn said_without_rows(&self, data: &Dataset) -> Result<Option<Said>, Error> {
        let why = match &self.unknown {
            None => return Ok(None),
            Some(Unknown::Unusable(why)) => {
                let said = format!(
                    "{why}, so it is not used: rows that the model was fitted on are scored in sample; copy it again with its \
                     model, or fit again"
                );
                return Ok(Some((said, IN_SAMPLE)));
            }
            Some(Unknown::NoFile(file)) => {
                format!("'{file}', which save wrote next to the model, is not there; copy it, too")
            }
            Some(Unknown::BytesAlone) => {
                "the bytes of a model file do not hold the rows; pickle the classifier, or save and load it"
                    .to_string()
            }
        };
        // Nothing is amiss unless the rows would have been needed.
        Ok((self.model.was_fitted_on(data)? == Some(true)).then(|| (format!("{MET}: {why}"), IN_SAMPLE)))
    }

    /// Whether most of these rows are among those that the model was fitted on.
    fn has_met(&self, data: &Dataset) -> Result<bool, Error> {
        let Some(known) = self.model.known_rows() else {
            return Ok(self.model.was_fitted_on(data)? == Some(true));
        };
        let mut matcher = known.matcher();
        matcher.next(data)?;
        Ok(2 * matcher.found() > data.len())
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| Model::load(&path)).map_err(raise)?;
        Ok(match KnownRows::beside(&path) {
            Ok(rows) => Self::new(model.with_known_rows(rows)),
            Err(RowsFileError::Missing(file)) => Self { model, unknown: Some(Unknown::NoFile(file)) },
            Err(why) => Self { model, unknown: Some(Unknown::Unusable(why)) },
        })
    }

    /// From the bytes of a model file, and of the rows that it was fitted on where they were kept.
    #[staticmethod]
    #[pyo3(signature = (bytes, rows=None))]
    fn from_bytes(bytes: &[u8], rows: Option<&[u8]>) -> PyResult<Self> {
        let model = Model::load_bytes(bytes).map_err(raise)?;
        let Some(rows) = rows else { return Ok(Self { model, unknown: Some(Unknown::BytesAlone) }) };
        Ok(match KnownRows::of_bytes(rows, bytes, "the rows of the pickle") {
            Ok(rows) => Self::new(model.with_known_rows(rows)),
            Err(why) => Self { model, unknown: Some(Unknown::Unusable(why)) },
        })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(raise)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.model.to_bytes()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of the rows that it was fitted on, fingerprints with scores, where they are known.
    fn rows_to_bytes<'py>(&self, py: Python<'py>, model: &[u8]) -> Option<Bound<'py, PyBytes>> {
        self.model.known_rows().map(|rows| PyBytes::new(py, &rows.to_bytes(model)))
    }

    /// Whether the threshold is a cautious cut under a share of positives that is a guess.
    fn has_cautious_cut(&self) -> bool {
        self.model.about().has_cautious_cut()
    }

    /// The score of each row, and what encoding met.
    fn score<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
    ) -> PyResult<(Numbers<'py>, Vec<Said>)> {
        let model = self.on(threads, device)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let said = notes(&data);
        let scores = py.detach(|| model.score(&data)).map_err(raise)?;
        Ok((scores.into_pyarray(py), said))
    }

    /// The score to list each row by, out of fold where the model was fitted on it; which rows belong in the list; which are known
    /// to be unlabeled; and what is to be said.
    #[allow(clippy::type_complexity)] // a tuple for Python, taken apart at once
    fn score_list<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
    ) -> PyResult<(Numbers<'py>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>, Vec<Said>)> {
        let model = self.on(threads, device)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let mut said = notes(&data);
        let Some(known) = self.model.known_rows() else {
            let scores = py.detach(|| model.score(&data)).map_err(raise)?;
            let listed: Vec<bool> = (0..data.len()).map(|row| !data.is_blank(row)).collect();
            let unlabeled = vec![false; data.len()];
            said.extend(self.said_without_rows(&data).map_err(raise)?);
            return Ok((scores.into_pyarray(py), listed.into_pyarray(py), unlabeled.into_pyarray(py), said));
        };
        let mut matcher = known.matcher();
        let scored = py.detach(|| model.score_known(&data, known, &mut matcher)).map_err(raise)?;
        let (kinds, scores): (Vec<RowKind>, Vec<f32>) = scored.into_iter().unzip();
        let fitted = matcher.is_fitted_table();
        let listed: Vec<bool> = kinds
            .iter()
            .enumerate()
            .map(|(row, kind)| !(data.is_blank(row) || (fitted && kind.is_labeled())))
            .collect();
        let unlabeled: Vec<bool> =
            kinds.iter().map(|&kind| matcher.among(kind) == Among::Unlabeled).collect();
        said.extend(said_of(known, matcher.found(), if fitted { matcher.labeled() } else { 0 }, fitted));
        Ok((scores.into_pyarray(py), listed.into_pyarray(py), unlabeled.into_pyarray(py), said))
    }

    /// For each row its largest parts, the largest first, what all others add up to, and its score; and whether the parts and a
    /// base make up the score.
    #[allow(clippy::type_complexity)] // a tuple for Python, taken apart at once
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        most: usize,
    ) -> PyResult<(Vec<(Vec<(String, f64)>, f64, f32)>, bool, Vec<Said>)> {
        let explainer = self.model.explainer().map_err(|error| raise_for("X", error))?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let said = notes(&data);
        let mut explained = Vec::with_capacity(data.len());
        for start in (0..data.len()).step_by(EXPLAINED_AT_ONCE) {
            py.check_signals()?;
            let some: Vec<usize> = (start..data.len().min(start + EXPLAINED_AT_ONCE)).collect();
            let (parts, scores) = py
                .detach(|| {
                    Ok((explainer.rows(&data, &some, usize::MAX)?, self.model.score(&data.select(&some))?))
                })
                .map_err(|error: Error| raise(error))?;
            for (mut parts, score) in parts.into_iter().zip(scores) {
                let rest = parts.drain(most.min(parts.len())..).fold(0.0, |sum, part| sum + part.value);
                let parts = parts.into_iter().map(|part| (part.feature, part.value)).collect();
                explained.push((parts, rest, score));
            }
        }
        Ok((explained, explainer.adds_up(), said))
    }

    /// How much the model counts on each column, as JSON: by labels (1, 0, -1), or by the truth (1 and 0).
    #[allow(clippy::too_many_arguments)]
    fn importance<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        labels: PyReadonlyArray1<'py, i8>,
        is_truth: bool,
        counts: (usize, usize, u64),
        threads: usize,
        device: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<(String, Vec<Said>)> {
        let model = self.on(threads, device)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let mut said = notes(&data);
        let data = if is_truth {
            data.with_truth(labels.as_array().iter().map(|&label| label > 0).collect())
        } else {
            data.with_labels(as_labels(&labels))
        };
        let data = data.map_err(|error| raise_for("y", error))?;
        let (repeats, columns, seed) = counts;
        let settings = ImportanceSettings { repeats, columns, seed, ..ImportanceSettings::default() };
        let mut watch = Watch::new(tell);
        let measured = watch.over(py, |observer| {
            model.importance_with(&data, &settings, &mut |done, all| {
                observer(&Progress::of_columns(done, all))
            })
        })?;
        watch.finish()?;
        let measured = measured.map_err(|error| raise_for("X", error))?;
        if self.has_met(&data).map_err(raise)? {
            let met = "the model was fitted on these rows: what it has learned by heart counts, too; measure on rows that it \
                       has not met";
            said.push((met.to_string(), IN_SAMPLE));
        }
        let measured = serde_json::to_string(&measured);
        Ok((measured.map_err(|error| PyValueError::new_err(error.to_string()))?, said))
    }

    /// What the model is and how it was made, as JSON.
    fn about(&self) -> PyResult<String> {
        serde_json::to_string(self.model.about()).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// `tables`, `texts` or `pictures`.
    fn takes(&self) -> &'static str {
        self.model.encoding().takes()
    }

    /// The columns of a table that it reads.
    fn columns(&self) -> Vec<String> {
        match self.model.encoding().as_ref() {
            Encoding::Table(features) => {
                features.columns().iter().map(|column| column.name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many columns it sees.
    fn width(&self) -> usize {
        self.model.encoding().width()
    }

    /// The probabilities of rows with these scores, some of which are known to be unlabeled, and between which they lie over the
    /// interval of an estimated prior.
    fn list_probabilities<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray1<'py, f32>,
        unlabeled: PyReadonlyArray1<'py, bool>,
    ) -> (Numbers<'py>, Numbers<'py>, Numbers<'py>) {
        let (mut of_rows, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for (&score, &unlabeled) in scores.as_array().iter().zip(unlabeled.as_array()) {
            let among = if unlabeled { Among::Unlabeled } else { Among::Population };
            let probability = self.model.probability_among(score, among);
            let range = self.model.probability_range(score, among).unwrap_or((probability, probability));
            of_rows.push(probability);
            low.push(range.0);
            high.push(range.1);
        }
        (of_rows.into_pyarray(py), low.into_pyarray(py), high.into_pyarray(py))
    }

    /// How many of the rows to review for a recall, as JSON, and what encoding met. Refused where nothing can be promised.
    fn review<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
        recall: f64,
        confidence: f64,
    ) -> PyResult<(String, Vec<Said>)> {
        let target = RecallTarget::new(recall, confidence).map_err(raise)?;
        let model = self.on(threads, device)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let shifted: Vec<&ColumnShift> = data
            .notes()
            .iter()
            .filter_map(|note| if let Note::Shifted(shift) = note { Some(shift) } else { None })
            .collect();
        if let Some(why) = model.withheld(&shifted) {
            return Err(PyValueError::new_err(format!("X: {why}")));
        }
        let review = py.detach(|| {
            let scores = model.score(&data.without_blank())?;
            model.review(scores)?.review(target)
        });
        let review = serde_json::to_string(&review.map_err(raise)?);
        Ok((review.map_err(|error| PyValueError::new_err(error.to_string()))?, notes(&data)))
    }
}

/// How rows that the model was fitted on are listed.
fn said_of(known: &KnownRows, found: usize, left_out: usize, fitted: bool) -> Option<Said> {
    let labeled = match left_out {
        0 => String::new(),
        rows => format!("; {rows} labeled ones are left out"),
    };
    match (known.is_complete(), known.by()) {
        _ if found == 0 => None,
        (false, _) if fitted => Some((
            format!("{MET}{labeled}; fit with method=\"auto\" or cross_fit=True keeps scores out of fold"),
            IN_SAMPLE,
        )),
        (false, _) => None,
        (true, ScoredBy::Method) => Some((
            format!(
                "{found} rows that the model was fitted on are ranked by models that had not met them{labeled}"
            ),
            NOTE,
        )),
        (true, ScoredBy::Prior) => Some((
            format!(
                "{found} rows that the model was fitted on are ranked by the models that the share of positives was estimated \
                 with, which had not met them{labeled}"
            ),
            NOTE,
        )),
    }
}
