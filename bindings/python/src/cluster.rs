//! Workers and the coordinator of a cluster: messages are bytes, and Python hands them over.

use crate::failure::{raise, raise_for};
use crate::fitting::{NOTE, Said, config, notes, of_report, options};
use crate::model::PyModel;
use crate::progress::Watch;
use onesided::cluster::{Cluster, ClusterEngine, ClusterWorker, add_messages as add};
use onesided::{Fit, Input, Learner};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Holds some rows of a table and answers messages.
#[pyclass(name = "ClusterWorker", frozen, module = "onesided._onesided")]
#[derive(Default)]
pub struct PyClusterWorker(Mutex<ClusterWorker>);

#[pymethods]
impl PyClusterWorker {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn answer<'py>(&self, py: Python<'py>, message: &[u8]) -> Bound<'py, PyBytes> {
        let answer = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).answer(message));
        PyBytes::new(py, &answer)
    }
}

/// The sum of two workers' answers.
#[pyfunction]
pub fn add_messages<'py>(py: Python<'py>, one: &[u8], other: &[u8]) -> Bound<'py, PyBytes> {
    let sum = py.detach(|| add(one, other));
    PyBytes::new(py, &sum)
}

/// An object of Python that hands messages to workers.
struct PyEngine {
    engine: Py<PyAny>,
    workers: usize,
    /// Whether the fit is to stop, which the engine asks while it waits.
    stop: Arc<AtomicBool>,
    /// What the engine raised.
    raised: Arc<Mutex<Option<PyErr>>>,
}

/// Answers a question of the engine.
#[pyclass(frozen)]
struct IsStopped(Arc<AtomicBool>);

#[pymethods]
impl IsStopped {
    fn __call__(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl PyEngine {
    fn call<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(
        &self,
        method: &str,
        messages: &[(usize, &[u8])],
    ) -> Result<T, String> {
        let called = Python::attach(|py| -> PyResult<T> {
            let of = |(worker, message): &(usize, &[u8])| (*worker, PyBytes::new(py, message));
            let messages = PyList::new(py, messages.iter().map(of))?;
            let stopped = Py::new(py, IsStopped(self.stop.clone()))?;
            self.engine.call_method1(py, method, (messages, stopped))?.bind(py).extract()
        });
        called.map_err(|error| {
            let sentence = error.to_string();
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            sentence
        })
    }
}

impl ClusterEngine for PyEngine {
    fn workers(&self) -> usize {
        self.workers
    }

    fn each(&self, messages: &[(usize, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, String> {
        self.call("each", messages)
    }

    fn sum(&self, messages: &[(usize, &[u8])]) -> Result<Option<Vec<u8>>, String> {
        self.call("sum", messages)
    }
}

/// What a fit in a cluster gives: the model, what is to be said, what each column was read as, and bytes sent, bytes received and how
/// often a worker started anew.
type InCluster = (PyModel, Vec<Said>, String, (u64, u64, u64));

/// Learns from a Parquet table in files, of which workers behind an engine hold the rows.
#[pyfunction]
pub fn fit_in_cluster(
    py: Python<'_>,
    files: Vec<PathBuf>,
    settings: &Bound<'_, PyDict>,
    reading: &Bound<'_, PyDict>,
    engine: Py<PyAny>,
    workers: usize,
    tell: Option<Py<PyAny>>,
) -> PyResult<InCluster> {
    if workers == 0 {
        return Err(PyValueError::new_err("num_workers: must be at least 1"));
    }
    let fit = Fit::new(Learner::from_config(config(settings)?)).reading(options(reading)?);
    let words: Vec<(String, Vec<String>)> = reading
        .iter()
        .map(|(name, values)| Ok((name.extract::<String>()?.replace('_', "-"), values.extract()?)))
        .collect::<PyResult<_>>()?;
    let (input, raised) = (Input::parts(files), Arc::new(Mutex::new(None)));
    let mut watch = Watch::new(tell);
    let engine = PyEngine { engine, workers, stop: watch.stopped(), raised: raised.clone() };
    let cluster = Arc::new(Cluster::new(Box::new(engine)));
    let learned = watch.over(py, |observer| {
        let ready = fit.read_in_cluster(&input, &words, cluster.clone())?;
        let said = notes(ready.data());
        let columns = serde_json::to_string(ready.data().columns_read()).unwrap_or_default();
        Ok::<_, onesided::Error>((ready.learn(observer)?, said, columns))
    })?;
    let estimators = watch.finish()?;
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let (model, mut said, columns) = learned.map_err(|error| match error {
        onesided::Error::Trees(_) => raise_for("data", error),
        other => raise(other),
    })?;
    said.extend(estimators.into_iter().map(|sentence| (sentence, NOTE)));
    said.extend(of_report(&model));
    let [sent, received] = cluster.bytes();
    Ok((PyModel::new(model), said, columns, (sent, received, cluster.restarts())))
}
