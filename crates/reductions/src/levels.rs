//! Components of several places: one variable for places of which at most one is marked.
//!
//! A set `G = {p₁, …, p_k}` of places of a safe net that exclude each other has `k + 1` markings, and becomes a variable with as many values: `0` for
//! none of them, `i` for `pᵢ`. A diagram then has one level where it had `k`, and sees at once what it would have to find
//! out level by level. This is what components are in V. Molnár et al., *Component-wise incremental LTL model checking* (2016), and in most work on
//! saturation.
//!
//! *Condition*: in every reachable marking each place has at most one token, and each of the sets at most one. The caller has a proof
//! of it (`structural/src/exclusive.rs`); what a file says of its units is none. An event is then possible in reachable markings only as
//! one row of values before and after,
//!
//! ```text
//! places of G that it needs    and fills     before → after
//! none                         pⱼ            0 → j                another marking would have two tokens afterwards
//! pᵢ, which it empties         none          i → 0
//! pᵢ, which it empties         pⱼ            i → j
//! pᵢ, which it only reads      none          i → i
//! anything else                              never
//! ```
//!
//! *Preserves* everything: reachable states correspond one to one, and so do their steps, with events and with deadlocks under both policies. *Back*: the
//! same events; a value says which place is marked.

use super::{Astray, Lift};
use lariat_model::{
    Action, Arc, BinaryOp, Comparison, Domain, Event, Expr, Lasso, Linear, Predicate, Proposition,
    Row, State, Step, System, Unit, Value, VarId, Variable,
};
use std::collections::BTreeMap;

/// Where the tokens of a place are told.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// They are the value of a variable.
    Count(VarId),
    /// There is one where the variable has this value.
    Is(VarId, Value),
}

impl Told {
    fn var(self) -> VarId {
        match self {
            Told::Count(var) | Told::Is(var, _) => var,
        }
    }

    /// How many there are, as an expression.
    fn tokens(self) -> Expr {
        match self {
            Told::Count(var) => Expr::Var(var),
            Told::Is(var, value) => Expr::Binary(
                BinaryOp::Eq,
                Box::new(Expr::Var(var)),
                Box::new(Expr::Const(value)),
            ),
        }
    }

    /// How many there are where the variable has this value.
    fn at(self, value: Value) -> Value {
        match self {
            Told::Count(_) => value,
            Told::Is(_, own) => Value::from(own == value),
        }
    }
}

/// The way back from components to places.
#[derive(Clone, Debug)]
pub struct LevelsLift {
    /// By place.
    told: Vec<Told>,
    /// By variable: the largest value.
    highest: Vec<Value>,
}

/// The net with one variable for each of `sets`, which are disjoint; `None` if it is no net, or no set has two places.
///
/// In every reachable marking each place has at most one token, and each of the sets at most one: the caller has made sure.
pub fn levels(system: &System, sets: &[Vec<VarId>]) -> Option<(System, LevelsLift)> {
    let larger = || sets.iter().filter(|set| set.len() > 1);
    if !system.is_net() || larger().next().is_none() {
        return None;
    }
    // A component stands where its first place stood, so that orders that follow the file still do.
    let mut own = BTreeMap::new();
    for set in larger() {
        let first = *set.iter().min()?;
        let values = (1..).zip(set);
        own.extend(values.map(|(value, place)| (*place, (first, value))));
    }
    let mut told: Vec<Told> = Vec::with_capacity(system.variables.len());
    let (mut variables, mut highest) = (Vec::new(), Vec::new());
    let mut components: BTreeMap<VarId, VarId> = BTreeMap::new();
    for place in system.var_ids() {
        let next = VarId(variables.len() as u32);
        let variable = &system.variables[place.index()];
        match own.get(&place) {
            None => {
                let domain = Domain::Count { bound: Some(1) };
                let name = variable.name.clone();
                variables.push(Variable { name, domain });
                highest.push(1);
                told.push(Told::Count(next));
            }
            Some((first, value)) => {
                let var = *components.entry(*first).or_insert(next);
                if var == next {
                    let name = variable.name.clone();
                    let domain = Domain::Range { low: 0, high: 0 };
                    variables.push(Variable { name, domain });
                    highest.push(0);
                }
                highest[var.index()] += 1;
                told.push(Told::Is(var, *value));
            }
        }
    }
    for var in components.into_values() {
        let high = highest[var.index()];
        variables[var.index()].domain = Domain::Range { low: 0, high };
    }
    let lift = LevelsLift { told, highest };
    let events = { system.events.iter() }
        .map(|event| lift.event(event))
        .collect::<Option<_>>()?;
    let initial = { system.initial.iter() }
        .map(|state| lift.encoded(state))
        .collect::<Option<_>>()?;
    let now = System {
        name: system.name.clone(),
        variables,
        events,
        initial,
        fault: None,
        units: system.units.iter().map(|unit| lift.unit(unit)).collect(),
    };
    Some((now, lift))
}

impl LevelsLift {
    fn unit(&self, unit: &Unit) -> Unit {
        let mut places: Vec<VarId> = Vec::new();
        for var in unit
            .places
            .iter()
            .map(|place| self.told[place.index()].var())
        {
            if !places.contains(&var) {
                places.push(var);
            }
        }
        Unit {
            places,
            subunits: unit.subunits.clone(),
        }
    }

    /// A marking as values; `None` if it has two tokens where it must not.
    fn encoded(&self, marking: &State) -> Option<State> {
        let mut values: State = vec![0; self.highest.len()].into();
        for (told, &tokens) in self.told.iter().zip(marking) {
            let value = match *told {
                _ if tokens == 0 => continue,
                Told::Count(_) => tokens,
                Told::Is(_, value) => value,
            };
            let cell = &mut values[told.var().index()];
            if tokens != 1 || *cell != 0 {
                return None;
            }
            *cell = value;
        }
        Some(values)
    }

    /// The marking of some values.
    fn decoded(&self, values: &State) -> State {
        let tokens = |told: &Told| told.at(values[told.var().index()]);
        self.told.iter().map(tokens).collect()
    }

    fn event(&self, event: &Event) -> Option<Event> {
        let Action::Net(arcs) = &event.action else {
            return None;
        };
        let (vars, row): (Vec<VarId>, Row) = match self.row(arcs) {
            Some(cells) => {
                let row = cells.values().map(|cell| Some(*cell)).collect();
                (cells.into_keys().collect(), row)
            }
            None => {
                let name = event.name.clone();
                let (vars, rows) = (Vec::new(), Vec::new());
                let action = Action::Table { vars, rows };
                return Some(Event { name, action });
            }
        };
        let rows = vec![row];
        Some(Event {
            name: event.name.clone(),
            action: Action::Table { vars, rows },
        })
    }

    /// What a transition does to each variable that it touches; `None` if it is never enabled.
    fn row(&self, arcs: &[Arc]) -> Option<BTreeMap<VarId, (Value, Value)>> {
        // The place of each variable that is needed, with whether it stays; and the place that is filled.
        let mut before: BTreeMap<VarId, (Value, bool)> = BTreeMap::new();
        let mut after: BTreeMap<VarId, Value> = BTreeMap::new();
        for arc in arcs {
            let (var, value) = match self.told[arc.var.index()] {
                Told::Count(var) => (var, 1),
                Told::Is(var, value) => (var, value),
            };
            let clash = match (arc.need, arc.delta) {
                (0, 0) => false,
                (1, 0) => before.insert(var, (value, true)).is_some(),
                (1, -1) => before.insert(var, (value, false)).is_some(),
                (0, 1) => after.insert(var, value).is_some(),
                _ => true,
            };
            if clash {
                return None;
            }
        }
        let mut cells = BTreeMap::new();
        for (var, (value, stays)) in before {
            let cell = match (stays, after.remove(&var)) {
                (true, Some(_)) => return None,
                (true, None) => (value, value),
                (false, filled) => (value, filled.unwrap_or(0)),
            };
            cells.insert(var, cell);
        }
        cells.extend(after.into_iter().map(|(var, value)| (var, (0, value))));
        Some(cells)
    }

    fn predicate(&self, predicate: &Predicate) -> Option<Predicate> {
        let all = |list: &[Predicate]| -> Option<Vec<Predicate>> {
            list.iter().map(|inner| self.predicate(inner)).collect()
        };
        Some(match predicate {
            Predicate::Linear(linear) => self.linear(linear)?,
            Predicate::Expr(expr) => Predicate::Expr(self.expression(expr)?),
            Predicate::Not(inner) => Predicate::Not(Box::new(self.predicate(inner)?)),
            Predicate::And(list) => Predicate::And(all(list)?),
            Predicate::Or(list) => Predicate::Or(all(list)?),
            Predicate::Const(_) | Predicate::Enabled(_) | Predicate::Deadlock => predicate.clone(),
        })
    }

    /// A comparison of a sum: by cases where it is about one variable, else as an expression.
    fn linear(&self, linear: &Linear) -> Option<Predicate> {
        let told = |place: VarId| self.told[place.index()];
        if let Some((first, _)) = linear.terms.first()
            && let var = told(*first).var()
            && linear
                .terms
                .iter()
                .all(|(place, _)| told(*place).var() == var)
        {
            let holds = |value: &Value| {
                let terms = linear.terms.iter();
                let terms = terms.map(|(place, weight)| {
                    i128::from(*weight) * i128::from(told(*place).at(*value))
                });
                let sum: i128 = terms.sum();
                linear.comparison.holds(sum, i128::from(linear.constant))
            };
            let values = (0..=self.highest[var.index()]).filter(holds);
            let is = values.map(|value| Predicate::compare(var, Comparison::Eq, value));
            return Some(Predicate::Or(is.collect()));
        }
        if { linear.terms.iter() }.all(|(place, _)| matches!(told(*place), Told::Count(_))) {
            let terms = linear.terms.iter();
            let terms = terms.map(|(place, weight)| (told(*place).var(), *weight));
            return Some(Predicate::Linear(Linear {
                terms: terms.collect(),
                ..*linear
            }));
        }
        // Expressions have 32 bits.
        let weights = linear.terms.iter().map(|(_, weight)| *weight);
        let most = { weights.chain([linear.constant]) }
            .try_fold(0, |sum: Value, w| sum.checked_add(w.checked_abs()?))?;
        i32::try_from(most).ok()?;
        let binary = |op, x, y| Expr::Binary(op, Box::new(x), Box::new(y));
        let sum = linear
            .terms
            .iter()
            .fold(Expr::Const(0), |sum, (place, weight)| {
                let weighted = binary(BinaryOp::Mul, Expr::Const(*weight), told(*place).tokens());
                binary(BinaryOp::Add, sum, weighted)
            });
        let comparison = match linear.comparison {
            Comparison::Eq => BinaryOp::Eq,
            Comparison::Ne => BinaryOp::Ne,
            Comparison::Lt => BinaryOp::Lt,
            Comparison::Le => BinaryOp::Le,
            Comparison::Gt => BinaryOp::Gt,
            Comparison::Ge => BinaryOp::Ge,
        };
        let constant = Expr::Const(linear.constant);
        Some(Predicate::Expr(binary(comparison, sum, constant)))
    }

    fn expression(&self, expr: &Expr) -> Option<Expr> {
        Some(match expr {
            Expr::Const(value) => Expr::Const(*value),
            Expr::Var(place) => self.told[place.index()].tokens(),
            // Elements would have to lie side by side.
            Expr::Element { .. } => return None,
            Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(self.expression(operand)?)),
            Expr::Binary(op, left, right) => Expr::Binary(
                *op,
                Box::new(self.expression(left)?),
                Box::new(self.expression(right)?),
            ),
        })
    }
}

impl Lift for LevelsLift {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        match proposition {
            Proposition::State(predicate) => self.predicate(predicate).map(Proposition::State),
            Proposition::Fires(events) => Some(Proposition::Fires(events.clone())),
        }
    }

    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        if lasso.growth.is_some() {
            return Err(Astray::Defect("a component that grows".to_owned()));
        }
        let steps = |steps: Vec<Step>| {
            let step = |step: Step| Step {
                event: step.event,
                state: self.decoded(&step.state),
            };
            steps.into_iter().map(step).collect()
        };
        Ok(Lasso {
            initial: self.decoded(&lasso.initial),
            prefix: steps(lasso.prefix),
            cycle: steps(lasso.cycle),
            growth: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::EventId;

    fn place(name: &str) -> Variable {
        Variable {
            name: name.to_owned(),
            domain: Domain::Count { bound: None },
        }
    }

    fn event(name: &str, arcs: &[(u32, Value, Value)]) -> Event {
        let arc = |&(var, need, delta): &(u32, Value, Value)| Arc {
            var: VarId(var),
            need,
            delta,
        };
        Event {
            name: name.to_owned(),
            action: Action::Net(arcs.iter().map(arc).collect()),
        }
    }

    /// Places 0, 2 and 3 exclude each other; place 1 is apart.
    fn net() -> System {
        System {
            variables: ["a", "free", "b", "c"].map(place).into(),
            events: vec![
                event("moves", &[(0, 1, -1), (2, 0, 1)]),
                event("leaves", &[(1, 1, 0), (2, 1, -1)]),
                event("enters", &[(1, 0, 1), (3, 0, 1)]),
                event("reads", &[(3, 1, 0)]),
                event("needs two", &[(0, 1, 0), (2, 1, 0)]),
                event("fills two", &[(0, 0, 1), (2, 0, 1)]),
                event("reads and fills", &[(0, 1, 0), (2, 0, 1)]),
                event("needs too much", &[(1, 2, -2)]),
                event("empties two", &[(0, 1, -1), (2, 1, -1)]),
            ],
            initial: vec![vec![0, 1, 1, 0].into()],
            ..System::default()
        }
    }

    #[test]
    fn every_event_is_a_row_or_never_possible() {
        let sets = [vec![VarId(0), VarId(2), VarId(3)], vec![VarId(1)]];
        let (now, lift) = levels(&net(), &sets).unwrap();
        assert_eq!(now.variables.len(), 2);
        assert_eq!(now.variables[0].domain, Domain::Range { low: 0, high: 3 });
        assert_eq!(now.initial, [vec![2, 1].into()]);
        let rows = now.events.iter().map(|event| match &event.action {
            Action::Table { vars, rows } => (vars.len(), rows.clone()),
            other => panic!("{other:?}"),
        });
        let row = |cells: &[(Value, Value)]| vec![cells.iter().map(|c| Some(*c)).collect::<Row>()];
        let expected = [
            (1, row(&[(1, 2)])),
            (2, row(&[(2, 0), (1, 1)])),
            (2, row(&[(0, 3), (0, 1)])),
            (1, row(&[(3, 3)])),
            (0, vec![]),
            (0, vec![]),
            (0, vec![]),
            (0, vec![]),
            (0, vec![]),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
        let back = lift.decoded(&vec![3, 0].into());
        assert_eq!(back, vec![0, 0, 0, 1].into());
    }

    #[test]
    fn sums_become_cases_or_expressions() {
        let sets = [vec![VarId(0), VarId(2), VarId(3)]];
        let (now, lift) = levels(&net(), &sets).unwrap();
        let linear = |terms: &[(u32, Value)], comparison, constant| {
            Predicate::Linear(Linear {
                terms: terms.iter().map(|(v, c)| (VarId(*v), *c)).collect(),
                comparison,
                constant,
            })
        };
        let asked = [
            linear(&[(2, 1)], Comparison::Ge, 1),
            linear(&[(0, 2), (3, -1)], Comparison::Lt, 1),
            linear(&[(0, 1), (1, 1)], Comparison::Eq, 1),
            linear(&[(0, 2), (1, -1)], Comparison::Ne, 1),
            linear(&[(0, 2), (1, -1)], Comparison::Lt, 1),
            linear(&[(0, 2), (1, -1)], Comparison::Le, 1),
            linear(&[(0, 2), (1, -1)], Comparison::Gt, 1),
            linear(&[(0, 2), (1, -1)], Comparison::Ge, 1),
            linear(&[(1, 1)], Comparison::Ge, 1),
            linear(&[], Comparison::Le, 0),
        ];
        for (value, free) in (0..4).flat_map(|v| [(v, 0), (v, 1)]) {
            let state: State = vec![value, free].into();
            let before = lift.decoded(&state);
            for predicate in &asked {
                let told = lift.predicate(predicate).unwrap();
                let both = [net().holds(predicate, &before), now.holds(&told, &state)];
                assert_eq!(both[0], both[1], "{predicate:?} in {state:?}");
            }
        }
        let much = linear(&[(0, 1), (1, 1)], Comparison::Le, Value::MAX);
        assert!(lift.predicate(&much).is_none());
        let heavy = linear(&[(0, 1 << 30), (1, 1 << 30)], Comparison::Le, 1 << 30);
        assert!(lift.predicate(&heavy).is_none());
        let element = Expr::Element {
            first: VarId(0),
            len: 2,
            index: Box::new(Expr::Const(0)),
        };
        assert!(lift.predicate(&Predicate::Expr(element)).is_none());
    }

    #[test]
    fn runs_come_back_as_markings_and_nothing_grows() {
        let (now, lift) = levels(&net(), &[vec![VarId(0), VarId(2), VarId(3)]]).unwrap();
        let state = now.successors(&now.initial[0], EventId(1)).pop().unwrap();
        let stutter = Step {
            event: None,
            state: state.clone(),
        };
        let event = Some(EventId(1));
        let mut lasso = Lasso {
            initial: now.initial[0].clone(),
            prefix: vec![Step { event, state }],
            cycle: vec![stutter],
            growth: None,
        };
        let back = lift.back(lasso.clone()).unwrap();
        assert_eq!(back.initial, net().initial[0]);
        assert_eq!(back.prefix[0].state, vec![0, 1, 0, 0].into());
        lasso.growth = Some(vec![0, 1].into());
        assert!(lift.back(lasso).is_err());
    }

    #[test]
    fn sets_of_one_place_are_none() {
        assert!(levels(&net(), &[vec![VarId(1)]]).is_none());
        let mut marked = net();
        marked.initial = vec![vec![1, 0, 1, 0].into()];
        let sets = [vec![VarId(0), VarId(2)]];
        assert!(levels(&marked, &sets).is_none());
        // Nor are places with two tokens safe, in a set or not.
        for initial in [[2, 0, 0, 0], [0, 2, 0, 0]] {
            marked.initial = vec![initial.into()];
            assert!(levels(&marked, &sets).is_none());
        }
    }
}
