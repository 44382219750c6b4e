//! From a property to a verdict: prepare → run → replay → shorten → replay.

use crate::auto::{self, Schedule};
use crate::explored::Explored;
use crate::fair_run::Met;
use crate::finish::finished;
use crate::partial::doubt;
use crate::plan::Plan;
use crate::prepare::prepare;
use crate::reduce::{Reduce, Reduced, reduced};
use crate::run::Run;
use crate::shortening::Shortening;
use crate::subject::{Property, Subject};
use crate::verdict::{Reason, Verdict};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Figure, Observer, RunContext, Statistic, Stop};
use lariat_engines::testing_automata::Construction;
use lariat_engines::{Account, Found, Invariance, Outcome, Problem, Workers, product_size};
use lariat_ltl::{AtomId, Formulas};
use lariat_model::{Constraint, Deadlock, EvidenceKind, Lasso, Predicate, Proposition, Value};
use lariat_reductions::{Astray, Removed, Rules};
use lariat_space::symbolic::OrderChoice;
use std::time::Duration;

/// Who decides.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Several plans, chosen by the property and the net, until one decides.
    Auto(Schedule),
    /// One plan.
    Plan(Plan),
}

impl Default for Choice {
    fn default() -> Choice {
        Choice::Auto(Schedule::default())
    }
}

impl From<Plan> for Choice {
    fn from(plan: Plan) -> Choice {
        Choice::Plan(plan)
    }
}

impl Choice {
    /// The name by which `auto` is asked for.
    pub const AUTO: &str = "auto";

    /// The name by which it is asked for.
    pub fn name(&self) -> &'static str {
        match self {
            Choice::Auto(_) => Choice::AUTO,
            Choice::Plan(plan) => plan.name,
        }
    }
}

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Who decides.
    pub choice: Choice,
    /// The order of the variables in diagrams.
    pub order: OrderChoice,
    /// What happens at deadlocks.
    pub deadlock: Deadlock,
    /// What is made smaller before.
    pub reduce: Reduce,
    /// Also count the whole product, of which a check that finds something sees a part.
    pub whole_product: bool,
    /// What a short counterexample is worth.
    pub shortening: Shortening,
    /// How many workers `auto` lets search single states together, where there are many. With several, who answers may depend on
    /// who comes first.
    pub workers: Workers,
    /// What the model claims of itself, for engines that come to see all states: see [`Account::claims`]. Of nets nothing is claimed.
    pub claims: Vec<Predicate>,
}

impl Options {
    /// Do the options go together? If not, a sentence says why.
    pub fn validate(&self) -> Result<(), String> {
        let counts = match &self.choice {
            Choice::Auto(_) => false,
            Choice::Plan(plan) => {
                plan.validate()?;
                if plan.divides()
                    && matches!(self.reduce, Reduce::Only(rules) if rules != Rules::NONE)
                {
                    let name = plan.name;
                    return Err(format!(
                        "`{name}` divides by symmetries of the net as it was read, which reductions do not keep"
                    ));
                }
                plan.has_single_states()
            }
        };
        if self.whole_product && !counts {
            let name = self.choice.name();
            return Err(format!(
                "whole products are counted of single states (`explicit`, `ba`, `ta`, `tgta`), not by `{name}`"
            ));
        }
        Ok(())
    }
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

/// Something that is true of all runs, and that was used instead of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What is true, in a sentence.
    pub says: String,
    /// Its certificate: inequalities that hold of every reachable marking, or a ranking function. Empty if it is plain.
    pub because: Vec<String>,
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
    /// The fairness that was assumed, as it was asked for.
    pub fairness: Vec<String>,
    /// Where a violating run meets each constraint of fairness, by the constraint's name.
    pub met: Vec<(String, Met)>,
    /// If the property holds for no good reason: which.
    pub vacuous: Option<&'static str>,
    /// What reductions did to the net before the engine saw it.
    pub passes: Vec<Removed>,
    /// What `auto` tried; empty if an engine was asked for by name.
    pub trail: Vec<Attempt>,
    /// What `auto` found out about the net without a search, and used.
    pub facts: Vec<Fact>,
    /// What the engine told of its run, in terms of the system that it saw.
    pub account: Account,
    /// A variable that was assigned a value beyond its range, which wraps around.
    pub overflow: Option<String>,
    /// The position of a violating run after which every continuation violates the property, if it is known that there is one.
    pub bad: Option<usize>,
    /// Units of work of the search that decided.
    pub work: u64,
}

impl Report {
    /// What is said before anything was run.
    pub fn nothing_run(options: &Options) -> Report {
        Report {
            verdict: Verdict::Unknown(Reason::Inconclusive("nothing was run".to_owned())),
            engine: options.choice.name(),
            deadlock: options.deadlock,
            fairness: Vec::new(),
            met: Vec::new(),
            vacuous: None,
            passes: Vec::new(),
            trail: Vec::new(),
            facts: Vec::new(),
            account: Account::default(),
            overflow: None,
            bad: None,
            work: 0,
        }
    }
}

/// Decides one property and, where it is violated, shortens the run as far as the options ask for it. What `explored` keeps of the subject's systems serves the next property.
pub fn check<'s>(
    subject: &Subject<'s>,
    property: Property<'_>,
    options: &Options,
    explored: &mut Explored<'s>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Report {
    let report = decide(subject, property, options, explored, budget, observer);
    finished(subject, property, options, report, budget, observer)
}

/// Decides one property, and leaves what is to be said of a violating run to [`finished`]: other properties can be decided meanwhile.
pub fn decide<'s>(
    subject: &Subject<'s>,
    property: Property<'_>,
    options: &Options,
    explored: &mut Explored<'s>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Report {
    let atoms = atoms_of(subject, property);
    let query = Query::new(subject, property, &atoms, options, (budget, observer));
    let mut report = query.answer(explored);
    report.fairness.clone_from(&subject.fairness().told);
    if !matches!(report.verdict, Verdict::Holds(_)) {
        return report;
    }
    let doubt = doubt(subject, &atoms, |subject, always| {
        let query = Query {
            subject,
            formulas: subject.formulas(),
            property: Property::Formula(always),
            atoms: &subject.formulas().atoms_of(always),
            ..query
        };
        query.answer(explored).verdict
    });
    if let Some(verdict) = doubt {
        report.verdict = verdict;
    }
    report
}

/// The atoms of a property.
pub(crate) fn atoms_of(subject: &Subject<'_>, property: Property<'_>) -> Vec<AtomId> {
    match property {
        Property::Formula(formula) => subject.formulas().atoms_of(formula),
        Property::Never(automaton) => automaton.atoms.clone(),
    }
}

/// A run was found that has no way back from the reduced net as a lasso, and why.
pub(crate) struct Unliftable(pub String);

/// What is remarked before the net is searched as it was read.
pub(crate) fn once_more(why: &str) -> String {
    format!("once more without reductions: {why}")
}

/// What is remarked before whole runs are searched for.
const NOT_ENOUGH: &str = "once more: the beginning of a run was found that may not be enough";

/// Work that may be spent on whether there is any infinite run.
const VACUITY: u64 = 2_000_000;

/// One property and how it is to be checked.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a, 's> {
    pub subject: &'a Subject<'s>,
    /// The store of the property's formula.
    pub formulas: &'a Formulas,
    /// What engines are asked: the property, or one that is the same on all runs of the subject.
    pub property: Property<'a>,
    /// The atoms of the property itself, of which evidence must be right.
    pub atoms: &'a [AtomId],
    pub options: &'a Options,
    /// See [`Problem::prefixes`].
    pub prefixes: bool,
    /// For all that is done about the property.
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
}

/// One plan, and what it may spend.
pub(crate) struct Turn {
    pub plan: Plan,
    pub budget: Budget,
    /// As in [`Problem`].
    pub most_tokens: Option<Value>,
}

impl Turn {
    /// The plan may spend everything and look at every state.
    pub fn whole(plan: Plan, budget: &Budget) -> Turn {
        Turn {
            plan,
            budget: budget.clone(),
            most_tokens: None,
        }
    }
}

impl<'a, 's> Query<'a, 's> {
    /// A property as it was asked.
    pub(crate) fn new(
        subject: &'a Subject<'s>,
        property: Property<'a>,
        atoms: &'a [AtomId],
        options: &'a Options,
        (budget, observer): (&'a Budget, &'a dyn Observer),
    ) -> Query<'a, 's> {
        Query {
            subject,
            formulas: subject.formulas(),
            property,
            atoms,
            options,
            // A finite run may have no fair continuation.
            prefixes: subject.constraints().is_empty(),
            budget,
            observer,
        }
    }

    /// The answer as far as every atom has a value: what is found comes back to the original, where it is replayed.
    fn answer(&self, explored: &mut Explored<'s>) -> Report {
        let mut report = Report::nothing_run(self.options);
        let found = match &self.options.choice {
            Choice::Auto(schedule) => auto::run(self, schedule, explored, &mut report),
            Choice::Plan(plan) => self.run_reduced(*plan, explored, &mut report),
        };
        if let Ok(Outcome::Accepting(lasso)) = &found
            && self.is_too_short(lasso)
        {
            self.observer.remark(NOT_ENOUGH);
            return self.about_whole_runs().answer(explored);
        }
        report.verdict = Verdict::earn(found, |lasso| self.replayed(lasso));
        report
    }

    pub(crate) fn replayed(&self, lasso: Lasso) -> Result<Lasso, String> {
        let deadlock = self.options.deadlock;
        self.subject.replayed(self.property, deadlock, lasso)
    }

    /// The same question, of which the beginning of a run is no evidence.
    pub(crate) fn about_whole_runs(&self) -> Self {
        Query {
            prefixes: false,
            ..*self
        }
    }

    /// What the property says besides what an automaton for it reads: covering runs have to settle that as well.
    pub(crate) fn unread(&self, automaton: &Automaton) -> Vec<Proposition> {
        let atoms = self.atoms.iter();
        let unread = atoms.filter(|atom| !automaton.atoms.contains(atom));
        let meaning = |atom: &AtomId| self.subject.propositions()[atom.index()].clone();
        unread.map(meaning).collect()
    }

    /// Is the run the beginning of one, of which the property alone does not tell that it is enough? The automaton may have been made with what is known of the net, or accept
    /// whatever follows where a look at the formula does not show it.
    pub(crate) fn is_too_short(&self, lasso: &Lasso) -> bool {
        self.prefixes
            && lasso.kind() != EvidenceKind::Lasso
            && self.replayed(lasso.clone()).is_err()
    }

    /// One plan on the net that reductions leave or, if a run has no way back from there, on the net itself.
    fn run_reduced(&self, plan: Plan, explored: &mut Explored<'s>, report: &mut Report) -> Found {
        let turn = Turn::whole(plan, self.budget);
        let (subject, property) = (self.subject, self.property);
        if let Some(Reduced { subject, removed }) =
            reduced(subject, property, self.options, explored, self.budget)?
        {
            report.passes = removed;
            let on_reduced = Query {
                subject: &subject,
                ..*self
            };
            match on_reduced.run(&turn, explored, report) {
                Ok(found) => return found,
                Err(Unliftable(why)) => {
                    self.observer.remark(&once_more(&why));
                    report.passes.clear();
                }
            }
        }
        let found = self.run(&turn, explored, report);
        found.unwrap_or_else(|Unliftable(why)| Err(Stop::Internal(why)))
    }

    /// Searches for a violating run with one plan, and carries it back to the original.
    pub fn run(
        &self,
        turn: &Turn,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Result<Found, Unliftable> {
        let lasso = match self.search(turn, explored, report) {
            Ok(Outcome::Accepting(lasso)) => lasso,
            found => return Ok(found),
        };
        match self.subject.lifted(lasso) {
            Ok(lasso) => match self.is_evidence(&lasso) {
                true => Ok(Ok(Outcome::Accepting(lasso))),
                false if self.prefixes => {
                    self.observer.remark(NOT_ENOUGH);
                    self.about_whole_runs().run(turn, explored, report)
                }
                // Facts may have left an atom out which is constant, and of which a covering run does not show it.
                false => Err(Unliftable(
                    "an atom may change as tokens pile up".to_owned(),
                )),
            },
            Err(Astray::Unliftable(why)) => Err(Unliftable(why)),
            Err(Astray::Defect(why)) => Ok(Err(Stop::Internal(why))),
        }
    }

    /// Does a run of the original show by itself that the property is violated? What repeats has to be the same in every round, unless how the run
    /// begins decides.
    fn is_evidence(&self, lasso: &Lasso) -> bool {
        let decides = || {
            let Query {
                formulas, property, ..
            } = *self;
            self.prefixes && self.subject.decides(formulas, property, lasso)
        };
        match lasso.kind() {
            EvidenceKind::Lasso => true,
            EvidenceKind::Covering => self.subject.settles(self.atoms, lasso) || decides(),
            EvidenceKind::Prefix => decides(),
        }
    }

    /// Searches for a violating run of the subject's last system.
    fn search(&self, turn: &Turn, explored: &mut Explored<'s>, report: &mut Report) -> Found {
        let Turn { plan, budget, .. } = turn;
        budget.check()?;
        report.engine = plan.name;
        self.observer.engine(plan.name);
        report.account = Account::default();
        let deadlock = self.options.deadlock;
        let prepared = prepare(self.subject, self.formulas, self.property, plan, budget)?;
        let system = self.subject.system();
        let (automaton, propositions) = (&*prepared.automaton, &prepared.propositions);
        let mut problem = Problem::new(system, automaton, propositions, deadlock)
            .assuming(&prepared.fairness)
            .knowing(prepared.invariance());
        problem.most_tokens = turn.most_tokens;
        problem.prefixes = self.prefixes;
        if !system.is_net() {
            problem.claims = &self.options.claims;
        }
        let symmetry = if plan.divides() {
            Some(explored.symmetry(self.subject, budget)?)
        } else {
            None
        };
        problem.symmetry = symmetry.as_deref();
        problem.unread = self.unread(automaton);
        let run = Run {
            plan,
            order: &self.options.order,
            budget,
            shared: self.budget,
            observer: self.observer,
        };
        let found = run.decide(&problem, system, explored, &mut report.account);
        let name = |var| system.variable(var).name.clone();
        report.overflow = report.account.overflow.map(name);
        report.work = budget.work_spent();
        let outcome = match found? {
            Outcome::Accepting(lasso) if !report.passes.is_empty() => {
                let work = report.work.max(product_states(&report.account));
                Outcome::Accepting(self.shortened(&problem, lasso, work))
            }
            outcome => outcome,
        };
        let construction = Construction::of(&plan.variant);
        let ctx = RunContext::new(budget, self.observer);
        if self.options.whole_product
            && let Ok(size) = product_size(&problem, plan.automaton, construction, ctx)
        {
            let stats = &mut report.account.stats;
            stats.set(Statistic::FULL_STATES, size.nodes);
            stats.set(Statistic::FULL_EDGES, size.edges);
        }
        // Fairness of events leaves every finite run a fair continuation; that something recurs may be asking too much.
        let demanding =
            |constraint: &Constraint| !matches!(constraint.enabled, Predicate::Enabled(_));
        let assumed = &self.subject.fairness().constraints;
        let may_be_vacuous = deadlock == Deadlock::Ignore || assumed.iter().any(demanding);
        if outcome == Outcome::Empty && may_be_vacuous {
            report.vacuous = self.vacuous(plan, explored);
        }
        Ok(outcome)
    }

    /// Without any run that counts a formula and its negation hold alike; the user should know. Running
    /// out of something here takes nothing from the verdict, and there is a limit: on an unbounded
    /// net that has no cycle the search would not end.
    fn vacuous(&self, plan: &Plan, explored: &mut Explored<'s>) -> Option<&'static str> {
        // Every word is accepted: single states need no other automaton, and must all be looked at.
        let single = Plan::of("explicit");
        let plan = if plan.has_single_states() {
            &single
        } else {
            plan
        };
        let anything = Automaton::universal();
        let system = self.subject.system();
        let invariance = Invariance {
            letters: true,
            silent: true,
            states: &[true],
        };
        let any_run = Problem::new(system, &anything, &[], self.options.deadlock)
            .assuming(self.subject.constraints())
            .knowing(invariance);
        let budget = self.budget.clone().with_work(VACUITY);
        let run = Run {
            plan,
            order: &self.options.order,
            budget: &budget,
            shared: &budget,
            observer: self.observer,
        };
        let found = run.decide(&any_run, system, explored, &mut Account::default());
        let nothing = match self.subject.constraints() {
            [] => "no infinite run",
            _ => "no fair run",
        };
        (found == Ok(Outcome::Empty)).then_some(nothing)
    }
}

/// Nodes of the product that an engine says it has explored.
pub(crate) fn product_states(account: &Account) -> u64 {
    match account.stats.get(Statistic::PRODUCT_STATES) {
        Some(Figure::Count(count)) => *count,
        _ => 0,
    }
}
