//! `lariat simulate`: runs a model step by step, in a terminal or in a page.
//!
//! Commands are lines on stdin, so that a session can also be a file. An unknown command prints a
//! message and changes nothing.

use crate::args::Simulate;
use crate::view::{page_subject, write};
use crate::{Exit, Failure, input, out, traces};
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::{Errors, EventId, Names, PropertyList, Proposition, State, suggestion};
use lariat::internals::ltl::{Formula, Formulas, Node, Random, holds};
use lariat::internals::{Budget, Deadlock, ShownModel, changes, marking};
use lariat_draw::page::{PageEntry, can_be_run, page};
use lariat_draw::run::{self, DrawnRun, NameIndex};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// Default limit on the steps of `until`.
const UNTIL_STEPS: usize = 1000;
/// Limit on the events listed at a state.
const LISTED: usize = 40;

const HELP: &str = "\
  NUMBER or NAME     take that event
  u [N]              undo a step, or N
  r [N]              a random step, or N
  until WHAT [, N]   random steps until WHAT holds, at most N (1000); WHAT: a formula without X, F, G, U
  s                  the whole state
  l                  the steps so far
  w FILE             save the run; `lariat view FILE` shows it
  q                  quit
";

/// A model and its run so far.
struct Session<'m> {
    model: &'m LoadedModel,
    /// The model with the names that output uses.
    shown: &'m LoadedModel,
    name: String,
    run: DrawnRun,
    random: Random,
}

/// The enabled events, each with a successor state.
type Moves = Vec<(EventId, State)>;

pub(crate) fn run(args: &Simulate) -> Result<Exit, Failure> {
    let budget = input::plain_budget(&args.limits);
    let mut model = input::watched_model(&args.model, &budget)?;
    args.shown.apply(&mut model);
    let name = args.model.display().to_string();
    let Some(initial) = model.system.initial.first() else {
        return Err(Failure::new("this model has no initial state"));
    };
    let start = match &args.from {
        Some(path) => resumed(path, &model, &budget)?,
        None => DrawnRun::at(initial.clone()),
    };
    if let Some(path) = &args.html {
        return write_page(args, &model, start, (path, &budget));
    }
    if !args.formulas.is_empty() {
        let why = "--formula needs --html; in a terminal use `until`";
        return Err(Failure::new(why));
    }
    let mut session = Session {
        model: &model,
        shown: &model.shown(),
        name,
        run: start,
        random: Random::new(args.seed),
    };
    let interactive = std::io::stdin().is_terminal();
    out::text(&session.state_and_moves(interactive))?;
    for line in std::io::stdin().lock().lines() {
        let failed = |error| Failure::new(format!("cannot read the next line: {error}"));
        let line = line.map_err(failed)?;
        match session.execute(line.trim()) {
            Some(answer) => out::text(&answer)?,
            None => break,
        }
        if interactive {
            out::text("> ")?;
        }
    }
    Ok(Exit::Fine)
}

/// Reads the run to continue from a file.
fn resumed(path: &Path, model: &LoadedModel, budget: &Budget) -> Result<DrawnRun, Failure> {
    let objects = traces::read(path, budget)?;
    let first = objects.first().and_then(traces::run).unwrap_or(&Json::Null);
    let run = NameIndex::new(&model.system).run(first, budget);
    let mut run = run.map_err(traces::no_run)?;
    let astray = run.astray(&model.system, Deadlock::Stutter, budget);
    if let Some(step) = astray.map_err(Failure::Undecided)? {
        let why = format!("step {step} of the trace is not possible in this model");
        return Err(Failure::new(why));
    }
    // A simulation has no stutter steps; it continues from the end of the loop.
    while run.events.last() == Some(&None) {
        run.events.pop();
        run.states.pop();
    }
    Ok(DrawnRun {
        kind: run::RunKind::Finite,
        prefix: run.events.len(),
        growth: None,
        bad: None,
        ..run
    })
}

/// Writes the page that simulates the model.
fn write_page(
    args: &Simulate,
    model: &LoadedModel,
    start: DrawnRun,
    (path, budget): (&Path, &Budget),
) -> Result<Exit, Failure> {
    if !can_be_run(&model.system) {
        return Err(Failure::new(
            "this model is too large to be simulated in a page, or has numbers beyond 2^53\n  = help: omit --html to simulate it in the terminal",
        ));
    }
    let mut properties = PropertyList::new();
    let mut errors = Errors::default();
    for text in &args.formulas {
        errors.note(properties.add_formula(&model.names(), "formula", None, text));
    }
    errors.into_result()?;
    let entry = |formula| PageEntry {
        run: Some(start.clone()),
        formula,
        ..PageEntry::default()
    };
    let formulas = properties.list.iter().map(|property| property.formula);
    let mut told: Vec<PageEntry> = formulas.map(|formula| entry(Some(formula))).collect();
    if told.is_empty() {
        told.push(entry(None));
    }
    let shown = ShownModel::of(model, &properties);
    let name = args.model.display().to_string();
    let subject = page_subject(&name, model, &properties, shown.as_ref());
    let budget = input::for_page(budget, budget.time_left());
    write(path, &page(&subject, &told, &budget))?;
    Ok(Exit::Fine)
}

impl Session<'_> {
    fn state(&self) -> &State {
        &self.run.states[self.run.states.len() - 1]
    }

    fn moves(&self) -> Moves {
        let system = &self.model.system;
        let from = |event| {
            let states = system.successors(self.state(), event).into_iter();
            states.map(move |state| (event, state))
        };
        system.event_ids().flat_map(from).collect()
    }

    fn take(&mut self, (event, state): (EventId, State)) {
        self.run.events.push(Some(event));
        self.run.states.push(state);
        self.run.prefix = self.run.events.len();
    }

    fn undo(&mut self, steps: usize) {
        let left = self.run.events.len().saturating_sub(steps);
        self.run.events.truncate(left);
        self.run.states.truncate(left + 1);
        self.run.prefix = left;
    }

    /// The current state and the enabled events.
    fn state_and_moves(&self, interactive: bool) -> String {
        let system = &self.shown.system;
        let number = self.run.events.len();
        let mut text = match self.run.states.len() {
            1 => format!("{number}: {}\n", marking(system, self.state(), false)),
            n => {
                let event = self.run.events[n - 2].map_or("nothing", |e| &system.event(e).name);
                let mut changed = changes(system, &self.run.states[n - 2], self.state());
                if changed.is_empty() {
                    changed = "changes nothing".to_owned();
                }
                format!("{number}: {event}  {changed}\n")
            }
        };
        let moves = self.moves();
        if moves.is_empty() {
            text.push_str("   no event is enabled: a deadlock\n");
        }
        let listed = &moves[..moves.len().min(LISTED)];
        let names = listed.iter().map(|(event, _)| &system.event(*event).name);
        let wide = names.map(|name| name.chars().count()).max();
        let wide = wide.unwrap_or(0).min(40);
        for (i, (event, to)) in listed.iter().enumerate() {
            let name = &system.event(*event).name;
            let changed = changes(system, self.state(), to);
            let _ = writeln!(text, "  {:>3}  {name:wide$}  {changed}", i + 1);
        }
        let more = moves.len() - listed.len();
        if more > 0 {
            let _ = writeln!(text, "       and {more} more; type a name");
        }
        if interactive && number == 0 {
            text.push_str("? for help\n> ");
        }
        text
    }

    /// Executes a command line; `None` quits.
    fn execute(&mut self, line: &str) -> Option<String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let count = match rest {
            "" => Ok(1),
            number => number.parse::<usize>(),
        };
        Some(match (word, count) {
            ("q" | "quit" | "exit", _) => return None,
            ("?" | "h" | "help", _) => HELP.to_owned(),
            ("", _) => self.state_and_moves(false),
            ("s", _) => format!("{}\n", marking(&self.shown.system, self.state(), true)),
            ("l", _) => self.steps(),
            ("w", _) => self.save(rest),
            ("until", _) => self.until(rest),
            ("u", Ok(steps)) => {
                self.undo(steps);
                self.state_and_moves(false)
            }
            ("r", Ok(steps)) => {
                let done = self.random_steps(steps, &|_| false);
                self.with_end(done < steps)
            }
            ("u" | "r", Err(_)) => format!("`{rest}` is not a number\n"),
            _ => self.named(line),
        })
    }

    /// Takes the event with this number or name.
    fn named(&mut self, text: &str) -> String {
        let moves = self.moves();
        if let Ok(number) = text.parse::<usize>() {
            return match number.checked_sub(1).and_then(|i| moves.get(i).cloned()) {
                Some(step) => {
                    self.take(step);
                    self.state_and_moves(false)
                }
                None => format!("there is no number {number}\n"),
            };
        }
        let system = &self.shown.system;
        let name = |event: &EventId| system.event(*event).name.as_str();
        let id = |event: &EventId| self.model.system.event(*event).name.as_str();
        let is_meant = |event: &EventId| name(event) == text || id(event) == text;
        let mut meant = moves.iter().filter(|(event, _)| is_meant(event));
        match (meant.next().cloned(), meant.next()) {
            (Some(step), None) => {
                self.take(step);
                self.state_and_moves(false)
            }
            (Some(_), Some(_)) => format!("`{text}` has several successors: type a number\n"),
            (None, _) if system.event_ids().any(|event| is_meant(&event)) => {
                format!("`{text}` is not enabled here\n")
            }
            (None, _) => {
                let near = suggestion(text, moves.iter().map(|(event, _)| name(event)));
                let near = near.map_or(String::new(), |near| format!("; {near}"));
                format!("`{text}` is not an event, number or command{near}; ? for help\n")
            }
        }
    }

    /// Takes random steps until `goal` holds; returns the number of steps, at most `most`.
    fn random_steps(&mut self, most: usize, goal: &dyn Fn(&Session<'_>) -> bool) -> usize {
        for done in 0..most {
            if goal(self) {
                return done;
            }
            match self.random.clone().pick(&self.moves()).cloned() {
                Some(step) => {
                    self.random.bits();
                    self.take(step);
                }
                None => return done,
            }
        }
        most
    }

    /// The state after random steps, with a note if a deadlock ended them.
    fn with_end(&self, early: bool) -> String {
        let end = "a deadlock ends the run\n";
        self.state_and_moves(false) + if early { end } else { "" }
    }

    fn until(&mut self, text: &str) -> String {
        let (what, most) = match text.rsplit_once(',') {
            Some((what, number)) if number.trim().parse::<usize>().is_ok() => {
                (what, number.trim().parse().unwrap_or(UNTIL_STEPS))
            }
            _ => (text, UNTIL_STEPS),
        };
        let goal = match Goal::read(&self.model.names(), what) {
            Ok(goal) => goal,
            Err(why) => return format!("{why}\n"),
        };
        let before = self.run.events.len();
        if !goal.holds(self) {
            self.random_steps(most, &|session| goal.holds(session));
        }
        let steps = self.run.events.len() - before;
        let holds = if goal.holds(self) {
            "holds"
        } else {
            "does not hold"
        };
        format!(
            "{}{what} {holds} after {steps} steps\n",
            self.state_and_moves(false)
        )
    }

    fn steps(&self) -> String {
        let system = &self.shown.system;
        let mut text = format!("0: {}\n", marking(system, &self.run.states[0], false));
        let steps = self.run.events.iter().zip(self.run.states.windows(2));
        for (i, (event, pair)) in steps.enumerate() {
            let event = event.map_or("nothing", |event| &system.event(event).name);
            let changed = changes(system, &pair[0], &pair[1]);
            let _ = writeln!(text, "{}: {event}  {changed}", i + 1);
        }
        text
    }

    fn save(&self, path: &str) -> String {
        if path.is_empty() {
            return "missing file name: w FILE\n".to_owned();
        }
        let object = json!({
            "schema": 1,
            "model": self.name,
            "run": run::write(&self.model.system, &self.run),
        });
        match std::fs::write(path, format!("{object}\n")) {
            Ok(()) => format!("{path}\n"),
            Err(error) => format!("cannot write {path}: {error}\n"),
        }
    }
}

/// The condition of `until`: a formula without temporal operators.
struct Goal {
    formulas: Formulas,
    propositions: Vec<Proposition>,
    formula: Formula,
}

impl Goal {
    fn read(names: &Names<'_>, text: &str) -> Result<Goal, String> {
        let mut properties = PropertyList::new();
        let added = properties.add_formula(names, "until", None, text);
        added.map_err(|error| error.to_string())?;
        let property = properties.list.last();
        let formula = property.ok_or("missing formula after `until`")?.formula;
        let formulas = properties.formulas;
        let temporal = |f: &Formula| {
            !matches!(
                formulas.node(*f),
                Node::True
                    | Node::False
                    | Node::Atom(_)
                    | Node::Not(_)
                    | Node::And(_)
                    | Node::Or(_)
                    | Node::Implies(_)
                    | Node::Iff(_)
                    | Node::Xor(_)
            )
        };
        if formulas.subformulas(formula).iter().any(temporal) {
            Err("`until` takes a formula without X, F, G and U".to_owned())
        } else {
            Ok(Goal {
                formula,
                propositions: properties.propositions,
                formulas,
            })
        }
    }

    /// Returns whether it holds in the current state; `fires(t)` is true if t was the last step.
    fn holds(&self, session: &Session<'_>) -> bool {
        let system = &session.model.system;
        holds(&self.formulas, self.formula, 0, 1, |_, atom| {
            match &self.propositions[atom.index()] {
                Proposition::State(predicate) => system.holds(predicate, session.state()),
                Proposition::Fires(events) => {
                    let last = session.run.events.last().copied().flatten();
                    last.is_some_and(|last| events.contains(&last))
                }
            }
        })
    }
}
