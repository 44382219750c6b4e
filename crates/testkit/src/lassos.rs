//! Evaluation of formulas on lassos, validation of lassos, and a second brute-force check.
//!
//! A lasso has finitely many positions, the last followed by the first of the loop. The value of a
//! formula is a vector over them: `U` and `M` are least fixpoints, `R` and `W` greatest ones, each
//! from its expansion law, and no operator is reduced to another.

use crate::fairness::Ledger;
use crate::formulas::{Ltl, Op1, Op2};
use crate::interpret;
use crate::oracle::Reachable;
use lariat_corpora::Random;
use lariat_model::{Constraint, Deadlock, EventId, Lasso, Proposition, State, Step, System};

/// Returns whether the word, whose last letter is followed by letter `back`, satisfies the formula.
pub fn evaluate(formula: &Ltl, letters: &[u64], back: usize) -> bool {
    truth(formula, letters, back)[0]
}

fn truth(formula: &Ltl, letters: &[u64], back: usize) -> Vec<bool> {
    let n = letters.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { back };
    match formula {
        Ltl::Const(b) => vec![*b; n],
        Ltl::Atom(a) => letters.iter().map(|l| l >> a & 1 == 1).collect(),
        Ltl::Unary(op, f) => {
            let f = truth(f, letters, back);
            match op {
                Op1::Not => f.iter().map(|x| !x).collect(),
                Op1::Next => (0..n).map(|i| f[next(i)]).collect(),
                Op1::Finally => fixpoint(false, n, next, |i, later| f[i] || later),
                Op1::Globally => fixpoint(true, n, next, |i, later| f[i] && later),
            }
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (truth(f, letters, back), truth(g, letters, back));
            let each = |op: fn(bool, bool) -> bool| (0..n).map(|i| op(f[i], g[i])).collect();
            match op {
                Op2::And => each(|f, g| f && g),
                Op2::Or => each(|f, g| f || g),
                Op2::Implies => each(|f, g| !f || g),
                Op2::Iff => each(|f, g| f == g),
                Op2::Xor => each(|f, g| f != g),
                Op2::Until => fixpoint(false, n, next, |i, later| g[i] || f[i] && later),
                Op2::WeakUntil => fixpoint(true, n, next, |i, later| g[i] || f[i] && later),
                Op2::Release => fixpoint(true, n, next, |i, later| g[i] && (f[i] || later)),
                Op2::StrongRelease => fixpoint(false, n, next, |i, later| g[i] && (f[i] || later)),
            }
        }
    }
}

fn fixpoint(
    start: bool,
    n: usize,
    next: impl Fn(usize) -> usize,
    law: impl Fn(usize, bool) -> bool,
) -> Vec<bool> {
    let mut values = vec![start; n];
    loop {
        let mut changed = false;
        for i in (0..n).rev() {
            let value = law(i, values[next(i)]);
            changed |= value != values[i];
            values[i] = value;
        }
        if !changed {
            return values;
        }
    }
}

/// Checks that a lasso is a run of the system and violates the formula; the error gives the reason.
pub fn check(
    lasso: &Lasso,
    system: &System,
    propositions: &[Proposition],
    deadlock: Deadlock,
    formula: &Ltl,
) -> Result<(), String> {
    let letters = follow(lasso, system, propositions, deadlock)?;
    if lasso.cycle.is_empty() {
        return check_bad_prefix(lasso, system, propositions, deadlock, formula, &letters);
    }
    if evaluate(formula, &letters, letters.len() - lasso.cycle.len()) {
        Err("the run satisfies the formula".to_owned())
    } else {
        Ok(())
    }
}

/// Checks that a loop satisfies every constraint; the error names one that it violates.
pub fn is_fair(lasso: &Lasso, system: &System, fairness: &[Constraint]) -> Result<(), String> {
    let mut states = if lasso.growth.is_some() {
        unrolled(lasso, system)?
    } else {
        lasso.states()
    };
    // The last round decides.
    let before_last = match &lasso.growth {
        Some(_) => (ROUNDS - 1) * lasso.cycle.len(),
        None => lasso.prefix.len(),
    };
    states.drain(..before_last);
    let steps = states.iter().zip(&lasso.cycle);
    let ledger = steps.fold(Ledger::default(), |all, (state, step)| {
        all.and(Ledger::of(system, fairness, state, step.event))
    });
    let violated = ledger.violated(fairness);
    match (0..fairness.len()).find(|i| violated >> i & 1 == 1) {
        Some(i) => Err(format!("the loop is unfair to {}", fairness[i].name)),
        None => Ok(()),
    }
}

/// Number of random continuations of a prefix.
const CONTINUATIONS: usize = 200;

/// Tests by random continuations that every infinite word with this prefix violates the formula.
/// Continuations begin with a letter of the last state. Later letters combine the atoms of any
/// event with any values of state atoms, whether or not the system has such a step.
fn check_bad_prefix(
    lasso: &Lasso,
    system: &System,
    propositions: &[Proposition],
    deadlock: Deadlock,
    formula: &Ltl,
    letters: &[u64],
) -> Result<(), String> {
    if deadlock == Deadlock::Ignore {
        return Err("a finite run does not count under `Ignore`".to_owned());
    }
    let end = &lasso.entry();
    let events: Vec<Option<EventId>> = std::iter::once(None)
        .chain((0..system.events.len() as u32).map(|e| Some(EventId(e))))
        .collect();
    let of_events = |event: Option<EventId>| -> u64 {
        let fires = propositions.iter().enumerate().filter(|(_, p)| match p {
            Proposition::Fires(fired) => event.is_some_and(|event| fired.contains(&event)),
            Proposition::State(_) => false,
        });
        fires.map(|(i, _)| 1 << i).sum()
    };
    let states: u64 = propositions
        .iter()
        .enumerate()
        .filter(|(_, p)| matches!(p, Proposition::State(_)))
        .map(|(i, _)| 1 << i)
        .sum();
    let mut random = Random::new(letters.len() as u64);
    for turn in 0..CONTINUATIONS {
        let event = *random.pick(&events).unwrap_or(&None);
        let mut word = letters.to_vec();
        word.push(interpret::letter(system, propositions, end, event));
        let back = word.len();
        for _ in 0..1 + turn % 4 {
            let event = *random.pick(&events).unwrap_or(&None);
            word.push(random.bits() & states | of_events(event));
        }
        let back = back + random.below(word.len() - back);
        if evaluate(formula, &word, back) {
            return Err(format!(
                "a continuation satisfies the formula: {:x?}, back to {back}",
                &word[letters.len()..]
            ));
        }
    }
    Ok(())
}

/// Returns the letters along a lasso, of which the last, as many as the loop has steps, repeat
/// forever. Fails if the lasso is not a run of the system.
///
/// A covering run is unrolled for many rounds, because its letters may change in the first ones.
pub fn follow(
    lasso: &Lasso,
    system: &System,
    propositions: &[Proposition],
    deadlock: Deadlock,
) -> Result<Vec<u64>, String> {
    if !system.initial.contains(&lasso.initial) {
        return Err("it does not start in an initial state".to_owned());
    }
    let states = lasso.states();
    let (entry, end) = (&states[lasso.prefix.len()], &states[lasso.len()]);
    let mut letters = Vec::new();
    for (i, step) in lasso.steps().enumerate() {
        let (at, after) = (&states[i], &states[i + 1]);
        letters.push(interpret::letter(system, propositions, at, step.event));
        match step.event {
            Some(EventId(e)) if e as usize >= system.events.len() => {
                return Err(format!("step {i} takes an event that does not exist"));
            }
            Some(event) => {
                if !interpret::after(system, at, event).contains(after) {
                    let name = &system.events[event.index()].name;
                    return Err(format!(
                        "step {i}: `{name}` does not lead from {at:?} to {after:?}"
                    ));
                }
            }
            None => {
                if deadlock == Deadlock::Ignore {
                    return Err(format!(
                        "step {i} stutters, which is not allowed under `Ignore`"
                    ));
                }
                if !interpret::steps(system, at).is_empty() {
                    return Err(format!("step {i} stutters in {at:?}, which is not dead"));
                }
                if after != at {
                    return Err(format!("step {i} stutters and changes the state"));
                }
            }
        }
    }
    match &lasso.growth {
        _ if lasso.cycle.is_empty() => Ok(letters),
        Some(growth) => {
            letters.truncate(lasso.prefix.len());
            letters.extend(repeat(lasso, system, propositions, growth)?);
            Ok(letters)
        }
        None if end == entry => Ok(letters),
        None => Err("the loop does not close".to_owned()),
    }
}

/// Number of unrolled rounds of a covering run, after which the letters of small cases are stable.
const ROUNDS: usize = 60;

/// Returns the states of [`ROUNDS`] rounds of a covering run.
fn unrolled(lasso: &Lasso, system: &System) -> Result<Vec<State>, String> {
    let mut states: Vec<State> = vec![lasso.entry().clone()];
    let steps = lasso.cycle.iter().cycle();
    for (i, step) in steps.take(ROUNDS * lasso.cycle.len()).enumerate() {
        let event = step.event.ok_or("a covering run stutters")?;
        let next = interpret::after(system, &states[i], event).pop();
        states.push(next.ok_or_else(|| format!("step {i} of the rounds cannot be taken"))?);
    }
    Ok(states)
}

/// Returns the letters of [`ROUNDS`] rounds of a covering run; each must add `growth`.
fn repeat(
    lasso: &Lasso,
    system: &System,
    propositions: &[Proposition],
    growth: &State,
) -> Result<Vec<u64>, String> {
    if growth.iter().any(|more| *more < 0) {
        return Err("a round removes tokens".to_owned());
    }
    let states = unrolled(lasso, system)?;
    let length = lasso.cycle.len();
    for (start, end) in states.iter().zip(&states[length..]).step_by(length) {
        let sum = start.iter().zip(growth).map(|(before, more)| before + more);
        if !sum.eq(end.iter().copied()) {
            return Err(format!("the round from {start:?} does not add the growth"));
        }
    }
    let steps = states.iter().zip(lasso.cycle.iter().cycle());
    let letter =
        |(state, step): (&State, &Step)| interpret::letter(system, propositions, state, step.event);
    Ok(steps.take(states.len() - 1).map(letter).collect())
}

/// Searches for a lasso of at most `length` steps that violates the formula, among at most `most`
/// paths. Sound but incomplete: a violating lasso may be longer.
pub fn short_violation(
    system: &System,
    propositions: &[Proposition],
    graph: &Reachable,
    formula: &Ltl,
    length: usize,
    most: usize,
) -> bool {
    let letter = |s: usize, e| interpret::letter(system, propositions, &graph.states[s], e);
    let mut todo: Vec<Vec<(usize, u64, usize)>> = Vec::new();
    let mut tried = 0;
    for &s in &graph.initial {
        todo.extend(
            graph.steps[s]
                .iter()
                .map(|&(e, t)| vec![(s, letter(s, e), t)]),
        );
    }
    while let Some(path) = todo.pop() {
        tried += 1;
        if tried > most {
            return false;
        }
        let end = path[path.len() - 1].2;
        let letters: Vec<u64> = path.iter().map(|p| p.1).collect();
        for back in (0..path.len()).filter(|&i| path[i].0 == end) {
            if !evaluate(formula, &letters, back) {
                return true;
            }
        }
        if path.len() < length {
            for &(e, t) in &graph.steps[end] {
                let mut longer = path.clone();
                longer.push((end, letter(end, e), t));
                todo.push(longer);
            }
        }
    }
    false
}
