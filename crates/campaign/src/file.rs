//! The campaign file: TOML that names models, properties, engines and limits.
//!
//! `campaigns/README.md` tells what may stand in it. Whatever is not known is an error with its place:
//! a misspelt key that is silently ignored makes a different experiment.

use crate::units::{Bytes, Span};
use lariat::internals::InputError;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A campaign as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// What it is called in results; the file's name without its ending by default.
    #[serde(default)]
    pub name: String,
    /// What it measures, for a reader.
    #[serde(default)]
    pub about: String,
    /// Engines that decide properties.
    #[serde(default)]
    pub engines: Vec<Spanned<Preset>>,
    /// Ways to count states.
    #[serde(default)]
    pub states: Vec<Spanned<Preset>>,
    /// What one job may use.
    pub limits: Limits,
    /// How often every job is run.
    #[serde(default = "once")]
    pub repetitions: u32,
    /// The program to run in the place of this one; relative to the file.
    pub program: Option<PathBuf>,
    /// The models.
    #[serde(default)]
    pub models: Vec<Spanned<Models>>,
    /// The properties.
    #[serde(default)]
    pub properties: Vec<Spanned<Properties>>,
    /// The file itself, for errors and for paths.
    #[serde(skip)]
    pub source: Source,
}

/// Where a campaign was read from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The file's name, for messages.
    pub origin: String,
    /// The folder that paths start from.
    pub folder: PathBuf,
    /// The text.
    pub text: String,
}

impl Source {
    /// An error at a place of the file.
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
pub struct Limits {
    /// Time of the processor, and of the clock unless it has a limit of its own.
    pub time: Span,
    /// Memory.
    pub memory: Bytes,
    /// Time of the clock, for machines that are busy with something else.
    pub clock: Option<Span>,
}

impl From<Limits> for crate::record::Limits {
    fn from(limits: Limits) -> crate::record::Limits {
        crate::record::Limits {
            seconds: limits.time.0.as_secs_f64(),
            bytes: limits.memory.0,
        }
    }
}

/// An engine with its switches: `"slap --published"`, or a table that also gives it a name of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preset {
    /// What tables and plots call it.
    pub name: String,
    /// The engine and its switches, as on the command line behind `--engine`.
    pub args: Vec<String>,
    /// The program to run, if not the campaign's; relative to the file.
    pub program: Option<PathBuf>,
}

impl<'de> Deserialize<'de> for Preset {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Preset, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            name: String,
            args: Option<String>,
            program: Option<PathBuf>,
        }

        struct TextOrTable;

        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Preset;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an engine: \"slap --published\" or { name = …, args = … }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Preset, E> {
                Preset::new(text, text, None).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Preset, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                let args = table.args.as_deref().unwrap_or(&table.name);
                Preset::new(&table.name, args, table.program).map_err(de::Error::custom)
            }
        }

        input.deserialize_any(TextOrTable)
    }
}

impl Preset {
    /// A preset of this name; `args` are separated by blanks, the engine first.
    pub fn new(name: &str, args: &str, program: Option<PathBuf>) -> Result<Preset, String> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        let is_fairness = |arg: &String| arg.contains("-fair");
        if args.iter().any(is_fairness) {
            return Err(
                "fairness changes the question, not the engine: `weak_fair` and `strong_fair` belong to [[properties]]"
                    .to_owned(),
            );
        }
        match args.first() {
            Some(engine) if !engine.starts_with('-') && !name.is_empty() => Ok(Preset {
                name,
                args,
                program,
            }),
            _ => Err(
                "an engine is its name and then its switches, such as \"sog --emptiness couvreur\""
                    .to_owned(),
            ),
        }
    }
}

/// Some models: of exactly one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    /// A family of generated nets, with `sizes`.
    pub generate: Option<String>,
    /// Its sizes.
    #[serde(default)]
    pub sizes: Vec<u32>,
    /// Files, or patterns such as `nets/*.pnml`, relative to the campaign.
    #[serde(default)]
    pub files: Vec<String>,
    /// Instances of the contest folder, or patterns such as `Kanban-PT-*`.
    #[serde(default)]
    pub contest: Vec<String>,
    /// What they are summed up as, if not by their names.
    pub family: Option<String>,
}

/// Some properties: of exactly one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Properties {
    /// What tables call them.
    #[serde(default)]
    pub group: String,
    /// Patterns for the names of the models they are for; all by default.
    #[serde(default)]
    pub models: Vec<String>,
    /// Formulas.
    #[serde(default)]
    pub formulas: Vec<Spanned<Inline>>,
    /// Files with one formula a line. `{folder}`, `{stem}` and `{model}` stand for the model's.
    #[serde(default)]
    pub files: Vec<String>,
    /// Property files of the contest, likewise.
    #[serde(default)]
    pub mcc: Vec<String>,
    /// Only so many of each file.
    pub first: Option<usize>,
    /// Formulas drawn at random.
    pub random: Option<Random>,
    /// Weak fairness that is assumed of runs, as behind `--weak-fair`.
    #[serde(default)]
    pub weak_fair: Vec<String>,
    /// Strong fairness, as behind `--strong-fair`.
    #[serde(default)]
    pub strong_fair: Vec<String>,
}

impl Properties {
    /// The arguments that assume fairness.
    pub fn fairness(&self) -> Vec<String> {
        let weak = self.weak_fair.iter().map(|what| ["--weak-fair", what]);
        let strong = self.strong_fair.iter().map(|what| ["--strong-fair", what]);
        weak.chain(strong).flatten().map(str::to_owned).collect()
    }
}

/// A formula in the campaign: its text, or a table that also gives its name and the known answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inline {
    /// Its name; made from its position if there is none.
    pub name: Option<String>,
    /// The formula.
    pub formula: String,
    /// The answer that is known.
    pub known: Option<Known>,
}

/// An answer that is known beforehand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
}

impl Known {
    /// As results spell it.
    pub fn word(self) -> &'static str {
        match self {
            Known::Holds => "holds",
            Known::Violated => "violated",
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
            known: Option<Known>,
        }

        struct TextOrTable;

        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Inline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a formula, or { name = …, formula = …, known = … }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Inline, E> {
                Ok(Inline {
                    name: None,
                    formula: text.to_owned(),
                    known: None,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Inline, A::Error> {
                let Table {
                    name,
                    formula,
                    known,
                } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Inline {
                    name,
                    formula,
                    known,
                })
            }
        }

        input.deserialize_any(TextOrTable)
    }
}

/// What formulas are drawn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Where the draws start; every model has draws of its own.
    pub seed: u64,
    /// How many formulas a model.
    pub number: usize,
    /// Operators and atoms of a formula.
    #[serde(default = "usual_size")]
    pub size: Between,
    /// How many different atoms it draws from.
    #[serde(default = "usual_propositions")]
    pub propositions: usize,
    /// What atoms say.
    #[serde(default = "usual_atoms")]
    pub atoms: Vec<AtomKind>,
    /// With `X`, and not without; where formulas must be stutter-invariant, it may occur.
    #[serde(default)]
    pub next: bool,
    /// Only what is proven to be stutter-invariant.
    #[serde(default)]
    pub stutter_invariant: bool,
    /// `(GF p1 & … & GF pk) -> φ`, with so many `p`.
    pub fairness: Option<Between>,
    /// Which draws are kept.
    pub filter: Option<Filter>,
}

fn usual_size() -> Between {
    Between(5..=12)
}

fn usual_propositions() -> usize {
    4
}

fn usual_atoms() -> Vec<AtomKind> {
    vec![AtomKind::Marked, AtomKind::Compare]
}

/// What an atom says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtomKind {
    /// A place is marked.
    Marked,
    /// A place has at least, at most, or more tokens than something.
    Compare,
    /// A transition is enabled.
    Fireable,
    /// A transition is taken.
    Fires,
}

/// Which random formulas are kept, decided by an engine before the campaign begins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Who decides.
    #[serde(default = "usual_filter")]
    pub engine: Preset,
    /// Product states that must have been explored.
    #[serde(default)]
    pub least_product: u64,
    /// By whom, if not by the one who decides; it need not come to an end.
    pub measure: Option<Preset>,
    /// As many that hold as are violated.
    #[serde(default = "yes")]
    pub balanced: bool,
    /// Time for a decision. It should not be what ends it, or the choice is another on another machine.
    pub time: Span,
    /// Memory for a decision.
    pub memory: Bytes,
    /// Draws at most, for each formula wanted.
    #[serde(default = "usual_draws")]
    pub draws: usize,
}

fn usual_filter() -> Preset {
    Preset {
        name: "explicit".to_owned(),
        args: vec!["explicit".to_owned()],
        program: None,
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
pub struct Between(pub RangeInclusive<usize>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a range such as [5, 12]")]
enum NumberOrRange {
    Number(usize),
    Range([usize; 2]),
}

impl TryFrom<NumberOrRange> for Between {
    type Error = String;

    fn try_from(given: NumberOrRange) -> Result<Between, String> {
        match given {
            NumberOrRange::Number(n) => Ok(Between(n..=n)),
            NumberOrRange::Range([low, high]) if low <= high => Ok(Between(low..=high)),
            NumberOrRange::Range([low, high]) => Err(format!("the range [{low}, {high}] is empty")),
        }
    }
}

/// Formulas of more operators are not drawn: they would be nobody's experiment.
const LARGEST: usize = 1000;

/// Reads a campaign. `path` names it in errors and is where relative paths start.
pub fn read(path: &Path, text: &str) -> Result<Campaign, InputError> {
    let source = Source {
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
        error.help("campaigns/README.md tells what a campaign may say")
    })?;
    if campaign.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        campaign.name = stem.to_string_lossy().into_owned();
    }
    campaign.source = source;
    validate(&campaign)?;
    Ok(campaign)
}

fn validate(campaign: &Campaign) -> Result<(), InputError> {
    let Campaign { source, .. } = campaign;
    let whole = |message: &str, help: &str| InputError::new(&source.origin, message).help(help);
    let in_path = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    if !campaign.name.chars().all(in_path) || campaign.name.starts_with('.') {
        return Err(whole(
            "the name of a campaign is also that of a folder",
            "use letters, digits, `_`, `.` and `-`",
        ));
    }
    if campaign.models.is_empty() {
        return Err(whole(
            "the campaign has no models",
            "add [[models]] with generate and sizes, files, or contest",
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
    for presets in [&campaign.engines, &campaign.states] {
        for (i, preset) in presets.iter().enumerate() {
            let name = &preset.as_ref().name;
            if presets[..i]
                .iter()
                .any(|other| other.as_ref().name == *name)
            {
                let message = format!("two engines are called `{name}`");
                let help = "give one of them a name: { name = …, args = … }";
                return Err(source.error(preset.span(), message).help(help));
            }
        }
    }
    for models in &campaign.models {
        let of = models.as_ref();
        let kinds = [
            of.generate.is_some(),
            !of.files.is_empty(),
            !of.contest.is_empty(),
        ];
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            let message = "models are of one kind: generate, files, or contest";
            return Err(source.error(models.span(), message));
        }
        if of.generate.is_some() == of.sizes.is_empty() {
            let message = "generate and sizes belong together";
            return Err(source.error(models.span(), message));
        }
    }
    for properties in &campaign.properties {
        let of = properties.as_ref();
        let kinds = [
            !of.formulas.is_empty(),
            !of.files.is_empty(),
            !of.mcc.is_empty(),
            of.random.is_some(),
        ];
        let wrong = |message: &str| source.error(properties.span(), message);
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            return Err(wrong(
                "properties are of one kind: formulas, files, mcc, or random",
            ));
        }
        if let Some(random) = &of.random {
            if random.atoms.is_empty() || random.propositions == 0 {
                return Err(wrong("random formulas need atoms"));
            }
            let fair = random
                .fairness
                .iter()
                .map(|f| *f.0.end())
                .max()
                .unwrap_or(0);
            if fair > random.propositions {
                return Err(wrong("more fairness assumptions than propositions"));
            }
            if random.propositions > 60 || *random.size.0.end() > LARGEST {
                return Err(wrong(
                    "formulas of at most 1000 operators and 60 propositions",
                ));
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
        let presets: Vec<&Preset> = campaign.engines.iter().map(Spanned::as_ref).collect();
        assert_eq!(presets[0].args, ["explicit"]);
        assert_eq!(presets[1].name, "sog --emptiness couvreur");
        assert_eq!(presets[2].name, "slap-pub");
        assert_eq!(presets[2].args, ["slap", "--published"]);
        let random = campaign.properties[0].as_ref().random.as_ref().unwrap();
        assert_eq!(random.size, Between(5..=9));
        assert_eq!(random.filter.as_ref().unwrap().engine.name, "explicit");
    }

    #[test]
    fn errors_have_their_place() {
        let wrong = |from: &str, to: &str| {
            let text = SMALL.replace(from, to);
            assert_ne!(text, SMALL);
            read(Path::new("c.toml"), &text).unwrap_err().to_string()
        };
        let error = wrong("sizes", "size");
        assert!(error.contains("unknown field `size`"), "{error}");
        assert!(error.contains("c.toml:7:1"), "{error}");
        let error = wrong("\"10s\"", "\"10 parsecs\"");
        assert!(error.contains("no unit of time"), "{error}");
        assert!(error.contains("c.toml:3:"), "{error}");
        let error = wrong("[5, 9]", "[9, 5]");
        assert!(error.contains("c.toml:11:"), "{error}");
        let error = wrong("\"explicit\"", "\"--fast\"");
        assert!(error.contains("c.toml:2:"), "{error}");
        let error = wrong("\"explicit\"", "\"slap-pub\"");
        assert!(error.contains("two engines are called"), "{error}");
        let error = wrong("generate", "files = [\"x\"]\ngenerate");
        assert!(error.contains("of one kind"), "{error}");
        let error = wrong(
            "group = \"random\"",
            "group = \"random\"\nformulas = [\"true\"]",
        );
        assert!(error.contains("of one kind"), "{error}");
        assert!(read(Path::new("c.toml"), "").unwrap_err().help.is_some());
        assert!(read(Path::new("c.toml"), "[[[").is_err());
    }
}
