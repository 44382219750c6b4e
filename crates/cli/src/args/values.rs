//! Parsers of values that the library names: engines, checks, orders, rules. Help lists them from
//! the library's tables.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lariat::internals::{
    AbsenceProof, AutomatonKind, CountingMethod, Deadlock, Emptiness, EngineChoice, EngineId,
    Fixpoint, OrderChoice, OrderSchedule, Preset, Recurring, Rule, Technique,
};
use lariat_campaign::plot::{Measure, PlotKind};

/// A parser of the values of a table by name; help lists them with their descriptions.
fn listed<T: Clone + Send + Sync + 'static>(
    table: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let table: Vec<_> = table.into_iter().collect();
    let values = table.iter();
    let values = values.map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |text| {
        let found = table.iter().find(|(name, ..)| *name == text);
        let value = found.map(|(.., value)| value.clone());
        value.ok_or_else(|| format!("unknown value `{text}`"))
    })
}

/// A parser of engines: `auto`, or the name of a preset.
pub(super) fn engine() -> impl TypedValueParser<Value = EngineChoice> {
    let about = "Lariat chooses, and reports why";
    let auto = (EngineId::Auto.name(), about, EngineChoice::default());
    let preset = |preset: &Preset| (preset.id.name(), preset.about, preset.plan().into());
    listed(std::iter::once(auto).chain(Preset::ALL.iter().map(preset)))
}

pub(super) fn automaton_kind() -> impl TypedValueParser<Value = AutomatonKind> {
    listed(AutomatonKind::ALL.map(|kind| (kind.name(), kind.about(), kind)))
}

pub(super) fn emptiness() -> impl TypedValueParser<Value = Emptiness> {
    listed(Emptiness::ALL.map(|check| (check.name(), check.about(), check)))
}

pub(super) fn recurring() -> impl TypedValueParser<Value = Recurring> {
    listed(Recurring::ALL.map(|what| (what.name(), what.about(), what)))
}

pub(super) fn fixpoint() -> impl TypedValueParser<Value = Fixpoint> {
    listed(Fixpoint::ALL.map(|fixpoint| (fixpoint.name(), fixpoint.about(), fixpoint)))
}

/// A reduction, proof or technique that can be switched off.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Without {
    Rule(Rule),
    Proof(AbsenceProof),
    Technique(Technique),
}

pub(super) fn without() -> impl TypedValueParser<Value = Without> {
    let rules = Rule::ALL.map(|rule| (rule.name(), rule.about(), Without::Rule(rule)));
    let proofs =
        AbsenceProof::ALL.map(|proof| (proof.name(), proof.about(), Without::Proof(proof)));
    let techniques = Technique::ALL.map(|t| (t.name(), t.about(), Without::Technique(t)));
    listed(rules.into_iter().chain(proofs).chain(techniques))
}

pub(super) fn rule() -> impl TypedValueParser<Value = Rule> {
    listed(Rule::ALL.map(|rule| (rule.name(), rule.about(), rule)))
}

pub(super) fn deadlock() -> impl TypedValueParser<Value = Deadlock> {
    listed(Deadlock::ALL.map(|policy| (policy.name(), policy.about(), policy)))
}

pub(super) fn counting() -> impl TypedValueParser<Value = CountingMethod> {
    listed(CountingMethod::ALL.map(|method| (method.name(), method.about(), method)))
}

pub(super) fn plot_kind() -> impl TypedValueParser<Value = PlotKind> {
    listed([
        (
            "scatter",
            "One engine against another, case by case",
            PlotKind::Scatter,
        ),
        (
            "cactus",
            "The number of cases solved per price",
            PlotKind::Cactus,
        ),
        (
            "cumulative",
            "Price relative to the slowest engine",
            PlotKind::Cumulative,
        ),
        (
            "win-lose-fail",
            "Best, worst and failing engines",
            PlotKind::WinLoseFail,
        ),
        (
            "families",
            "Every engine on every family of models",
            PlotKind::Families,
        ),
        (
            "portfolio",
            "Virtual best and unique solves",
            PlotKind::Portfolio,
        ),
        (
            "components",
            "Statistics of the component-wise engine",
            PlotKind::Components,
        ),
        (
            "testing",
            "Automata, products and their explored parts",
            PlotKind::Testing,
        ),
        (
            "speed-up",
            "Speed-up of engines with --threads 2 and more",
            PlotKind::SpeedUp,
        ),
        (
            "papers",
            "Published tables beside the measured figures",
            PlotKind::Papers,
        ),
    ])
}

pub(super) fn measure() -> impl TypedValueParser<Value = Measure> {
    let engine = "The engine's own time, without reading the model and the property";
    listed([
        ("cpu", "Processor time of the process", Measure::Cpu),
        ("wall", "Wall-clock time", Measure::Wall),
        (
            "memory",
            "Largest resident memory of the process",
            Measure::Memory,
        ),
        ("engine", engine, Measure::Engine),
        (
            "states",
            "States of the product that were explored",
            Measure::States,
        ),
        (
            "transitions",
            "Transitions of the product that were explored",
            Measure::Transitions,
        ),
    ])
}

/// An order of the variables: `auto`, or the name of a heuristic.
pub(super) fn order(text: &str) -> Result<OrderChoice, String> {
    match text {
        "auto" => Ok(OrderChoice::Auto),
        name => name.parse().map(OrderChoice::Named),
    }
}

/// The help of `--order-schedule`, with the whole table.
pub(super) fn schedule_help() -> String {
    let mut text = "For experts: how much `--order auto` spends on finding an order, as \
                    name=value,… Work is counted in nodes and steps. The names, with their defaults:\n"
        .to_owned();
    for row in OrderSchedule::TABLE {
        text += &format!("\n  {} = {}\n      {}", row.name, row.default, row.meaning);
    }
    text
}
