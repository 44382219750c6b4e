//! The extension module `lariat._lariat`: models, checks and automata.
//!
//! Results cross the border as JSON or text; the classes that users see are written in Python, in
//! `python/lariat`. Checks run in a thread of their own, without the interpreter's lock, while the
//! calling thread looks for signals; Ctrl-C presses the switch of the check and raises.

mod automaton;
mod model;
mod program;
mod simulation;
mod wait;

use pyo3::prelude::*;

pyo3::create_exception!(_lariat, LariatError, pyo3::exceptions::PyValueError);

/// An error of the library as an exception.
fn raised(error: impl std::fmt::Display) -> PyErr {
    LariatError::new_err(error.to_string())
}

#[pymodule]
fn _lariat(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LariatError", module.py().get_type::<LariatError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Loaded>()?;
    module.add_class::<model::Options>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<automaton::Automaton>()?;
    module.add_function(wrap_pyfunction!(program::check_program, module)?)?;
    module.add_function(wrap_pyfunction!(program::count_program, module)?)?;
    Ok(())
}
