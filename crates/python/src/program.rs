//! Models that are Python classes.
//!
//! States and actions are Python objects; states are compared and hashed by `==` and `hash`. Every
//! call attaches to the interpreter. The first exception of the model stops the check and is raised
//! again; the verdict of such a check is discarded.

use crate::model::Options;
use crate::raised;
use crate::wait::wait;
use lariat::Cancel;
use lariat::modelling::{Checker, Model};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// Exceptions of a model; the first one stops the check.
#[derive(Clone, Default)]
struct Failures {
    first: Arc<Mutex<Option<PyErr>>>,
    cancel: Cancel,
}

impl Failures {
    fn note<T>(&self, result: PyResult<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
                self.cancel.press();
                None
            }
        }
    }

    fn take(&self) -> Option<PyErr> {
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// A state or an action.
#[derive(Clone)]
struct Object {
    object: Arc<Py<PyAny>>,
    hash: isize,
    failures: Failures,
}

impl Object {
    fn new(object: &Bound<'_, PyAny>, hash: isize, failures: &Failures) -> Object {
        Object {
            object: Arc::new(object.clone().unbind()),
            hash,
            failures: failures.clone(),
        }
    }

    fn state(object: &Bound<'_, PyAny>, failures: &Failures) -> PyResult<Object> {
        Ok(Object::new(object, object.hash()?, failures))
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        if Arc::ptr_eq(&self.object, &other.object) {
            return true;
        }
        let equal = || Python::attach(|py| self.object.bind(py).eq(other.object.bind(py)));
        self.hash == other.hash && self.failures.note(equal()).unwrap_or(false)
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash.hash(hasher);
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Python::attach(|py| self.object.bind(py).repr()?.extract::<String>());
        f.write_str(&self.failures.note(text).unwrap_or_default())
    }
}

/// A model as an instance of a Python class.
struct Program {
    instance: Py<PyAny>,
    failures: Failures,
}

impl Model for Program {
    type State = Object;
    type Action = Object;

    fn initial(&self) -> Vec<Object> {
        let states = Python::attach(|py| {
            let states = self.instance.bind(py).call_method0("initial")?;
            let states = states.try_iter()?;
            states
                .map(|state| Object::state(&state?, &self.failures))
                .collect()
        });
        self.failures.note(states).unwrap_or_default()
    }

    fn actions(&self, state: &Object, actions: &mut Vec<Object>) {
        let listed = Python::attach(|py| {
            let arguments = (state.object.bind(py),);
            let all = self.instance.bind(py).call_method1("actions", arguments)?;
            for action in all.try_iter()? {
                actions.push(Object::new(&action?, 0, &self.failures));
            }
            Ok(())
        });
        self.failures.note(listed);
    }

    fn next(&self, state: &Object, action: &Object) -> Option<Object> {
        let next = Python::attach(|py| {
            let arguments = (state.object.bind(py), action.object.bind(py));
            let next = self.instance.bind(py).call_method1("next", arguments)?;
            if next.is_none() {
                return Ok(None);
            }
            Object::state(&next, &self.failures).map(Some)
        });
        self.failures.note(next).flatten()
    }

    fn parts(&self, state: &Object) -> Vec<(String, String)> {
        let parts = Python::attach(|py| {
            let parts = self
                .instance
                .bind(py)
                .call_method1("parts", (state.object.bind(py),))?;
            parts.extract()
        });
        self.failures.note(parts).unwrap_or_default()
    }
}

/// A predicate on states or on states and actions: calls `function`.
fn holds(function: &Arc<Py<PyAny>>, arguments: &[&Object], failures: &Failures) -> bool {
    let holds = Python::attach(|py| {
        let arguments = arguments.iter().map(|object| object.object.bind(py));
        let arguments = pyo3::types::PyTuple::new(py, arguments)?;
        function.bind(py).call1(arguments)?.is_truthy()
    });
    failures.note(holds).unwrap_or(false)
}

type Functions = Vec<(String, Arc<Py<PyAny>>)>;

fn functions(dictionary: &Bound<'_, PyDict>) -> PyResult<Functions> {
    let named = |(name, function): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((name.extract()?, Arc::new(function.unbind())))
    };
    dictionary.iter().map(named).collect()
}

/// The checker of an instance; `tests` has the functions of the keys `atoms`, `actions`, `weak` and
/// `strong`, and of `boundary`.
fn checker(
    instance: Py<PyAny>,
    name: &str,
    tests: &Bound<'_, PyDict>,
    options: &Options,
    failures: &Failures,
) -> PyResult<Checker<Program>> {
    let program = Program {
        instance,
        failures: failures.clone(),
    };
    let of = |key: &str| match tests.get_item(key)? {
        Some(all) => functions(all.cast::<PyDict>()?),
        None => Ok(Functions::new()),
    };
    let mut checker = Checker::new(program)
        .name(name)
        .engine(options.engine)
        .threads(options.threads)
        .deadlock(options.deadlock)
        .cancel(failures.cancel.clone());
    if let Some(timeout) = options.timeout {
        checker = checker.timeout(timeout);
    }
    if let Some(memory) = options.memory {
        checker = checker.memory(memory);
    }
    for (name, function) in of("atoms")? {
        let failures = failures.clone();
        checker = checker.atom(&name, move |state| holds(&function, &[state], &failures));
    }
    for (name, function) in of("boundary")? {
        let (failures, _) = (failures.clone(), name);
        checker = checker.boundary(move |state| holds(&function, &[state], &failures));
    }
    for key in ["actions", "weak", "strong"] {
        for (name, function) in of(key)? {
            let failures = failures.clone();
            let test = move |state: &Object, action: &Object| {
                holds(&function, &[state, action], &failures)
            };
            checker = match key {
                "actions" => checker.action_atom(&name, test),
                "weak" => checker.weak_fairness(&name, test),
                _ => checker.strong_fairness(&name, test),
            };
        }
    }
    Ok(checker)
}

/// The result of a check of a program: the report as JSON, as text and as a page, and the states and
/// actions of its run.
type Checked = (String, String, String, Vec<(Py<PyAny>, Option<Py<PyAny>>)>);

/// Checks a formula about an instance of a Python class.
#[pyfunction]
pub fn check_program(
    py: Python<'_>,
    instance: Py<PyAny>,
    name: &str,
    tests: &Bound<'_, PyDict>,
    formula: &str,
    options: &Options,
) -> PyResult<Checked> {
    let failures = Failures::default();
    let checker = checker(instance, name, tests, options, &failures)?;
    let checked = wait(py, &failures.cancel, || {
        checker.check(formula).map(|report| {
            let texts = (
                report.to_json().to_string(),
                report.to_string(),
                report.page(),
            );
            (texts, report)
        })
    })?;
    if let Some(error) = failures.take() {
        return Err(error);
    }
    let ((json, text, page), report) = checked.map_err(raised)?;
    let object = |object: &Object| object.object.clone_ref(py);
    let run = report.trace().map_or(Vec::new(), |trace| {
        let steps = trace.steps();
        let steps = steps.map(|step| (object(&step.state), step.action.as_ref().map(object)));
        let end = trace.states().last().map(|state| (object(state), None));
        steps.chain(end).collect()
    });
    Ok((json, text, page, run))
}

/// Counts the reachable states of an instance of a Python class.
#[pyfunction]
pub fn count_program(
    py: Python<'_>,
    instance: Py<PyAny>,
    name: &str,
    tests: &Bound<'_, PyDict>,
    options: &Options,
) -> PyResult<Option<String>> {
    let failures = Failures::default();
    let checker = checker(instance, name, tests, options, &failures)?;
    let counted = wait(py, &failures.cancel, || checker.count_states())?;
    if let Some(error) = failures.take() {
        return Err(error);
    }
    Ok(counted
        .map_err(raised)?
        .states
        .map(|states| states.to_string()))
}
