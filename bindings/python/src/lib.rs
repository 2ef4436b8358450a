//! `onesided._onesided`: the part of the Python package that is Rust. The package around it (`python/onesided`) says what
//! an estimator is; here arrays and Arrow become a `Dataset`, keywords a `Config`, hints keywords, and notes warnings.

#![forbid(unsafe_code)]
// What Python sees is documented in the stubs and the package.
#![allow(missing_docs)]

mod audits;
mod cluster;
mod draw;
mod failure;
mod fitting;
mod losses;
mod metrics;
mod model;
mod negatives;
mod pieces;
mod prior;
mod progress;
mod rows;
mod summary;

use pyo3::prelude::*;

/// Runs the command with these arguments, its own name first; returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| onesided_cli::main(arguments))
}

/// Says how many bytes the process may use in all, such as `2G`.
#[pyfunction]
fn limit_memory(size: &str) -> PyResult<()> {
    let bytes = onesided::data::parse_size(size).map_err(|error| failure::raise_for("size", error))?;
    onesided::data::limit_memory(bytes);
    Ok(())
}

#[pymodule]
fn _onesided(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RANDOM_LABELS", onesided::RANDOM_LABELS)?;
    module.add("NoPriorError", module.py().get_type::<failure::NoPriorError>())?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<summary::PySummary>()?;
    module.add_class::<summary::PyFigure>()?;
    module.add_class::<prior::PyPrior>()?;
    module.add_class::<losses::PyObjective>()?;
    module.add_class::<cluster::PyClusterWorker>()?;
    module.add_function(wrap_pyfunction!(cluster::add_messages, module)?)?;
    module.add_function(wrap_pyfunction!(cluster::fit_in_cluster, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(limit_memory, module)?)?;
    module.add_function(wrap_pyfunction!(audits::audit_columns, module)?)?;
    module.add_function(wrap_pyfunction!(fitting::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fitting::settings, module)?)?;
    module.add_function(wrap_pyfunction!(fitting::reading_settings, module)?)?;
    module.add_function(wrap_pyfunction!(fitting::methods, module)?)?;
    module.add_function(wrap_pyfunction!(negatives::table_negatives, module)?)?;
    module.add_function(wrap_pyfunction!(prior::estimate_prior, module)?)?;
    module.add_function(wrap_pyfunction!(prior::estimators, module)?)?;
    module.add_function(wrap_pyfunction!(losses::objectives, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::pu_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::probabilities, module)?)?;
    Ok(())
}
