//! From a property to a verdict: plan → run → replay.

use crate::auto;
use crate::engine::{Choice, Tuning};
use crate::explored::Explored;
use crate::prepare::prepare;
use crate::replay::{self, replay};
use crate::verdict::{Reason, Verdict};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::{Invariance, Outcome, Problem};
use lariat_ltl::{Formula, Formulas};
use lariat_model::coloured::ColouredNet;
use lariat_model::{Deadlock, Lasso, Proposition, State, Step, System, Value};
use std::time::Duration;

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine.
    pub engine: Choice,
    /// What can be changed about it.
    pub tuning: Tuning,
    /// What happens at deadlocks.
    pub deadlock: Deadlock,
}

/// What is to be checked of a system.
#[derive(Clone, Copy, Debug)]
pub enum Property<'a> {
    /// Every run satisfies the formula.
    Formula(Formula),
    /// No run is accepted: the automaton is that of the *negated* property.
    Never(&'a Automaton),
}

/// A model with the vocabulary of its properties.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The model.
    pub system: &'a System,
    /// The coloured net that it is the unfolding of, if it is one.
    pub coloured: Option<&'a ColouredNet>,
    /// The store of the formulas.
    pub formulas: &'a Formulas,
    /// What the atoms mean, by their ids.
    pub propositions: &'a [Proposition],
}

/// One engine that `auto` tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Its name.
    pub engine: &'static str,
    /// How it ended: `decided`, or `gave up: …`.
    pub outcome: String,
    /// Why it was chosen.
    pub why: String,
    /// Units of work that it did.
    pub work: u64,
    /// How long it took.
    pub time: Duration,
}

/// The answer to one property, with how it was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// The deadlock policy it is about.
    pub deadlock: Deadlock,
    /// If the property holds for no good reason: which.
    pub vacuous: Option<&'static str>,
    /// What `auto` tried; empty if an engine was asked for by name.
    pub trail: Vec<Attempt>,
    /// What was counted.
    pub stats: Stats,
}

/// Decides one property. What `explored` keeps of the subject's system serves the next property.
pub fn check(
    subject: &Subject<'_>,
    property: Property<'_>,
    options: &Options,
    explored: &mut Explored<'_>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Report {
    let mut report = Report {
        verdict: Verdict::Unknown(Reason::Inconclusive("nothing was run".to_owned())),
        engine: options.engine.name(),
        deadlock: options.deadlock,
        vacuous: None,
        trail: Vec::new(),
        stats: Stats::default(),
    };
    let query = Query {
        subject,
        property,
        options,
        budget,
        observer,
    };
    let found = match options.engine {
        Choice::Auto => auto::run(&query, explored, &mut report),
        choice => query.run(choice, None, explored, budget, &mut report),
    };
    report.verdict = Verdict::earn(found, |lasso| {
        let lasso = rolled_back(lasso);
        let property = match property {
            Property::Formula(formula) => replay::Property::Formula(subject.formulas, formula),
            Property::Never(automaton) => replay::Property::Never(automaton),
        };
        replay(
            subject.system,
            subject.propositions,
            property,
            options.deadlock,
            &lasso,
        )?;
        if let Some(net) = subject.coloured {
            net.replay(subject.system, &lasso)?;
        }
        Ok(lasso)
    });
    report
}

/// The same run with its loop begun as early as possible: while the last step of the prefix is also
/// the last one of the loop, from the same state, the loop may as well start before it.
fn rolled_back(mut lasso: Lasso) -> Lasso {
    while let ([.., last], [.., closing]) = (&lasso.prefix[..], &lasso.cycle[..]) {
        let source = |steps: &[Step], first: &State| match steps {
            [.., before, _] => before.state.clone(),
            _ => first.clone(),
        };
        let same = last == closing
            && source(&lasso.prefix, &lasso.initial) == source(&lasso.cycle, &closing.state);
        if !same {
            break;
        }
        lasso.prefix.pop();
        lasso.cycle.rotate_right(1);
    }
    lasso
}

/// Work that may be spent on whether there is any infinite run.
const VACUITY: u64 = 2_000_000;

/// One property and how it is to be checked.
pub(crate) struct Query<'a> {
    pub subject: &'a Subject<'a>,
    pub property: Property<'a>,
    pub options: &'a Options,
    /// For all that is done about the property.
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
}

impl Query<'_> {
    /// Searches for a violating run with one engine; `most_tokens` as in [`Problem`].
    pub fn run(
        &self,
        choice: Choice,
        most_tokens: Option<Value>,
        explored: &mut Explored<'_>,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<Outcome<Lasso>, Stop> {
        budget.check()?;
        report.engine = choice.name();
        report.stats = Stats::default();
        let Options {
            tuning, deadlock, ..
        } = self.options;
        let prepared = prepare(
            self.subject,
            self.property,
            choice.needs(tuning),
            tuning.published,
            budget,
        )?;
        let automaton = &*prepared.automaton;
        let kind = choice.kind(tuning);
        report.stats.set("automaton_kind", kind.name().to_owned());
        // An engine that reads another kind replaces these.
        report.stats.set("automaton_states", automaton.states.len());
        report.stats.set("automaton_edges", automaton.edge_count());
        report
            .stats
            .set("automaton_marks", u64::from(automaton.mark_count));
        let problem = Problem {
            system: self.subject.system,
            automaton,
            propositions: &prepared.propositions,
            deadlock: *deadlock,
            invariance: prepared.invariance(),
            most_tokens,
        };
        let stats = &mut report.stats;
        let outcome = choice.run(tuning, &problem, explored, budget, self.observer, stats)?;
        if tuning.whole_product
            && let Ok(size) = kind.product_size(&problem, budget, self.observer)
        {
            stats.set("full_states", size.nodes);
            stats.set("full_edges", size.edges);
        }
        if outcome == Outcome::Empty && *deadlock == Deadlock::Ignore {
            report.vacuous = self.vacuous(choice, explored);
        }
        Ok(outcome)
    }

    /// Without any infinite run a formula and its negation hold alike; the user should know. Running
    /// out of something here takes nothing from the verdict, and there is a limit: on an unbounded
    /// net that has no cycle the search would not end.
    fn vacuous(&self, choice: Choice, explored: &mut Explored<'_>) -> Option<&'static str> {
        let anything = Automaton::universal();
        let any_run = Problem {
            system: self.subject.system,
            automaton: &anything,
            propositions: &[],
            deadlock: Deadlock::Ignore,
            invariance: Invariance {
                letters: true,
                silent: true,
                states: &[],
            },
            most_tokens: None,
        };
        let found = choice.run(
            &self.options.tuning,
            &any_run,
            explored,
            &self.budget.clone().with_work(VACUITY),
            self.observer,
            &mut Stats::default(),
        );
        (found == Ok(Outcome::Empty)).then_some("no infinite run")
    }
}
