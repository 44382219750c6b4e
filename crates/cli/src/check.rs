//! `lariat check`.

use crate::args::{Check, Volume, Without};
use crate::artifacts::Artifacts;
use crate::cluster::{Participation, take_part};
use crate::cross::complain_of_contradiction;
use crate::layout::layout;
use crate::pending::Answers;
use crate::progress::{ProgressLines, grouped};
use crate::sources::Sources;
use crate::view::{Page, page_subject};
use crate::{Exit, Failure, input, out, watch};
use anstyle::{AnsiColor, Style};
use lariat::internals::formats::LoadedModel;
use lariat::internals::{
    AbsenceProofs, Agreement, Attempt, Budget, CheckOptions, EngineChoice, Faults, LeftOut,
    ReductionChoice, Removed, Rules, Schedule, Shortening, ShownModel, Statistic, Technique,
    Variant, Workers,
};
use lariat::{CheckEvent, Checker, Model, Properties, Reason, Report, Stop, Verdict};
use lariat_draw::run::NameIndex;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) fn run(mut args: Check) -> Result<Exit, Failure> {
    if args.watch {
        return watch::run(&args);
    }
    let start = Instant::now();
    let asker = match take_part(&args.team, args.threads, &args.model, &mut args.limits)? {
        Participation::Break(exit) => return Ok(exit),
        Participation::Continue(asker) => asker,
    };
    if let Some(asker) = &asker {
        if !matches!(args.engine, EngineChoice::Auto(_)) {
            return Err(Failure::new(format!(
                "`{}` stores its states in one process; omit --engine or --hosts",
                args.engine.name()
            )));
        }
        args.engine = asker.plan().into();
        // The workers of the other processes check one property at a time.
        args.threads = Some(NonZeroUsize::MIN);
    }
    let args = Arc::new(args);
    let options = options(&args)?;
    let limits = input::limits(&args.limits);
    let (budget, dog) = (limits.budget, limits.dog);
    let reading = input::for_property(&budget, &args.limits);
    let time = args.limits.timeout.map(|time| time.0);
    // Reading has its own watch: the main thread abandons a reader that is late.
    dog.watch(PREPARATION, time.map(|time| time.saturating_add(READING)));
    let sources = Sources::read(&args, &budget)?;
    {
        let (args, options, sources) = (Arc::clone(&args), options.clone(), sources.clone());
        dog.last_words(move |stop| {
            // A failure to write is reported by the exit status of an undecided command.
            unread(&args, &options, &sources, stop, start).unwrap_or(Exit::Undecided)
        });
    }
    let give_up = |stop: Stop| {
        dog.take_over();
        unread(&args, &options, &sources, &stop, start)
    };
    let (model, properties) = match read(&args, &sources, &reading) {
        Err(Failure::Undecided(stop)) => return give_up(stop),
        read => read?,
    };
    let lines = ProgressLines::new(args.volume());
    let observers = || lines.add_boxed();
    let checker = checker(&args, model, &observers)
        .options(options.clone())
        .budget(budget.clone());
    let answers = Answers::new(&args, &options, &properties, &dog);
    let mut printer = Printer::new(&args, model, &properties, &answers, &budget)?;
    let mut printed = Ok(());
    checker.check_events(&properties, |event| {
        if let CheckEvent::Started { property, phases } = &event {
            dog.forget(PREPARATION);
            let phases = phases.clone();
            let phase = move || phases.current().map(|phase| phase.name().to_owned());
            dog.watch_phases(property, time, phase);
        }
        match &event {
            CheckEvent::Postponed(property) => dog.forget(property),
            CheckEvent::Report(report) => dog.forget(report.name()),
            _ => {}
        }
        // Other properties may wait for the output of this one.
        printed = dog.pause(|| lines.aside(|| printer.print(event)));
        out::flow(&printed)
    })?;
    drop(lines);
    dog.forget(PREPARATION);
    dog.watch("the page", Some(PAGE));
    if let Some(asker) = asker {
        asker.dismiss();
    }
    // Also if the reader of stdout has left.
    let has_failed = printer.artifacts.finish();
    printed?;
    let mut worst = printer.finish()?;
    if has_failed {
        worst = worst.max(Exit::Input);
    }
    if limits.cancel.is_pressed() {
        worst = worst.max(Exit::Interrupted);
    }
    Ok(worst)
}

/// Reads the model and binds the properties. The quotient of a coloured net has no fairness, no names
/// of colours and no symmetries of colours; a check that asks for them unfolds the net, as does
/// `--without symmetries`.
fn read(
    args: &Arc<Check>,
    sources: &Sources,
    budget: &Budget,
) -> Result<(&'static Model, Properties<'static>), Failure> {
    let bound = |loaded: LoadedModel| {
        let mut loaded = loaded;
        args.shown.apply(&mut loaded);
        // The model lives as long as the process: a thread that binds its properties may be
        // abandoned.
        let name = args.model.display().to_string();
        let model = Model::from_loaded(&name, Arc::new(loaded));
        let model: &'static Model = Box::leak(Box::new(model));
        let (own, texts) = (Arc::clone(args), sources.clone());
        let properties = input::supervised(budget, move || texts.bind(&own, model))?;
        Ok((model, properties))
    };
    let is_fair = !(args.weak_fair.is_empty() && args.strong_fair.is_empty());
    let is_off = |off: &Without| matches!(off, Without::Technique(Technique::Symmetries));
    let unfolds =
        is_fair || args.without.iter().any(is_off) || matches!(args.engine.name(), "sym" | "ssp");
    if !unfolds {
        let loaded = input::watched_quotient(&args.model, budget)?;
        let is_quotient = loaded.quotient.is_some();
        match bound(loaded) {
            Err(Failure::Input(_)) if is_quotient => {}
            bound => return bound,
        }
    }
    bound(input::watched_model(&args.model, budget)?)
}

/// The name of everything before the first property, for the watchdog.
const PREPARATION: &str = "the preparation";
/// Time beyond the limit for reading the texts of properties.
const READING: Duration = Duration::from_millis(500);
/// Time for writing the page after the last verdict.
const PAGE: Duration = Duration::from_secs(2);

/// Builds the checker from the arguments.
fn checker<'m>(
    args: &Check,
    model: &'m Model,
    observers: &'m lariat::ObserverFactory<'m>,
) -> Checker<'m> {
    let mut checker = Checker::new(model)
        .cross_check(args.cross_check)
        .vacuity(!args.no_vacuity)
        .observers(observers);
    if let Some(time) = args.limits.timeout {
        checker = checker.timeout(time.0);
    }
    match args.threads {
        Some(count) => checker.threads(count),
        None => checker.default_threads(threads(None)),
    }
}

/// The number of threads: as many as there are processors by default.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// Prints reports, and collects them for the trace file and the page.
struct Printer<'a> {
    args: &'a Check,
    model: &'a Model,
    properties: &'a Properties<'a>,
    index: NameIndex<'a>,
    trace: Option<TraceFile<'a>>,
    page: Option<Page<'a>>,
    artifacts: Artifacts<'a>,
    faults: Option<Faults>,
    /// Properties whose verdict was printed before their report.
    early: HashSet<String>,
    /// The property whose verdict was printed last.
    last: Option<String>,
    answers: &'a Answers,
}

impl<'a> Printer<'a> {
    fn new(
        args: &'a Check,
        model: &'a Model,
        properties: &'a Properties<'a>,
        answers: &'a Answers,
        budget: &Budget,
    ) -> Result<Printer<'a>, Failure> {
        let timeout = args.limits.timeout.map(|time| time.0);
        let page = |path| Page::create(path, budget, timeout);
        let named = properties.iter();
        let named = named.map(|p| (p.name().to_owned(), p.text().to_owned()));
        Ok(Printer {
            args,
            model,
            properties,
            index: NameIndex::new(&model.loaded().system),
            trace: args.trace.as_deref().map(TraceFile::create).transpose()?,
            page: args.html.as_deref().map(page).transpose()?,
            artifacts: Artifacts::create(args, named)?,
            faults: None,
            early: HashSet::new(),
            last: None,
            answers,
        })
    }

    /// Prints an event: the verdict line as soon as it is known, the rest with the final report.
    /// JSON consists of final reports only.
    fn print(&mut self, event: CheckEvent) -> Result<(), Failure> {
        match event {
            CheckEvent::Verdict(report) => {
                self.warn(&report);
                self.artifacts.add(&report);
                if self.args.json {
                    return self.answers.print_verdict(&report, "");
                }
                self.early.insert(report.name().to_owned());
                self.last = Some(report.name().to_owned());
                let line = verdict_line(self.args, &report);
                self.answers.print_verdict(&report, &line)
            }
            CheckEvent::Report(report) => self.print_report(&report),
            _ => Ok(()),
        }
    }

    fn print_report(&mut self, report: &Report) -> Result<(), Failure> {
        self.warn(report);
        self.artifacts.add(report);
        if self.args.json {
            let line = || out::data_line(|out| report.write_json_line(out));
            self.answers.print_report(report, line)?;
        } else {
            let mut text = String::new();
            let details = details(self.args, report);
            if !self.early.remove(report.name()) {
                text += &verdict_line(self.args, report);
                self.last = Some(report.name().to_owned());
            } else if self.last.as_deref() != Some(report.name()) && !details.is_empty() {
                let _ = writeln!(text, "{}:", report.name());
            }
            text += &details;
            self.answers.print_report(report, || out::text(&text))?;
        }
        if let Some(check) = report.cross_check()
            && check.agreement == Agreement::Different
        {
            complain_of_contradiction(report.name(), check);
        }
        if let (Some(trace), Some(_)) = (&mut self.trace, report.counterexample()) {
            trace.add(report);
        }
        if let Some(page) = &mut self.page {
            let property = self.properties.find(report.name());
            page.add(&self.index, report, property);
        }
        Ok(())
    }

    /// Prints warnings about faults of the program that were found since the last report.
    fn warn(&mut self, report: &Report) {
        if let Some(faults) = report.faults() {
            let reported = |name: &str| self.properties.find(name).is_some();
            for warning in faults.new_warnings(self.faults.as_ref(), reported) {
                crate::warn(&warning);
            }
            self.faults = Some(faults.clone());
        }
    }

    /// Writes the page, and returns the exit code of the worst verdict.
    fn finish(self) -> Result<Exit, Failure> {
        if let Some(page) = self.page {
            let (loaded, bound) = (self.model.loaded(), self.properties.bound());
            let shown = ShownModel::of(loaded, bound);
            page.finish(&page_subject(
                self.model.name(),
                loaded,
                bound,
                shown.as_ref(),
            ))?;
        }
        if self.args.volume() != Volume::Silent
            && let Some(states) = self.faults.and_then(|faults| faults.incomplete_after())
        {
            let what = if self.args.no_faults {
                "failing assertions, errors and overflow"
            } else {
                "errors and overflow"
            };
            crate::remark(&format!(
                "searched {} states for {what}; `lariat ask {} faults` searches all",
                grouped(states),
                self.args.model.display()
            ));
        }
        let failed = self.trace.is_some_and(|trace| trace.has_failed);
        let of_trace = if failed { Exit::Input } else { Exit::Fine };
        Ok(self.answers.worst().max(of_trace))
    }
}

/// Reports every property as unknown when the model or the properties could not be read within the
/// limits.
fn unread(
    args: &Check,
    options: &CheckOptions,
    sources: &Sources,
    stop: &Stop,
    start: Instant,
) -> Result<Exit, Failure> {
    let mut outline = sources.outline();
    if !args.select.is_empty() {
        outline.list.retain(|(name, _)| args.select.contains(name));
    }
    crate::warn(&format!("{stop}, while reading"));
    let exit = Exit::of_stop(stop);
    let mut artifacts = Artifacts::create(args, outline.list.iter().cloned())?;
    for (name, text) in &outline.list {
        let file = args.model.display().to_string();
        let report = Report::unread(&file, name, text, options, stop.clone());
        let report = report.after(start.elapsed());
        artifacts.add(&report);
        if args.json {
            out::data_line(|out| report.write_json_line(out))?;
        } else {
            out::text(&(verdict_line(args, &report) + &details(args, &report)))?;
        }
    }
    let has_failed = artifacts.finish();
    Ok(if has_failed {
        exit.max(Exit::Input)
    } else {
        exit
    })
}

/// Builds the options from the arguments, if they are compatible.
pub(crate) fn options(args: &Check) -> Result<CheckOptions, Failure> {
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
        proofs: AbsenceProofs::without(&proofs),
        recurring: args.recurring,
        fixpoint: args.fixpoint,
        reachable_first: args.reachable_first,
        doubts: args.no_fallback,
        ..Variant::default()
    };
    let choice = match &args.engine {
        EngineChoice::Auto(_) => {
            let axis = [
                (args.automaton_kind.is_some(), "the kind of automaton"),
                (args.emptiness.is_some(), "the emptiness check"),
                (variant != Variant::default(), "the variant"),
            ];
            if let Some((_, what)) = axis.iter().find(|(given, _)| *given) {
                let why = format!("`auto` chooses {what} too; name an engine");
                return Err(Failure::new(why));
            }
            EngineChoice::Auto(Schedule {
                without: LeftOut::of(&techniques),
                ..Schedule::default()
            })
        }
        EngineChoice::Plan(preset) => {
            if let Some(technique) = techniques.first() {
                return Err(Failure::new(format!(
                    "`{}` is a technique of `auto`; `{}` has no techniques to switch off",
                    technique.name(),
                    preset.id.name()
                )));
            }
            let mut plan = preset.as_variant(variant);
            if let Some(kind) = args.automaton_kind {
                plan = plan.reading(kind);
            }
            if let Some(emptiness) = args.emptiness {
                plan = plan.checked_by(emptiness);
            }
            EngineChoice::Plan(plan)
        }
    };
    let reduces = args.reduce || matches!(choice, EngineChoice::Auto(_));
    if !rules.is_empty() && (args.no_reduce || !reduces) {
        return Err(Failure::new(format!(
            "`{}` searches the original net, without reductions; see --reduce",
            choice.name()
        )));
    }
    let reduce = match (args.no_reduce, args.reduce, reduces) {
        (true, ..) => ReductionChoice::Only(Rules::NONE),
        (false, true, _) => ReductionChoice::Only(Rules::all().but(&rules)),
        (false, false, true) => ReductionChoice::Only(Rules::usual().but(&rules)),
        (false, false, false) => ReductionChoice::Usual,
    };
    let options = CheckOptions {
        engine: choice,
        order: args.order.clone(),
        deadlock: args.deadlock,
        reduce,
        all_orders: args.no_por,
        whole_product: args.whole_product,
        workers: Workers::ONE,
        shortening: match (args.shortest, args.as_found) {
            (true, _) => Shortening::Insist,
            (false, true) => Shortening::Never,
            (false, false) => Shortening::Counted,
        },
        claims: Vec::new(),
        quotient: None,
    };
    options.validate().map_err(Failure::new)?;
    Ok(options)
}

/// A file of counterexamples. Verdicts do not depend on it: if it cannot be written, one error is
/// reported.
struct TraceFile<'a> {
    path: &'a Path,
    file: BufWriter<File>,
    has_failed: bool,
}

impl TraceFile<'_> {
    fn create(path: &Path) -> Result<TraceFile<'_>, Failure> {
        let file = File::create(path);
        Ok(TraceFile {
            path,
            file: BufWriter::new(file.map_err(|error| Failure::new(cannot_write(path, &error)))?),
            has_failed: false,
        })
    }

    /// Adds the line of a report.
    fn add(&mut self, report: &Report) {
        if self.has_failed {
            return;
        }
        let written = (report.write_json_line(&mut self.file))
            .and_then(|()| self.file.write_all(b"\n"))
            .and_then(|()| self.file.flush());
        if let Err(error) = written {
            crate::complain(&cannot_write(self.path, &error));
            self.has_failed = true;
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// The exit code of a report.
pub(crate) fn exit(report: &Report) -> Exit {
    match report.verdict() {
        Verdict::Holds => Exit::Fine,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown(Reason::Internal(_)) => Exit::Internal,
        Verdict::Unknown(Reason::Stopped(Stop::Interrupted)) => Exit::Interrupted,
        Verdict::Unknown(_) => Exit::Undecided,
    }
}

/// The effect of a reduction rule on a net, in words.
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

/// The verdict in one line.
pub(crate) fn verdict_line(args: &Check, report: &Report) -> String {
    let (colour, word) = match report.holds() {
        Some(true) => (AnsiColor::Green, "HOLDS   "),
        Some(false) => (AnsiColor::Red, "VIOLATED"),
        None => (AnsiColor::Yellow, "UNKNOWN "),
    };
    let (bold, dim) = (colour.on_default().bold(), Style::new().dimmed());
    let (name, formula) = (report.name(), report.shown_formula());
    let mut text = format!("{bold}{word}{bold:#}  {name}: {formula}");
    if !args.quiet {
        let _ = write!(text, "  {dim}[{}]{dim:#}", report.summary());
    } else if let Verdict::Unknown(reason) = report.verdict() {
        let _ = write!(text, "  {dim}[{reason}]{dim:#}");
    }
    text + "\n"
}

/// Everything below the verdict line: notes, the counterexample, and on request facts and
/// statistics.
pub(crate) fn details(args: &Check, report: &Report) -> String {
    let mut text = String::new();
    if args.quiet {
        return text;
    }
    let dim = Style::new().dimmed();
    for note in report.notes() {
        let _ = writeln!(text, "  {note}");
    }
    if let Some(advice) = report.advice() {
        let _ = writeln!(text, "  {}", advice.line());
    }
    text += &report.evidence_in(&layout(args.full));
    let decision = report.decision();
    if args.explain {
        if let Some(locations) = decision.account.stats.get(Statistic::AMPLE_LOCATIONS) {
            let line = format!(
                "partial-order reduction: {locations} locations at which the steps of one process suffice"
            );
            let _ = writeln!(text, "  {dim}{line}{dim:#}");
        }
        // The original net may have markings between joined steps that the reduced net does not
        // have.
        let heading = match decision.passes[..] {
            [] => "fact",
            _ => "fact about the reduced net",
        };
        for fact in &decision.facts {
            let statement = report.shown_sentence(&fact.statement);
            let _ = writeln!(text, "  {dim}{heading}: {statement}{dim:#}");
            for reason in &fact.reasons {
                let reason = report.shown_sentence(reason);
                let _ = writeln!(text, "  {dim}        because {reason}{dim:#}");
            }
        }
    }
    if args.verbose {
        let phases = report.phases().times().into_iter();
        let phases =
            phases.map(|(phase, time)| format!("{} {:.3} s", phase.name(), time.as_secs_f64()));
        let phases = phases.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "  {dim}phases: {phases}{dim:#}");
        for removed in &decision.passes {
            let _ = writeln!(text, "  {dim}reduced: {}{dim:#}", in_words(removed));
        }
        for attempt in &decision.trail {
            let Attempt {
                engine,
                outcome,
                why,
                time,
                ..
            } = attempt;
            let seconds = time.as_secs_f64();
            let line = format!("auto: {engine} — {why}; {outcome} ({seconds:.3} s)");
            let _ = writeln!(text, "  {dim}{line}{dim:#}");
        }
        if let Some(order) = &decision.account.order {
            let _ = writeln!(text, "  {dim}{:>18} {order}{dim:#}", "order");
        }
        for (name, figure) in decision.account.stats.iter() {
            let _ = writeln!(text, "  {dim}{name:>18} {figure}{dim:#}");
        }
    }
    text
}
