//! `lariat check`.

use crate::answered::{Answered, answered, finished};
use crate::args::{Check, Volume, Without};
use crate::cluster::{Part, take_part};
use crate::program::Mistakes;
use crate::progress::Lines;
use crate::tasks::{Sources, Task, tasks};
use crate::view::Page;
use crate::{Exit, Failure, input, out, program, reach, vacuity};
use anstyle::{AnsiColor, Style};
use lariat::formats::Model;
use lariat::ltl::Formulas;
use lariat::model::{Modality, Properties};
use lariat::report::{self, Context};
use lariat::{
    Agreement, Attempt, Choice, Company, Decided, Idle, LeftOut, Options, Proofs, Reason, Reduce,
    Removed, Report, Rules, Schedule, Shelf, Shortening, Stop, Subject, System, Systems, Variant,
    Verdict, Workers, side_by_side,
};
use lariat_draw::run::Index;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn run(mut args: Check) -> Result<Exit, Failure> {
    let start = Instant::now();
    let asker = match take_part(&args.team, args.threads, &args.model, &mut args.limits)? {
        Part::Break(exit) => return Ok(exit),
        Part::Continue(asker) => asker,
    };
    if let Some(asker) = &asker {
        if !matches!(args.engine, Choice::Auto(_)) {
            return Err(Failure::new(format!(
                "`{}` holds its states in one process; leave --engine or --hosts out",
                args.engine.name()
            )));
        }
        args.engine = asker.plan().into();
        // One property after the other: workers are busy with one.
        args.threads = Some(NonZeroUsize::MIN);
    }
    let args = Arc::new(args);
    let mut options = options(&args)?;
    let (budget, cancel) = input::budget(&args.limits);
    let reading = input::for_property(&budget, &args.limits);
    let time = args.limits.timeout.map(|time| time.0);
    let sources = Sources::read(&args, &input::for_texts(&budget, time))?;
    let model = match input::watched_model(&args.model, &reading) {
        Err(Failure::Undecided(stop)) => return unread(&args, &sources, stop, start),
        model => Arc::new(model?),
    };
    let (own, texts) = (Arc::clone(&args), sources.clone());
    let names = Arc::clone(&model);
    let bound = input::supervised(&reading, move || tasks(&own, &texts, &names));
    let (properties, tasks) = match bound {
        Err(Failure::Undecided(stop)) => return unread(&args, &sources, stop, start),
        bound => bound?,
    };
    if tasks.len() == 1 {
        search_together(&args, &mut options);
    }
    let systems = Systems::new();
    let subject = Subject::new(&model, &properties);
    let mistakes = program::mistakes(&model, &budget, time);
    options.claims = mistakes.open();
    let threads = threads(args.threads);
    // What is left where there are fewer properties than threads goes to each, if threads were asked for: not every product gains.
    let left = match args.threads {
        Some(_) => threads.get() / tasks.len().max(1),
        None => 1,
    };
    let mut answers = Answers {
        args: &args,
        file: args.model.display().to_string(),
        model: &model,
        properties: &properties,
        index: Index::new(&model.system),
        trace: args.trace.as_deref().map(Trace::create).transpose()?,
        page: args.html.as_deref().map(Page::create).transpose()?,
        mistakes,
        company: match (tasks.len(), &args.engine) {
            _ if threads == NonZeroUsize::MIN => Company::Nobody,
            (2.., _) => Company::Questions,
            (_, Choice::Auto(_)) => Company::Helpers,
            _ if left > 1 => Company::Helpers,
            _ => Company::Nobody,
        },
        worst: Exit::Fine,
    };
    let lines = Lines::new(args.volume());
    let starved = |answered: &Answered| {
        let verdict = &answered.report.verdict;
        matches!(verdict, Verdict::Unknown(Reason::Stopped(Stop::Memory)))
    };
    let each = NonZeroUsize::new(left).unwrap_or(NonZeroUsize::MIN);
    let idle = Idle::new(threads.get());
    let budget = budget.with_threads(each).with_idle(&idle);
    side_by_side(
        &tasks,
        (&idle, &Shelf::new(&systems)),
        |task, explored| {
            let subject = subject.clone().assuming(task.fairness.clone());
            let (of, line) = ((&*args, &options, &properties), &lines.add());
            let answered = answered(task, of, &subject, explored, (&budget, line));
            match answered.may_wait(&options, &model.system) {
                Some(steps) => Decided::Unfinished(answered, steps),
                None => Decided::Answer(finished(
                    task,
                    (&args, &options),
                    &subject,
                    answered,
                    (&budget, line),
                )),
            }
        },
        |task, answered| {
            let subject = subject.clone().assuming(task.fairness.clone());
            let of = (&*args, &options);
            finished(task, of, &subject, answered, (&budget, &lines.add()))
        },
        starved,
        |at, answered| lines.aside(|| answers.tell(&tasks[at], answered)),
    )?;
    drop(lines);
    if let Some(asker) = asker {
        asker.dismiss();
    }
    let mut worst = answers.finish()?;
    if cancel.is_pressed() {
        worst = worst.max(Exit::Interrupted);
    }
    Ok(worst)
}

/// From so many processors on several workers search together without having been asked to: they look at many edges twice, so that two gain
/// little.
const MANY: usize = 4;

/// One property for several threads: its states are searched together, where the engine can.
fn search_together(args: &Check, options: &mut Options) {
    let threads = threads(args.threads);
    let workers = Workers::new(threads);
    let are_many = threads.get() >= MANY;
    match &mut options.choice {
        Choice::Plan(plan) if plan.works_together() && (are_many || args.threads.is_some()) => {
            *plan = plan.by(workers);
        }
        Choice::Auto(_) if are_many => options.workers = workers,
        _ => {}
    }
}

/// The threads that are asked for: by default as many as there are processors. Also for `mcc`.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// What becomes of answers: they are printed, and go into the trace and onto the page.
struct Answers<'a> {
    args: &'a Check,
    file: String,
    model: &'a Model,
    properties: &'a Properties,
    index: Index<'a>,
    trace: Option<Trace<'a>>,
    page: Option<Page<'a>>,
    mistakes: Mistakes,
    company: Company,
    worst: Exit,
}

impl Answers<'_> {
    fn tell(&mut self, task: &Task, answered: Answered) -> Result<(), Failure> {
        let Answered {
            report,
            took,
            opinion,
            vacuous,
            ..
        } = &answered;
        let context = Context {
            model: &self.file,
            property: &task.name,
            formula: &task.text,
            system: &self.model.system,
            formulas: &self.properties.formulas,
            propositions: &self.properties.propositions,
            atoms: &task.atoms,
            seconds: took.as_secs_f64(),
            company: self.company,
        };
        self.mistakes.add(&report.account, report.overflow.as_ref());
        self.worst = self.worst.max(task.exit(&report.verdict));
        let mut answer = report::json(report, &context);
        reach::enter(&mut answer, task.modality);
        self.mistakes.enter(&mut answer);
        vacuity::enter(&mut answer, &self.properties.formulas, vacuous);
        if let Some(opinion) = opinion {
            opinion.enter(&mut answer);
        }
        let mut notes = answered.notes(&self.properties.formulas);
        notes.extend(reach::note(task.modality));
        let told = (report, task.modality);
        tell(self.args, told, &context, (&answer, &notes))?;
        if let Some(opinion) = opinion
            && opinion.agreement == Agreement::Different
        {
            opinion.complain(&task.name);
        }
        if let (Some(trace), Verdict::Violated(_)) = (&mut self.trace, &report.verdict)
            && task.modality != Some(Modality::Some)
        {
            trace.add(&answer);
        }
        if let Some(page) = &mut self.page {
            page.add(&self.index, answer, task.question.formula(), &task.atoms)?;
        }
        Ok(())
    }

    /// Writes what waits for the last answer, and tells how the worst of them ends.
    fn finish(self) -> Result<Exit, Failure> {
        if let Some(page) = self.page {
            page.finish(&lariat_draw::page::Subject {
                name: &self.file,
                model: self.model,
                formulas: &self.properties.formulas,
                propositions: &self.properties.propositions,
            })?;
        }
        if self.args.volume() != Volume::Silent {
            self.mistakes.tell_where_it_ended();
        }
        let failed = self.trace.is_some_and(|trace| trace.has_failed);
        Ok(if failed {
            self.worst.max(Exit::Input)
        } else {
            self.worst
        })
    }
}

/// Prints the answer to one property.
fn tell(
    args: &Check,
    (report, modality): (&Report, Option<Modality>),
    context: &Context<'_>,
    (answer, notes): (&Json, &[String]),
) -> Result<(), Failure> {
    if args.json {
        out::data(&format!("{answer}\n"))
    } else {
        out::text(&text(args, (report, modality), context, notes))
    }
}

/// Answers every property when the model or the properties could not be read within the limits: each
/// is unknown.
fn unread(args: &Check, sources: &Sources, stop: Stop, start: Instant) -> Result<Exit, Failure> {
    let mut outline = sources.outline();
    if !args.select.is_empty() {
        outline.list.retain(|(name, _)| args.select.contains(name));
    }
    crate::warn(&format!("{stop}, while reading"));
    let exit = Exit::of_stop(&stop);
    let report = Report {
        verdict: Verdict::Unknown(Reason::Stopped(stop)),
        ..Report::nothing_run(&options(args)?)
    };
    let (nothing, formulas) = (System::default(), Formulas::new());
    for (name, text) in &outline.list {
        let context = Context {
            model: &args.model.display().to_string(),
            property: name,
            formula: text,
            system: &nothing,
            formulas: &formulas,
            propositions: &[],
            atoms: &[],
            seconds: start.elapsed().as_secs_f64(),
            company: Company::Nobody,
        };
        let answer = report::json(&report, &context);
        tell(args, (&report, None), &context, (&answer, &[]))?;
    }
    Ok(exit)
}

/// What the arguments ask for, if it goes together.
pub(crate) fn options(args: &Check) -> Result<Options, Failure> {
    let (mut rules, mut proofs, mut techniques) = (Vec::new(), Vec::new(), Vec::new());
    for without in &args.without {
        match without {
            Without::Rule(rule) => rules.push(*rule),
            Without::Proof(proof) => proofs.push(*proof),
            Without::Technique(technique) => techniques.push(*technique),
        }
    }
    let variant = Variant {
        published: args.published,
        proofs: Proofs::without(&proofs),
        recurring: args.recurring,
        reachable_first: args.reachable_first,
        doubts: args.no_fallback,
        ..Variant::default()
    };
    let choice = match &args.engine {
        Choice::Auto(_) => {
            let axis = [
                (args.automaton_kind.is_some(), "the kind of automaton"),
                (args.emptiness.is_some(), "the emptiness check"),
                (variant != Variant::default(), "the variant"),
            ];
            if let Some((_, what)) = axis.iter().find(|(given, _)| *given) {
                return Err(Failure::new(format!(
                    "`auto` chooses {what} too; name an engine"
                )));
            }
            Choice::Auto(Schedule {
                without: LeftOut::of(&techniques),
                ..Schedule::default()
            })
        }
        Choice::Plan(preset) => {
            if let Some(technique) = techniques.first() {
                return Err(Failure::new(format!(
                    "`{}` is a technique of `auto`; `{}` has none to do without",
                    technique.name(),
                    preset.name
                )));
            }
            let mut plan = preset.as_variant(variant);
            if let Some(kind) = args.automaton_kind {
                plan = plan.reading(kind);
            }
            if let Some(emptiness) = args.emptiness {
                plan = plan.checked_by(emptiness);
            }
            Choice::Plan(plan)
        }
    };
    let reduces = args.reduce || matches!(choice, Choice::Auto(_));
    if !rules.is_empty() && (args.no_reduce || !reduces) {
        return Err(Failure::new(format!(
            "`{}` gets the net as it was read, and there is no reduction to do without; see --reduce",
            choice.name()
        )));
    }
    let reduce = match (args.no_reduce, args.reduce, reduces) {
        (true, ..) => Reduce::Only(Rules::NONE),
        (false, true, _) => Reduce::Only(Rules::all().but(&rules)),
        (false, false, true) => Reduce::Only(Rules::usual().but(&rules)),
        (false, false, false) => Reduce::Usual,
    };
    let options = Options {
        choice,
        order: args.order.clone(),
        deadlock: args.deadlock,
        reduce,
        whole_product: args.whole_product,
        workers: Workers::ONE,
        shortening: match (args.shortest, args.as_found) {
            (true, _) => Shortening::Insist,
            (false, true) => Shortening::Never,
            (false, false) => Shortening::Counted,
        },
        claims: Vec::new(),
    };
    options.validate().map_err(Failure::new)?;
    Ok(options)
}

/// A file of counterexamples. Verdicts do not depend on it: if it cannot be written, that is said once.
struct Trace<'a> {
    path: &'a Path,
    file: File,
    has_failed: bool,
}

impl Trace<'_> {
    fn create(path: &Path) -> Result<Trace<'_>, Failure> {
        match File::create(path) {
            Ok(file) => Ok(Trace {
                path,
                file,
                has_failed: false,
            }),
            Err(error) => Err(Failure::new(cannot_write(path, &error))),
        }
    }

    fn add(&mut self, answer: &Json) {
        if self.has_failed {
            return;
        }
        if let Err(error) = writeln!(self.file, "{answer}") {
            crate::complain(&cannot_write(self.path, &error));
            self.has_failed = true;
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

pub(crate) fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Holds(_) => Exit::Fine,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown(Reason::Internal(_)) => Exit::Internal,
        Verdict::Unknown(Reason::Stopped(Stop::Interrupted)) => Exit::Interrupted,
        Verdict::Unknown(_) => Exit::Undecided,
    }
}

/// What a rule did to a net.
pub(crate) fn in_words(removed: &Removed) -> String {
    let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut parts = Vec::new();
    if removed.places > 0 {
        parts.push(format!("{} less", count(removed.places as u64, "place")));
    }
    let events = count(removed.events.unsigned_abs(), "transition");
    match removed.events {
        0 => {}
        1.. => parts.push(format!("{events} less")),
        _ => parts.push(format!("{events} more")),
    }
    format!("{}: {}", removed.rule.name(), parts.join(", "))
}

/// The report for a person: verdict first, then how and why.
fn text(
    args: &Check,
    (report, modality): (&Report, Option<Modality>),
    context: &Context<'_>,
    notes: &[String],
) -> String {
    let (colour, word) = match reach::holds(modality, &report.verdict) {
        Some(true) => (AnsiColor::Green, "HOLDS   "),
        Some(false) => (AnsiColor::Red, "VIOLATED"),
        None => (AnsiColor::Yellow, "UNKNOWN "),
    };
    let (bold, dim) = (colour.on_default().bold(), Style::new().dimmed());
    let Context {
        property, formula, ..
    } = *context;
    let mut text = format!("{bold}{word}{bold:#}  {property}: {formula}");
    if args.quiet {
        if let Verdict::Unknown(reason) = &report.verdict {
            let _ = write!(text, "  {dim}[{reason}]{dim:#}");
        }
        return text + "\n";
    }
    let summary = report::summary(report, context);
    let _ = writeln!(text, "  {dim}[{summary}]{dim:#}");
    for note in notes {
        let _ = writeln!(text, "  {note}");
    }
    text += &report::text(report, context, args.full);
    if args.explain {
        // Between joint steps the net as it was read may pass markings that the reduced one does not have.
        let of = if report.passes.is_empty() {
            "fact"
        } else {
            "fact about the reduced net"
        };
        for fact in &report.facts {
            let _ = writeln!(text, "  {dim}{of}: {}{dim:#}", fact.says);
            for reason in &fact.because {
                let _ = writeln!(text, "  {dim}        because {reason}{dim:#}");
            }
        }
    }
    if args.verbose {
        for removed in &report.passes {
            let _ = writeln!(text, "  {dim}reduced: {}{dim:#}", in_words(removed));
        }
        for attempt in &report.trail {
            let Attempt {
                engine,
                outcome,
                why,
                time,
                ..
            } = attempt;
            let seconds = time.as_secs_f64();
            let _ = writeln!(
                text,
                "  {dim}auto: {engine} — {why}; {outcome} ({seconds:.3} s){dim:#}"
            );
        }
        if let Some(order) = &report.account.order {
            let _ = writeln!(text, "  {dim}{:>18} {order}{dim:#}", "order");
        }
        for (name, figure) in report.account.stats.iter() {
            let _ = writeln!(text, "  {dim}{name:>18} {figure}{dim:#}");
        }
    }
    text
}
