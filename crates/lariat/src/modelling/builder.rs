//! Models of guarded events over integers, enumerations and arrays, built by calls.
//!
//! The result is a [`Model`](crate::Model) like one that was read from a file: every engine checks
//! it, on single states and on sets of states, with reductions and symmetries.

use crate::error::Error;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::{
    Action, Assignment, BinaryOp, Comparison, Definition, Domain, Event, Expr, InputError, LValue,
    Predicate, System, UnaryOp, Value, VarId, Variable,
};
use std::ops::{Add, BitAnd, BitOr, Mul, Not, RangeInclusive, Sub};
use std::sync::Arc;

/// Builds a model of guarded events.
///
/// ```
/// use lariat::Checker;
/// use lariat::modelling::ModelBuilder;
///
/// let mut model = ModelBuilder::new("ring");
/// let token = model.int("token", 0..=2, 0);
/// let phases = model.names("phase", 3, &["idle", "busy"], "idle");
/// for i in 0..3 {
///     let next = (i + 1) % 3;
///     model
///         .event(&format!("work {i}"))
///         .when(token.eq(i) & phases[i as usize].is("idle"))
///         .set(&phases[i as usize], "busy");
///     model
///         .event(&format!("pass {i}"))
///         .when(token.eq(i) & phases[i as usize].is("busy"))
///         .set(&phases[i as usize], "idle")
///         .set(&token, next);
/// }
/// model.define("two busy", phases[0].is("busy") & phases[1].is("busy"));
/// let model = model.build()?;
/// let checker = Checker::new(&model);
/// assert_eq!(checker.check(r#"G !"two busy""#)?.holds(), Some(true));
/// assert_eq!(checker.check(r#"G F "phase[2].busy""#)?.holds(), Some(true));
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelBuilder {
    name: String,
    variables: Vec<Variable>,
    initial: Vec<Value>,
    events: Vec<Event>,
    definitions: Vec<(String, Term)>,
    /// The first mistake.
    mistake: Option<String>,
}

/// A variable of a [`ModelBuilder`].
#[derive(Clone, Debug)]
pub struct Var {
    id: VarId,
    names: Vec<String>,
}

/// The value of an expression: a number, or the name of a value of an enumeration.
#[derive(Clone, Debug)]
pub struct Term(Expr);

/// A value that is assigned to a variable.
#[derive(Clone, Debug)]
pub enum Assigned {
    /// The value of an expression.
    Term(Term),
    /// A value of an enumeration.
    Name(String),
}

impl Var {
    /// The value of the variable.
    pub fn get(&self) -> Term {
        Term(Expr::Var(self.id))
    }

    /// The condition that the variable of an enumeration has this value; false for other names.
    pub fn is(&self, name: &str) -> Term {
        match self.names.iter().position(|known| known == name) {
            Some(value) => self.get().eq(value as Value),
            None => Term(Expr::Const(0)),
        }
    }

    /// The condition that the variable has this value.
    pub fn eq(&self, value: impl Into<Term>) -> Term {
        self.get().eq(value)
    }
}

fn binary(op: BinaryOp, left: Term, right: Term) -> Term {
    Term(Expr::Binary(op, Box::new(left.0), Box::new(right.0)))
}

#[allow(
    clippy::should_implement_trait,
    reason = "comparisons build expressions; they do not compare them"
)]
impl Term {
    /// `self == other`
    pub fn eq(self, other: impl Into<Term>) -> Term {
        binary(BinaryOp::Eq, self, other.into())
    }

    /// `self < other`
    pub fn lt(self, other: impl Into<Term>) -> Term {
        binary(BinaryOp::Lt, self, other.into())
    }

    /// `self <= other`
    pub fn le(self, other: impl Into<Term>) -> Term {
        binary(BinaryOp::Le, self, other.into())
    }

    /// The conjunction of all conditions.
    pub fn all(conditions: impl IntoIterator<Item = Term>) -> Term {
        let all = conditions.into_iter().reduce(|all, one| all & one);
        all.unwrap_or(Term(Expr::Const(1)))
    }

    /// The disjunction of all conditions.
    pub fn any(conditions: impl IntoIterator<Item = Term>) -> Term {
        let any = conditions.into_iter().reduce(|any, one| any | one);
        any.unwrap_or(Term(Expr::Const(0)))
    }
}

impl From<Value> for Term {
    fn from(value: Value) -> Term {
        Term(Expr::Const(value))
    }
}

impl From<&Var> for Term {
    fn from(var: &Var) -> Term {
        var.get()
    }
}

impl<T: Into<Term>> Add<T> for Term {
    type Output = Term;

    fn add(self, other: T) -> Term {
        binary(BinaryOp::Add, self, other.into())
    }
}

impl<T: Into<Term>> Sub<T> for Term {
    type Output = Term;

    fn sub(self, other: T) -> Term {
        binary(BinaryOp::Sub, self, other.into())
    }
}

impl<T: Into<Term>> Mul<T> for Term {
    type Output = Term;

    fn mul(self, other: T) -> Term {
        binary(BinaryOp::Mul, self, other.into())
    }
}

impl BitAnd for Term {
    type Output = Term;

    fn bitand(self, other: Term) -> Term {
        binary(BinaryOp::And, self, other)
    }
}

impl BitOr for Term {
    type Output = Term;

    fn bitor(self, other: Term) -> Term {
        binary(BinaryOp::Or, self, other)
    }
}

impl Not for Term {
    type Output = Term;

    fn not(self) -> Term {
        Term(Expr::Unary(UnaryOp::Not, Box::new(self.0)))
    }
}

impl From<Term> for Assigned {
    fn from(term: Term) -> Assigned {
        Assigned::Term(term)
    }
}

impl From<Value> for Assigned {
    fn from(value: Value) -> Assigned {
        Assigned::Term(value.into())
    }
}

impl From<&str> for Assigned {
    fn from(name: &str) -> Assigned {
        Assigned::Name(name.to_owned())
    }
}

/// An event of a [`ModelBuilder`] that is being described.
pub struct EventBuilder<'b> {
    builder: &'b mut ModelBuilder,
    event: usize,
}

impl EventBuilder<'_> {
    /// Adds a condition under which the event is enabled.
    pub fn when(self, condition: Term) -> Self {
        if let Action::Program { guard, .. } = &mut self.builder.events[self.event].action {
            let before = match guard {
                Predicate::Expr(before) => Some(Term(before.clone())),
                _ => None,
            };
            let both = before.map_or(condition.clone(), |before| before & condition);
            *guard = Predicate::Expr(both.0);
        }
        self
    }

    /// Assigns a value, computed after all earlier assignments of the event. A value beyond the
    /// range of the variable wraps around.
    pub fn set(self, var: &Var, value: impl Into<Assigned>) -> Self {
        let value = match value.into() {
            Assigned::Term(term) => term.0,
            Assigned::Name(name) => {
                let known = var.names.iter().position(|known| *known == name);
                if known.is_none() {
                    let of = &self.builder.variables[var.id.index()].name;
                    let what = format!("`{name}` is not a value of `{of}`");
                    self.builder.mistake.get_or_insert(what);
                }
                Expr::Const(known.unwrap_or(0) as Value)
            }
        };
        if let Action::Program { effects, .. } = &mut self.builder.events[self.event].action {
            effects.push(Assignment {
                target: LValue::Var(var.id),
                value,
            });
        }
        self
    }
}

impl ModelBuilder {
    /// A model without variables and events.
    pub fn new(name: &str) -> ModelBuilder {
        ModelBuilder {
            name: name.to_owned(),
            variables: Vec::new(),
            initial: Vec::new(),
            events: Vec::new(),
            definitions: Vec::new(),
            mistake: None,
        }
    }

    fn var(&mut self, name: String, domain: Domain, initial: Value) -> Var {
        if self.variables.iter().any(|v| v.name == name) {
            let what = format!("two variables are called `{name}`");
            self.mistake.get_or_insert(what);
        }
        let names = match &domain {
            Domain::Names(names) => names.clone(),
            _ => Vec::new(),
        };
        self.variables.push(Variable { name, domain });
        self.initial.push(initial);
        Var {
            id: VarId(self.variables.len() as u32 - 1),
            names,
        }
    }

    /// Adds an integer variable.
    pub fn int(&mut self, name: &str, range: RangeInclusive<Value>, initial: Value) -> Var {
        let (low, high) = range.into_inner();
        if !(low..=high).contains(&initial) {
            let what = format!("the initial value of `{name}` is not in its range");
            self.mistake.get_or_insert(what);
        }
        self.var(name.to_owned(), Domain::Range { low, high }, initial)
    }

    /// Adds an array of integer variables, called `name[0]` and so on.
    pub fn ints(
        &mut self,
        name: &str,
        count: usize,
        range: RangeInclusive<Value>,
        initial: Value,
    ) -> Vec<Var> {
        let element = |i| self.int(&format!("{name}[{i}]"), range.clone(), initial);
        (0..count).map(element).collect()
    }

    /// Adds a variable of an enumeration. Formulas may use `name.value` as an atom.
    pub fn name(&mut self, name: &str, values: &[&str], initial: &str) -> Var {
        let first = values.iter().position(|value| *value == initial);
        if first.is_none() {
            let what = format!("`{initial}` is not a value of `{name}`");
            self.mistake.get_or_insert(what);
        }
        let domain = Domain::Names(values.iter().map(|value| (*value).to_owned()).collect());
        let var = self.var(name.to_owned(), domain, first.unwrap_or(0) as Value);
        for value in values {
            self.define(&format!("{name}.{value}"), var.is(value));
        }
        var
    }

    /// Adds an array of variables of an enumeration, called `name[0]` and so on.
    pub fn names(&mut self, name: &str, count: usize, values: &[&str], initial: &str) -> Vec<Var> {
        let element = |i| self.name(&format!("{name}[{i}]"), values, initial);
        (0..count).map(element).collect()
    }

    /// Adds an event without conditions and assignments.
    pub fn event(&mut self, name: &str) -> EventBuilder<'_> {
        if self.events.iter().any(|event| event.name == name) {
            let what = format!("two events are called `{name}`");
            self.mistake.get_or_insert(what);
        }
        self.events.push(Event {
            name: name.to_owned(),
            action: Action::Program {
                guard: Predicate::Const(true),
                effects: Vec::new(),
            },
        });
        let event = self.events.len() - 1;
        EventBuilder {
            builder: self,
            event,
        }
    }

    /// Defines an atom of formulas.
    pub fn define(&mut self, name: &str, condition: Term) {
        self.definitions.push((name.to_owned(), condition));
    }

    /// The model; an error names the first mistake of its description.
    pub fn build(self) -> Result<crate::Model, Error> {
        if let Some(mistake) = self.mistake {
            return Err(InputError::new(&self.name, mistake).into());
        }
        let mut model = LoadedModel::new(
            ModelFormat::Dve,
            System {
                name: self.name.clone(),
                variables: self.variables,
                events: self.events,
                initial: vec![self.initial.into()],
                ..System::default()
            },
        );
        for (name, condition) in self.definitions {
            model.define(name, Definition::Truth(predicate(condition.0)));
        }
        Ok(crate::Model::from_loaded(&self.name, Arc::new(model)))
    }
}

/// A condition as a predicate; comparisons of a variable with a number are linear.
fn predicate(condition: Expr) -> Predicate {
    if let Expr::Binary(BinaryOp::Eq, left, right) = &condition
        && let (Expr::Var(var), Expr::Const(value)) = (&**left, &**right)
    {
        return Predicate::compare(*var, Comparison::Eq, *value);
    }
    Predicate::Expr(condition)
}
