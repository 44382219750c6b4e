//! Parsers of values that the library names: engines, checks, orders, rules. Help lists them from
//! the library's tables.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lariat::internals::{
    AbsenceProof, AutomatonKind, CountingMethod, Deadlock, Emptiness, EngineChoice, EngineId,
    OrderChoice, OrderSchedule, Preset, Recurring, Rule, Technique,
};

/// A parser of the library's values by name; help lists them with their descriptions.
fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let value = move |value: &T| PossibleValue::new(name(*value)).help(about(*value));
    PossibleValuesParser::new(all.iter().map(value)).try_map(move |text| {
        let found = all.iter().find(|value| name(**value) == text).copied();
        found.ok_or_else(|| format!("unknown value `{text}`"))
    })
}

/// A parser of engines: `auto`, or the name of a preset.
pub(super) fn engine() -> impl TypedValueParser<Value = EngineChoice> {
    let auto = PossibleValue::new(EngineId::Auto.name()).help("Lariat chooses, and reports why");
    let preset = |preset: &Preset| PossibleValue::new(preset.id.name()).help(preset.about);
    let values = std::iter::once(auto).chain(Preset::ALL.iter().map(preset));
    PossibleValuesParser::new(values).map(|name| match Preset::named(&name) {
        Some(preset) => EngineChoice::Plan(preset.plan()),
        None => EngineChoice::default(),
    })
}

pub(super) fn automaton_kind() -> impl TypedValueParser<Value = AutomatonKind> {
    one_of(
        &AutomatonKind::ALL,
        AutomatonKind::name,
        AutomatonKind::about,
    )
}

pub(super) fn emptiness() -> impl TypedValueParser<Value = Emptiness> {
    one_of(&Emptiness::ALL, Emptiness::name, Emptiness::about)
}

pub(super) fn recurring() -> impl TypedValueParser<Value = Recurring> {
    one_of(&Recurring::ALL, Recurring::name, Recurring::about)
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
    let all: Vec<_> = { rules.into_iter() }
        .chain(proofs)
        .chain(techniques)
        .collect();
    let values = { all.iter() }.map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |text| {
        let found = all.iter().find(|(name, ..)| *name == text);
        found
            .map(|(_, _, without)| *without)
            .ok_or_else(|| format!("unknown value `{text}`"))
    })
}

pub(super) fn rule() -> impl TypedValueParser<Value = Rule> {
    one_of(&Rule::ALL, Rule::name, Rule::about)
}

pub(super) fn deadlock() -> impl TypedValueParser<Value = Deadlock> {
    one_of(&Deadlock::ALL, Deadlock::name, Deadlock::about)
}

pub(super) fn counting() -> impl TypedValueParser<Value = CountingMethod> {
    one_of(
        &CountingMethod::ALL,
        CountingMethod::name,
        CountingMethod::about,
    )
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
