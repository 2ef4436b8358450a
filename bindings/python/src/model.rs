//! A fitted model: scores, explanations, bytes.

use crate::audits::{self, Answers};
use crate::failure::{as_keyword, raise, raise_for};
use crate::fitting::{DATA, IN_SAMPLE, NOTE, Said, as_labels, notes_on_new};
use crate::negatives;
use crate::progress::Watch;
use crate::rows::Rows;
use crate::summary::{self, PySummary};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::data::{ColumnShift, Note};
use onesided::{
    AuditDraw, AuditSettings, Encoding, Error, FalseAlarms, HistoryEntry, HistoryError, ImportanceSettings,
    Input, KnownRows, LabelingOdds, List, ListNote, ListedRow, Model, Progress, ReadAgain, RecallTarget,
    RowsFileError, RowsOfModel, SummarySettings, Top, WatchHistory,
};
use onesided_report::{PageSettings, page};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;

/// Rows that are explained before Python is asked for a signal.
const EXPLAINED_AT_ONCE: usize = 256;

/// A number per row.
type Numbers<'py> = Bound<'py, PyArray1<f32>>;

/// A model.
#[pyclass(name = "Model", frozen, module = "onesided._onesided")]
pub struct PyModel {
    model: Model,
    /// Why the rows that it was fitted on are not known, where that is so.
    unknown: Option<RowsFileError>,
}

/// A ranked list, column by column: rows, scores, probabilities, their lower and upper ends, the columns that were asked for, and
/// what is to be said.
type Ranked<'py> = (
    Bound<'py, PyArray1<i64>>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Vec<(String, Vec<String>)>,
    Vec<Said>,
);

impl PyModel {
    pub fn new(model: Model) -> Self {
        Self { model, unknown: None }
    }

    /// On this many threads of a device.
    fn on(&self, threads: usize, device: &str) -> PyResult<Model> {
        let device = device.parse().map_err(|error: onesided::net::NetError| raise_for("device", error))?;
        Ok(self.model.clone().with_threads(threads).on_device(device))
    }

    /// The rows that it was fitted on, or why they are not known.
    fn rows_of_model(&self) -> RowsOfModel<'_> {
        self.model.known_rows().map(Ok).or(self.unknown.as_ref().map(Err))
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let (model, rows) = py.detach(|| Model::load_with_rows(&path)).map_err(raise)?;
        Ok(match rows {
            Ok(rows) => Self::new(model.with_known_rows(rows)),
            Err(why) => Self { model, unknown: Some(why) },
        })
    }

    /// From the bytes of a model file, and of the rows that it was fitted on where they were kept.
    #[staticmethod]
    #[pyo3(signature = (bytes, rows=None))]
    fn from_bytes(bytes: &[u8], rows: Option<&[u8]>) -> PyResult<Self> {
        let model = Model::load_bytes(bytes).map_err(raise)?;
        let Some(rows) = rows else { return Ok(Self { model, unknown: Some(RowsFileError::BytesAlone) }) };
        Ok(match KnownRows::of_bytes(rows, bytes, "the rows of the pickle") {
            Ok(rows) => Self::new(model.with_known_rows(rows)),
            Err(why) => Self { model, unknown: Some(why) },
        })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(raise)
    }

    /// Writes it for another runtime.
    fn export(&self, py: Python<'_>, path: PathBuf, format: &str, terms: bool) -> PyResult<()> {
        let refuse = |error: onesided_export::ExportError| {
            let setting =
                if matches!(error, onesided_export::ExportError::Texts(_)) { " with terms=True" } else { "" };
            PyValueError::new_err(format!("{error}{setting}"))
        };
        let format = format.parse().map_err(refuse)?;
        let options = onesided_export::ExportOptions { terms };
        let exported =
            py.detach(|| onesided_export::export(&self.model, format, &options)).map_err(refuse)?;
        let written = onesided::data::write_atomically(&path, |file| file.write_all(&exported.bytes));
        written.map_err(|error| raise(Error::from(error)))
    }

    /// The terms of texts as an exported model takes them; `column` says which, where there are several.
    fn terms(&self, texts: Vec<Option<String>>, column: Option<&str>) -> PyResult<Vec<Vec<String>>> {
        onesided_export::terms(&self.model, &texts, column)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.model.to_bytes()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of the rows that it was fitted on, fingerprints with scores, where they are known.
    fn rows_to_bytes<'py>(&self, py: Python<'py>, model: &[u8]) -> Option<Bound<'py, PyBytes>> {
        self.model.known_rows().map(|rows| PyBytes::new(py, &rows.to_bytes(model)))
    }

    /// How the threshold was chosen: a rule, or `cautious` under a share of positives that is a guess.
    fn threshold_rule(&self) -> String {
        self.model.about().threshold_rule_name()
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
        let said = notes_on_new(data.notes());
        let scores = py.detach(|| model.score(&data)).map_err(raise)?;
        Ok((scores.into_pyarray(py), said))
    }

    /// The first rows of a ranked list, or all: of rows in memory, where `told` are labels as `fit` takes them, or of a place, of which
    /// `label` is the column that says which rows are labeled and `keep` are columns to copy.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (rows, threads, device, most=None, in_sample=false, told=None, label=None, keep=Vec::new()))]
    fn rank<'py>(
        &self,
        py: Python<'py>,
        rows: Listed<'py>,
        threads: usize,
        device: &str,
        most: Option<usize>,
        in_sample: bool,
        told: Option<PyReadonlyArray1<'py, i8>>,
        label: Option<&str>,
        keep: Vec<String>,
    ) -> PyResult<Ranked<'py>> {
        let model = self.on(threads, device)?;
        let rows_of_model = if in_sample { None } else { self.rows_of_model() };
        let top: Vec<Top> = most.into_iter().map(Top::Rows).collect();
        let mut list = List::of(&model).rows_of_model(rows_of_model).top(&top).threads(threads);
        if let Some(label) = label {
            list = list.label(label, None, None);
        }
        let list = match rows {
            Listed::Memory(rows) => {
                let data = Rows::of(&rows)?.encode(py, self.model.encoding())?;
                let data = data.with_told(told.map(|told| as_labels(&told)));
                let data = data.map_err(|error| raise_for("y", error))?;
                py.detach(|| list.rank(&data)).map_err(raise)?
            }
            Listed::Place(path) => {
                let also = ReadAgain { keep, ..ReadAgain::default() };
                py.detach(|| list.read(&Input::one(path), &also)).map_err(raise)?
            }
        };
        let mut said = notes_on_new(list.notes());
        said.extend(list.said().iter().map(said_of));
        let names = list.columns().kept.clone();
        let mut rows = py.detach(|| list.collect()).map_err(raise)?;
        let numbers = |of: fn(&ListedRow) -> f32| rows.iter().map(of).collect::<Vec<f32>>().into_pyarray(py);
        let range = |row: &ListedRow| row.range.unwrap_or((row.probability, row.probability));
        let columns = (
            rows.iter().map(|row| row.row as i64).collect::<Vec<_>>().into_pyarray(py),
            numbers(|row| row.score),
            numbers(|row| row.probability),
            rows.iter().map(|row| range(row).0).collect::<Vec<_>>().into_pyarray(py),
            rows.iter().map(|row| range(row).1).collect::<Vec<_>>().into_pyarray(py),
        );
        let cells = |at: usize, rows: &mut [ListedRow]| {
            rows.iter_mut().map(|row| std::mem::take(&mut row.cells[at])).collect()
        };
        let kept = names.into_iter().enumerate().map(|(at, name)| (name, cells(at, &mut rows))).collect();
        let (row, score, probability, low, high) = columns;
        Ok((row, score, probability, low, high, kept, said))
    }

    /// Writes a page of the model and some rows: of rows in memory, where `told` are labels as `fit` takes them and `cells` gives the
    /// cells of some of them by number, or of a place, of which `label` is the column that says which rows are labeled.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (path, rows, place, no_rows, threads, device, told=None, label=None, cells=None))]
    fn report<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        rows: Listed<'py>,
        place: &str,
        no_rows: bool,
        threads: usize,
        device: &str,
        told: Option<PyReadonlyArray1<'py, i8>>,
        label: Option<&str>,
        cells: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Said>> {
        let model = self.on(threads, device)?;
        let mut list = List::of(&model).rows_of_model(self.rows_of_model()).threads(threads);
        if let Some(label) = label {
            list = list.label(label, None, None);
        }
        let mut settings = SummarySettings::default();
        settings.rows = if no_rows { 0 } else { settings.rows };
        let (mut summary, said) = match rows {
            Listed::Memory(rows) => {
                let data = Rows::of(&rows)?.encode(py, self.model.encoding())?;
                let said = notes_on_new(data.notes());
                let data = data.with_told(told.map(|told| as_labels(&told)));
                let data = data.map_err(|error| raise_for("y", error))?;
                (py.detach(|| list.summary_of(&data, place, &settings)).map_err(raise)?, said)
            }
            Listed::Place(from) => {
                let also = ReadAgain::default();
                let summary =
                    py.detach(|| list.summary(&Input::one(from), &also, &settings)).map_err(raise)?;
                (summary, Vec::new())
            }
        };
        if let Some(cells) = cells {
            let shown: Vec<usize> = summary.first.iter().map(|row| row.row).collect();
            let columns: Vec<(String, Vec<String>)> = cells.call1(py, (shown,))?.extract(py)?;
            summary.names = columns.iter().map(|(name, _)| name.clone()).collect();
            for (at, row) in summary.first.iter_mut().enumerate() {
                row.cells =
                    columns.iter().map(|(_, cells)| cells.get(at).cloned().unwrap_or_default()).collect();
            }
        }
        let page = page(&summary, &PageSettings { command: "PUClassifier.report".to_string() });
        let written = onesided::data::write_atomically(&path, |file| file.write_all(page.as_bytes()));
        written.map_err(|error| raise(Error::from(error)))?;
        Ok(said)
    }

    /// The model in a few lines, each with what it is about, and what to look at, the most important first.
    fn in_short(&self) -> (Vec<(&'static str, String)>, Vec<String>) {
        summary::in_short(&self.model)
    }

    /// What there is to show of the rows of the fit without reading them again.
    fn summary_of_fit(&self, py: Python<'_>) -> PyResult<PySummary> {
        Ok(PySummary::new(py.detach(|| self.model.summary_of_fit()).map_err(raise)?))
    }

    /// What there is to show of the model and some rows, as [`report`](Self::report) takes them, with importance or with the effect of one
    /// column where that is asked for.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (rows, threads, device, told=None, label=None, importance=false, column=None))]
    fn summary<'py>(
        &self,
        py: Python<'py>,
        rows: Listed<'py>,
        threads: usize,
        device: &str,
        told: Option<PyReadonlyArray1<'py, i8>>,
        label: Option<&str>,
        importance: bool,
        column: Option<String>,
    ) -> PyResult<(PySummary, Vec<Said>)> {
        let model = self.on(threads, device)?;
        let mut list = List::of(&model).rows_of_model(self.rows_of_model()).threads(threads);
        if let Some(label) = label {
            list = list.label(label, None, None);
        }
        let plain = SummarySettings { rows: 0, reasons: 0, effects: 1, ..SummarySettings::default() };
        let measured = if importance || column.is_some() { plain.importance } else { None };
        let settings =
            SummarySettings { importance: measured, columns: column.into_iter().collect(), ..plain };
        let (summary, said) = match rows {
            Listed::Memory(rows) => {
                let data = Rows::of(&rows)?.encode(py, self.model.encoding())?;
                let said = notes_on_new(data.notes());
                let data = data.with_told(told.map(|told| as_labels(&told)));
                let data = data.map_err(|error| raise_for("y", error))?;
                (py.detach(|| list.summary_of(&data, "rows in memory", &settings)).map_err(raise)?, said)
            }
            Listed::Place(from) => {
                let also = ReadAgain::default();
                let summary =
                    py.detach(|| list.summary(&Input::one(from), &also, &settings)).map_err(raise)?;
                (summary, Vec::new())
            }
        };
        Ok((PySummary::new(summary), said))
    }

    /// Rows for an audit: the columns of the table to fill in, the drawn rows by number, what to expect as JSON, and what is to be
    /// said. `told` are labels, as `fit` takes them.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)] // a tuple for Python, taken apart at once
    #[pyo3(signature = (rows, number, cuts, seed, scores, threads, device, told=None))]
    fn audit_draw<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        number: usize,
        cuts: Vec<String>,
        seed: u64,
        scores: bool,
        threads: usize,
        device: &str,
        told: Option<PyReadonlyArray1<'py, i8>>,
    ) -> PyResult<(Vec<(String, Vec<String>)>, Vec<usize>, String, Vec<Said>)> {
        let model = self.on(threads, device)?;
        let mut data = Rows::of(rows)?.encode_with_keys(py, self.model.encoding())?;
        let mut said = notes_on_new(data.notes());
        if let Some(told) = told {
            data = data.with_labels(as_labels(&told)).map_err(|error| raise_for("y", error))?;
        }
        let cuts = cuts.iter().map(|cut| cut.parse()).collect::<Result<_, _>>();
        let cuts = cuts.map_err(|error| raise_for("cuts", error))?;
        let settings = AuditSettings { rows: number, cuts, seed, explain: None };
        let drawn = py
            .detach(|| model.audit_known(&data, &settings, self.rows_of_model()))
            .map_err(|error| raise_for("rows", error))?;
        let AuditDraw { ambiguous, left_out, .. } = drawn;
        said.extend(drawn.said.iter().map(said_of));
        let columns = drawn.columns(scores).into_iter();
        let columns = columns.map(|(name, column)| (name, audits::texts(column))).collect();
        let [draw, of_model, table] = drawn.fingerprints();
        let about = serde_json::json!({
            "draw": draw,
            "model": of_model,
            "table": table,
            "strata": drawn.strata,
            "forecast": drawn.forecast,
            "forecast_by": drawn.forecast_by,
            "predicted_positive": drawn.predicted,
            "left_out": left_out,
            "ambiguous": ambiguous,
        });
        Ok((columns, drawn.rows.iter().map(|row| row.row).collect(), about.to_string(), said))
    }

    /// What the answers of an audit say, as JSON, and what is to be said.
    #[pyo3(signature = (given, confidence, precision=None))]
    fn audit_read(
        &self,
        given: Vec<Answers>,
        confidence: f64,
        precision: Option<f64>,
    ) -> PyResult<(String, Vec<String>)> {
        audits::report(&self.model, &given, confidence, precision)
    }

    /// New rows that are not positive; `told` are labels as `fit` takes them, and labeled rows are left out.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (rows, threads, device, fdr, labeling_odds, told=None, groups=None))]
    fn negatives<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
        fdr: f64,
        labeling_odds: f64,
        told: Option<PyReadonlyArray1<'py, i8>>,
        groups: Option<PyReadonlyArray1<'py, u32>>,
    ) -> PyResult<negatives::Listed<'py>> {
        let target = negatives::target(fdr, labeling_odds)?;
        let model = self.on(threads, device)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let data = match groups {
            Some(groups) => {
                data.with_groups(groups.as_array().to_vec()).map_err(|error| raise_for("groups", error))?
            }
            None => data,
        };
        let is_told = told.is_some();
        let data = data.with_told(told.map(|told| as_labels(&told)));
        let data = data.map_err(|error| raise_for("y", error))?;
        let mut said = notes_on_new(data.notes());
        let list = List::of(&model).rows_of_model(self.rows_of_model()).threads(threads);
        let list = py.detach(|| list.negatives_of(&data, target, is_told)).map_err(|error| match error {
            Error::NotCertified(_) => raise_for("X", error),
            Error::CertifiesFitted => {
                PyValueError::new_err(format!("X: {error}; use PUClassifier.negatives_of(X, y)"))
            }
            other => raise(other),
        })?;
        said.extend(list.said.iter().map(said_of));
        said.extend(model.refuted_labels().map(|test| (test.to_string(), DATA)));
        let certified = list.certified.clone();
        let rows = py.detach(|| list.collect()).map_err(raise)?;
        negatives::listed(py, &certified, &rows, said)
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
        let said = notes_on_new(data.notes());
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
        let mut said = notes_on_new(data.notes());
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
        if self.model.has_met(&data, self.rows_of_model()).map_err(raise)? {
            let met = "the model was fitted on these rows: what it has learned by heart counts, too; measure on rows that it \
                       has not met";
            said.push((met.to_string(), IN_SAMPLE));
        }
        let measured = serde_json::to_string(&measured);
        Ok((measured.map_err(|error| PyValueError::new_err(error.to_string()))?, said))
    }

    /// What is found of new rows, as JSON with its verdict and its table, and what is to be said. `labels` are labels as `fit` takes
    /// them; the run is added to a history where one is named.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (rows, false_alarms, threads, device, labels=None, history=None))]
    fn watch<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        false_alarms: f64,
        threads: usize,
        device: &str,
        labels: Option<PyReadonlyArray1<'py, i8>>,
        history: Option<PathBuf>,
    ) -> PyResult<(String, Vec<Said>)> {
        let false_alarms =
            FalseAlarms::new(false_alarms).map_err(|error| raise_for("false_alarms", error))?;
        let model = self.on(threads, device)?;
        let of_history = |error: HistoryError| PyValueError::new_err(format!("history: {error}"));
        if let Some(history) = &history {
            WatchHistory::check(history, &model.fingerprint().map_err(raise)?).map_err(of_history)?;
        }
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let said = notes_on_new(data.notes());
        let data = match labels {
            Some(labels) => data.with_labels(as_labels(&labels)).map_err(|error| raise_for("y", error))?,
            None => data,
        };
        let watched =
            py.detach(|| model.watch_data(&data, self.rows_of_model(), false_alarms)).map_err(raise)?;
        if let Some(history) = &history {
            let entry = HistoryEntry::new(&model, &watched, "rows in memory").map_err(raise)?;
            WatchHistory::append(history, &entry).map_err(of_history)?;
        }
        let mut object = serde_json::json!(watched);
        object["verdict"] = serde_json::json!(watched.verdict());
        object["alarm"] = serde_json::json!(watched.action.is_alarm());
        object["moved"] = serde_json::json!(watched.moved());
        object["table"] = serde_json::json!(watched.table());
        object["notes"] =
            serde_json::json!(watched.untold.iter().map(ToString::to_string).collect::<Vec<_>>());
        Ok((object.to_string(), said))
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

    /// How many of the rows to review for a recall, as JSON, and what encoding met. Refused where nothing can be promised.
    #[allow(clippy::too_many_arguments)]
    fn review<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
        recall: f64,
        confidence: f64,
        labeling_odds: f64,
    ) -> PyResult<(String, Vec<Said>)> {
        let labeling = LabelingOdds::new(labeling_odds).map_err(|error| raise_for("labeling_odds", error))?;
        let target = RecallTarget::new(recall, confidence).map_err(raise)?.with_labeling(labeling);
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
        Ok((review.map_err(|error| PyValueError::new_err(error.to_string()))?, notes_on_new(data.notes())))
    }
}

/// Rows to list.
#[derive(FromPyObject)]
pub enum Listed<'py> {
    /// What `_input.py` found X to be.
    Memory(Bound<'py, PyTuple>),
    /// A table, or a folder.
    Place(PathBuf),
}

/// Something to be said of a list, with the way out as a keyword of `rank`.
fn said_of(note: &ListNote) -> Said {
    let kind = match note {
        ListNote::Fitted(_) => NOTE,
        ListNote::InSample { .. } | ListNote::RowsNotUsed(_) => IN_SAMPLE,
        _ => DATA,
    };
    let sentence = match note.hint() {
        Some(hint) if hint.setting == "label" => format!("{note}; {} with y=LABELS", hint.act),
        Some(hint) if hint.setting != "all" => match as_keyword(&hint) {
            Some(hint) => format!("{note}; {hint}"),
            None => note.to_string(),
        },
        _ => note.to_string(),
    };
    (sentence, kind)
}
