//! The campaign file: TOML that names models, properties, engines and limits.
//!
//! `campaigns/README.md` describes the format. An unknown key is an error with its position,
//! because ignoring a misspelt key would change the experiment.

use crate::tools::ToolDefinition;
use crate::units::{Bytes, TimeSpan};
use lariat::internals::InputError;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A parsed campaign file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// Its name in results; the file's name without extension by default.
    #[serde(default)]
    pub name: String,
    /// A description of its purpose, for readers.
    #[serde(default)]
    pub about: String,
    /// Presets that check properties.
    #[serde(default)]
    pub engines: Vec<Spanned<EnginePreset>>,
    /// Presets that count states.
    #[serde(default)]
    pub states: Vec<Spanned<EnginePreset>>,
    /// Limits of one job.
    pub limits: LimitsSection,
    /// Number of runs of every job.
    #[serde(default = "once")]
    pub repetitions: u32,
    /// The program to run instead of this one; relative to the file.
    pub program: Option<PathBuf>,
    /// Other tools, to which `engines` refer by name.
    #[serde(default)]
    pub tools: Vec<ToolDefinition>,
    /// Files with definitions of tools; relative to the file.
    #[serde(default)]
    pub tools_from: Vec<PathBuf>,
    /// The models.
    #[serde(default)]
    pub models: Vec<Spanned<ModelSection>>,
    /// The properties.
    #[serde(default)]
    pub properties: Vec<Spanned<PropertySection>>,
    /// The file itself, for errors and for paths.
    #[serde(skip)]
    pub source: CampaignSource,
}

/// The text of a campaign and its location.
#[derive(Clone, Debug, Default)]
pub struct CampaignSource {
    /// The file's name, for messages.
    pub origin: String,
    /// The folder to which paths are relative.
    pub folder: PathBuf,
    /// The text.
    pub text: String,
}

impl CampaignSource {
    /// Returns an error at a position of the file.
    pub fn error(&self, span: std::ops::Range<usize>, message: impl Into<String>) -> InputError {
        InputError::at(&self.origin, self.text.as_bytes(), span, message)
    }
}

fn once() -> u32 {
    1
}

/// Limits of a job.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsSection {
    /// Processor time, and wall-clock time unless `clock` is given.
    pub time: TimeSpan,
    /// Memory.
    pub memory: Bytes,
    /// Wall-clock time, for machines that run other programs as well.
    pub clock: Option<TimeSpan>,
}

impl From<LimitsSection> for crate::record::JobLimits {
    fn from(limits: LimitsSection) -> crate::record::JobLimits {
        crate::record::JobLimits {
            seconds: limits.time.0.as_secs_f64(),
            bytes: limits.memory.0,
        }
    }
}

/// An engine with its switches: `"slap --published"`, or a table that also names the preset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnginePreset {
    /// Its name in tables and plots.
    pub name: String,
    /// The engine and its switches, as on the command line after `--engine`.
    pub args: Vec<String>,
    /// The program to run, if it is not the campaign's; relative to the file.
    pub program: Option<PathBuf>,
    /// The tool to run instead of an engine.
    pub tool: Option<String>,
}

impl<'de> Deserialize<'de> for EnginePreset {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<EnginePreset, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            name: Option<String>,
            args: Option<String>,
            program: Option<PathBuf>,
            tool: Option<String>,
        }

        input.deserialize_any(TextOrTable {
            expected: "an engine: \"slap --published\", { name = …, args = … } or { tool = … }",
            of_text: |text| EnginePreset::new(text, text, None),
            of_table: |table: Table| match (table.name, table.tool, table.args) {
                (name, Some(tool), None) => Ok(EnginePreset {
                    name: name.unwrap_or_else(|| tool.clone()),
                    args: Vec::new(),
                    program: None,
                    tool: Some(tool),
                }),
                (Some(name), None, args) => {
                    let args = args.as_deref().unwrap_or(&name);
                    EnginePreset::new(&name, args, table.program)
                }
                _ => Err("expected `name` and `args` of an engine, or `tool`".to_owned()),
            },
        })
    }
}

/// Deserializes a value from a text or from a table of type `T`.
struct TextOrTable<T, V> {
    expected: &'static str,
    of_text: fn(&str) -> Result<V, String>,
    of_table: fn(T) -> Result<V, String>,
}

impl<'de, T: Deserialize<'de>, V> Visitor<'de> for TextOrTable<T, V> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<V, E> {
        (self.of_text)(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        let table = T::deserialize(MapAccessDeserializer::new(map))?;
        (self.of_table)(table).map_err(de::Error::custom)
    }
}

impl EnginePreset {
    /// Creates a preset. `args` is separated by blanks and starts with the engine.
    pub fn new(name: &str, args: &str, program: Option<PathBuf>) -> Result<EnginePreset, String> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        if args.iter().any(|arg| arg.contains("-fair")) {
            let why = "fairness changes the question, not the engine: put `weak_fair` or `strong_fair` into [[properties]]";
            return Err(why.to_owned());
        }
        match args.first() {
            Some(engine) if !engine.starts_with('-') && !name.is_empty() => Ok(EnginePreset {
                name,
                args,
                program,
                tool: None,
            }),
            _ => {
                let why = "expected an engine and then its switches, such as \"sog --emptiness couvreur\"";
                Err(why.to_owned())
            }
        }
    }
}

/// A group of models of exactly one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSection {
    /// A family of generated nets, with `sizes`.
    pub generate: Option<String>,
    /// Sizes of the generated nets.
    #[serde(default)]
    pub sizes: Vec<u32>,
    /// Files, or patterns such as `nets/*.pnml`, relative to the campaign.
    #[serde(default)]
    pub files: Vec<String>,
    /// Instances of the contest folder, or patterns such as `Kanban-PT-*`.
    #[serde(default)]
    pub contest: Vec<String>,
    /// Other files of the folder of contest models, or patterns such as `dve/*.dve`.
    #[serde(default)]
    pub collection: Vec<String>,
    /// The family in which they are summed up; derived from their names by default.
    pub family: Option<String>,
}

/// A group of properties of exactly one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertySection {
    /// The name of the group in tables.
    #[serde(default)]
    pub group: String,
    /// Patterns for the names of the models that the group applies to; all by default.
    #[serde(default)]
    pub models: Vec<String>,
    /// Formulas.
    #[serde(default)]
    pub formulas: Vec<Spanned<Inline>>,
    /// Files with one formula per line. `{folder}`, `{stem}` and `{model}` are replaced by the
    /// model's folder, file stem and name.
    #[serde(default)]
    pub files: Vec<String>,
    /// Property files of the contest, with the same placeholders.
    #[serde(default)]
    pub mcc: Vec<String>,
    /// Limit on the number of properties per file.
    pub first: Option<usize>,
    /// Random formulas.
    pub random: Option<RandomSection>,
    /// Weak fairness assumptions, as after `--weak-fair`.
    #[serde(default)]
    pub weak_fair: Vec<String>,
    /// Strong fairness assumptions, as after `--strong-fair`.
    #[serde(default)]
    pub strong_fair: Vec<String>,
}

impl PropertySection {
    /// Returns the arguments for the fairness assumptions.
    pub fn fairness(&self) -> Vec<String> {
        let weak = self.weak_fair.iter().map(|what| ["--weak-fair", what]);
        let strong = self.strong_fair.iter().map(|what| ["--strong-fair", what]);
        weak.chain(strong).flatten().map(str::to_owned).collect()
    }
}

/// A formula in the campaign: its text, or a table that also gives its name and the known answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inline {
    /// Its name; derived from its position by default.
    pub name: Option<String>,
    /// The formula.
    pub formula: String,
    /// The known answer.
    pub known: Option<KnownAnswer>,
}

/// A known answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnownAnswer {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
}

impl KnownAnswer {
    /// Returns its name in results.
    pub fn word(self) -> &'static str {
        match self {
            KnownAnswer::Holds => "holds",
            KnownAnswer::Violated => "violated",
        }
    }
}

impl<'de> Deserialize<'de> for Inline {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Inline, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            name: Option<String>,
            formula: String,
            known: Option<KnownAnswer>,
        }

        input.deserialize_any(TextOrTable {
            expected: "a formula, or { name = …, formula = …, known = … }",
            of_text: |text| {
                Ok(Inline {
                    name: None,
                    formula: text.to_owned(),
                    known: None,
                })
            },
            of_table: |table: Table| {
                Ok(Inline {
                    name: table.name,
                    formula: table.formula,
                    known: table.known,
                })
            },
        })
    }
}

/// Number and form of random formulas.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSection {
    /// The seed. Each model has a separate sequence of draws.
    pub seed: u64,
    /// Number of formulas per model.
    pub number: usize,
    /// Number of operators and atoms of a formula.
    #[serde(default = "usual_size")]
    pub size: SizeRange,
    /// Number of different atoms that may occur.
    #[serde(default = "usual_propositions")]
    pub propositions: usize,
    /// Kinds of atoms.
    #[serde(default = "usual_atoms")]
    pub atoms: Vec<AtomKind>,
    /// Require `X`; together with `stutter_invariant`, allow it.
    #[serde(default)]
    pub next: bool,
    /// Keep only formulas proven to be stutter-invariant.
    #[serde(default)]
    pub stutter_invariant: bool,
    /// The number k of assumptions in formulas `(GF p1 & … & GF pk) -> φ`.
    pub fairness: Option<SizeRange>,
    /// The filter that selects draws.
    pub filter: Option<FormulaFilter>,
}

fn usual_size() -> SizeRange {
    SizeRange(5..=12)
}

fn usual_propositions() -> usize {
    4
}

fn usual_atoms() -> Vec<AtomKind> {
    vec![AtomKind::Marked, AtomKind::Compare]
}

/// Kind of a random atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtomKind {
    /// A place is marked.
    Marked,
    /// The tokens of a place are compared with a constant or another place.
    Compare,
    /// A transition is enabled.
    Fireable,
    /// A transition is taken.
    Fires,
}

/// Selection of random formulas by an engine before the jobs start.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaFilter {
    /// The engine that decides draws.
    #[serde(default = "usual_filter")]
    pub engine: EnginePreset,
    /// Minimal number of explored product states.
    #[serde(default)]
    pub least_product: u64,
    /// The engine that counts product states, if not `engine`; it may stop at a limit.
    pub measure: Option<EnginePreset>,
    /// Select as many formulas that hold as formulas that are violated.
    #[serde(default = "yes")]
    pub balanced: bool,
    /// Time limit of a decision. If it is reached, the selection may differ between machines.
    pub time: TimeSpan,
    /// Memory limit of a decision.
    pub memory: Bytes,
    /// Limit on the number of draws per requested formula.
    #[serde(default = "usual_draws")]
    pub draws: usize,
}

fn usual_filter() -> EnginePreset {
    EnginePreset {
        name: "explicit".to_owned(),
        args: vec!["explicit".to_owned()],
        program: None,
        tool: None,
    }
}

fn yes() -> bool {
    true
}

fn usual_draws() -> usize {
    100
}

/// A number or a range: `8`, or `[5, 12]`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "NumberOrRange")]
pub struct SizeRange(pub RangeInclusive<usize>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a range such as [5, 12]")]
enum NumberOrRange {
    Number(usize),
    Range([usize; 2]),
}

impl TryFrom<NumberOrRange> for SizeRange {
    type Error = String;

    fn try_from(given: NumberOrRange) -> Result<SizeRange, String> {
        match given {
            NumberOrRange::Number(n) => Ok(SizeRange(n..=n)),
            NumberOrRange::Range([low, high]) if low <= high => Ok(SizeRange(low..=high)),
            NumberOrRange::Range([low, high]) => Err(format!("the range [{low}, {high}] is empty")),
        }
    }
}

/// Limit on the operators of a random formula.
const LARGEST: usize = 1000;

/// Parses a campaign. `path` is used in errors and to resolve relative paths.
pub fn read(path: &Path, text: &str) -> Result<Campaign, InputError> {
    let source = CampaignSource {
        origin: path.display().to_string(),
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        text: text.to_owned(),
    };
    let mut campaign: Campaign = toml::from_str(text).map_err(|error| {
        let message = error.message().trim().to_owned();
        let error = match error.span() {
            Some(span) => source.error(span, message),
            None => InputError::new(&source.origin, message),
        };
        error.help("campaigns/README.md describes the format of campaigns")
    })?;
    if campaign.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        campaign.name = stem.to_string_lossy().into_owned();
    }
    campaign.source = source;
    for path in &campaign.tools_from {
        let path = campaign.source.folder.join(path);
        campaign.tools.extend(tools_in(&path)?);
    }
    validate(&campaign)?;
    Ok(campaign)
}

/// Reads definitions of tools.
fn tools_in(path: &Path) -> Result<Vec<ToolDefinition>, InputError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        tools: Vec<ToolDefinition>,
    }
    let origin = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| InputError::new(&origin, format!("cannot be read: {error}")))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let message = error.message().trim().to_owned();
        match error.span() {
            Some(span) => InputError::at(&origin, text.as_bytes(), span, message),
            None => InputError::new(&origin, message),
        }
    })?;
    Ok(file.tools)
}

fn validate(campaign: &Campaign) -> Result<(), InputError> {
    let Campaign { source, .. } = campaign;
    let whole = |message: &str, help: &str| InputError::new(&source.origin, message).help(help);
    let in_path = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    if !campaign.name.chars().all(in_path) || campaign.name.starts_with('.') {
        return Err(whole(
            "the name of a campaign must be usable as the name of a folder",
            "use letters, digits, `_`, `.` and `-`",
        ));
    }
    if campaign.models.is_empty() {
        return Err(whole(
            "the campaign has no models",
            "add [[models]] with generate and sizes, files, contest, or collection",
        ));
    }
    if campaign.engines.is_empty() && campaign.states.is_empty() {
        return Err(whole(
            "the campaign has no engines",
            "add engines = [\"explicit\", \"slap-fst\"], or states = [\"symbolic\"]",
        ));
    }
    if !campaign.engines.is_empty() && campaign.properties.is_empty() {
        return Err(whole(
            "there are engines and no properties for them",
            "add [[properties]] with formulas, files, mcc, or random",
        ));
    }
    for preset in &campaign.engines {
        let is_known = |name: &String| campaign.tools.iter().any(|tool| tool.name == *name);
        if let Some(tool) = &preset.as_ref().tool
            && !is_known(tool)
        {
            let message = format!("no tool is called `{tool}`");
            let help = "define it in [[tools]], or in a file named by tools_from";
            return Err(source.error(preset.span(), message).help(help));
        }
    }
    for presets in [&campaign.engines, &campaign.states] {
        let mut names = BTreeSet::new();
        for preset in presets {
            let name = &preset.as_ref().name;
            if !names.insert(name) {
                let message = format!("two engines have the name `{name}`");
                let help = "give one of them a name: { name = …, args = … }";
                return Err(source.error(preset.span(), message).help(help));
            }
        }
    }
    for models in &campaign.models {
        let group = models.as_ref();
        let kinds = [
            group.generate.is_some(),
            !group.files.is_empty(),
            !group.contest.is_empty(),
            !group.collection.is_empty(),
        ];
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            let message =
                "a group of models has exactly one kind: generate, files, contest, or collection";
            return Err(source.error(models.span(), message));
        }
        if group.generate.is_some() == group.sizes.is_empty() {
            let message = "generate and sizes must be given together";
            return Err(source.error(models.span(), message));
        }
    }
    for properties in &campaign.properties {
        let group = properties.as_ref();
        let kinds = [
            !group.formulas.is_empty(),
            !group.files.is_empty(),
            !group.mcc.is_empty(),
            group.random.is_some(),
        ];
        let wrong = |message: &str| source.error(properties.span(), message);
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            let why = "a group of properties has exactly one kind: formulas, files, mcc, or random";
            return Err(wrong(why));
        }
        if let Some(random) = &group.random {
            if random.atoms.is_empty() || random.propositions == 0 {
                return Err(wrong("random formulas need atoms"));
            }
            let fair = random.fairness.as_ref().map(|fairness| *fairness.0.end());
            if fair > Some(random.propositions) {
                return Err(wrong("more fairness assumptions than propositions"));
            }
            if random.propositions > 60 || *random.size.0.end() > LARGEST {
                let why = "random formulas have at most 1000 operators and 60 propositions";
                return Err(wrong(why));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
engines = ["explicit", "sog  --emptiness couvreur", { name = "slap-pub", args = "slap --published" }]
limits = { time = "10s", memory = "1G" }

[[models]]
generate = "kanban"
sizes = [2, 3]

[[properties]]
group = "random"
random = { seed = 1, number = 4, size = [5, 9], filter = { time = "1s", memory = "100M" } }
"#;

    #[test]
    fn presets_are_text_or_tables() {
        let campaign = read(Path::new("a/small.toml"), SMALL).unwrap();
        assert_eq!(campaign.name, "small");
        assert_eq!(campaign.source.folder, Path::new("a"));
        let presets: Vec<&EnginePreset> = campaign.engines.iter().map(Spanned::as_ref).collect();
        assert_eq!(presets[0].args, ["explicit"]);
        assert_eq!(presets[1].name, "sog --emptiness couvreur");
        assert_eq!(presets[2].name, "slap-pub");
        assert_eq!(presets[2].args, ["slap", "--published"]);
        let random = campaign.properties[0].as_ref().random.as_ref().unwrap();
        assert_eq!(random.size, SizeRange(5..=9));
        assert_eq!(random.filter.as_ref().unwrap().engine.name, "explicit");
    }

    #[test]
    fn errors_have_positions() {
        let wrong = |from: &str, to: &str| {
            let text = SMALL.replace(from, to);
            assert_ne!(text, SMALL);
            read(Path::new("c.toml"), &text).unwrap_err().to_string()
        };
        for (from, to, expected) in [
            ("sizes", "size", "unknown field `size`"),
            ("sizes", "size", "c.toml:7:1"),
            ("\"10s\"", "\"10 parsecs\"", "not a unit of time"),
            ("\"10s\"", "\"10 parsecs\"", "c.toml:3:"),
            ("[5, 9]", "[9, 5]", "c.toml:11:"),
            ("\"explicit\"", "\"--fast\"", "c.toml:2:"),
            ("\"explicit\"", "\"slap-pub\"", "two engines have the name"),
            ("generate", "files = [\"x\"]\ngenerate", "exactly one kind"),
            (
                "random = {",
                "formulas = [\"true\"]\nrandom = {",
                "exactly one kind",
            ),
        ] {
            let error = wrong(from, to);
            assert!(error.contains(expected), "{error}");
        }
        assert!(read(Path::new("c.toml"), "").unwrap_err().help.is_some());
        assert!(read(Path::new("c.toml"), "[[[").is_err());
    }
}
