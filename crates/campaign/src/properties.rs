//! The properties of a campaign, for one model.
//!
//! Formulas are parsed with the model's names when the campaign is planned, so that a misspelt
//! place is reported before the first job runs. Contest files are only scanned for property names.

use crate::file::{Campaign, Inline, KnownAnswer, PropertySection};
use crate::id::Hash;
use crate::models::{self, CampaignModel};
use crate::random::Draws;
use lariat::internals::formats::{self, LoadError};
use lariat::internals::ir::{self as model, PropertyList};
use lariat::internals::{Budget, InputError};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Memory limit for unfolding a coloured net while the campaign is planned.
const PLANNING_BYTES: u64 = 2 << 30;

/// A property of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct CampaignProperty {
    /// Its name, unique within the model.
    pub name: String,
    pub group: String,
    /// The arguments that select it, after `check MODEL`.
    pub args: Vec<String>,
    /// The formula, unless it is in a contest file.
    pub formula: Option<String>,
    /// A hash of the formula and the fairness assumptions.
    pub hash: String,
    /// The seed, if the formula is random.
    pub seed: Option<u64>,
    pub known: Option<KnownAnswer>,
}

impl CampaignProperty {
    /// Returns whether the property is about fair runs only.
    pub fn is_fair(&self) -> bool {
        self.args.iter().any(|arg| arg.ends_with("-fair"))
    }
}

/// Random formulas of a model from which a filter selects.
#[derive(Clone, Debug)]
pub struct Lottery<'c> {
    /// The requested number and form.
    pub random: &'c crate::file::RandomSection,
    pub group: &'c str,
    /// Prefix of the properties' names, which makes them unique among groups.
    pub prefix: String,
    /// The different formulas with the numbers of their draws.
    pub draws: Vec<(usize, String)>,
    /// The arguments that assume fairness.
    pub fairness: Vec<String>,
}

/// The properties of one model.
#[derive(Debug, Default)]
pub struct OfModel<'c> {
    /// Properties that need no selection.
    pub certain: Vec<CampaignProperty>,
    /// Random formulas from which a filter selects.
    pub lotteries: Vec<Lottery<'c>>,
    /// Messages about missing files and about models that cannot be unfolded.
    pub missing: Vec<String>,
}

impl OfModel<'_> {
    /// Reads a file, or adds a message that it is missing.
    fn read(&mut self, path: &Path, model: &CampaignModel) -> Option<Vec<u8>> {
        let bytes = fs::read(path).ok();
        if bytes.is_none() {
            let note = format!("{}: no {}", model.name, path.display());
            self.missing.push(note);
        }
        bytes
    }
}

/// Returns the properties of `model`.
pub fn of_model<'c>(
    campaign: &'c Campaign,
    model: &CampaignModel,
) -> Result<OfModel<'c>, InputError> {
    let mut all = OfModel::default();
    let mut loaded: Option<formats::LoadedModel> = None;
    for (number, spanned) in campaign.properties.iter().enumerate() {
        let wanted = spanned.as_ref();
        let wrong = |message: String| campaign.source.error(spanned.span(), message);
        if !models::selected(&wanted.models, &model.name).map_err(wrong)? {
            continue;
        }
        let first = all.certain.len();
        for path in &wanted.mcc {
            let path = expand(path, campaign, model);
            contest(wanted, &path, model, &mut all);
        }
        if !wanted.mcc.is_empty() {
            assume(&mut all.certain[first..], &wanted.fairness());
            continue;
        }
        if loaded.is_none() {
            match load(model) {
                Ok(model) => loaded = Some(model),
                Err(LoadError::Input(error)) => return Err(error),
                Err(LoadError::Stop(stop)) => {
                    let note = format!("{}: it cannot be unfolded: {stop}", model.name);
                    all.missing.push(note);
                    return Ok(all);
                }
            }
        }
        let Some(loaded) = &loaded else { continue };
        let names = loaded.names();
        // Unnamed groups are distinguished by their number.
        let prefix = match wanted.group.as_str() {
            "" if campaign.properties.len() == 1 => String::new(),
            "" => format!("{}-", number + 1),
            group => format!("{}-", group.replace(char::is_whitespace, "-")),
        };
        for (i, inline) in wanted.formulas.iter().enumerate() {
            let property = formula(campaign, wanted, inline, &prefix, i, &names)?;
            all.certain.push(property);
        }
        for path in &wanted.files {
            let path = expand(path, campaign, model);
            file(wanted, &path, model, &prefix, &names, &mut all)?;
        }
        assume(&mut all.certain[first..], &wanted.fairness());
        if let Some(random) = &wanted.random {
            let draws = Draws::new(random, &wanted.group, &model.name, loaded.format, &names);
            let (most, enough) = match &random.filter {
                Some(filter) => (random.number.saturating_mul(filter.draws), usize::MAX),
                None => (random.number.saturating_mul(100), random.number),
            };
            let mut seen = BTreeSet::new();
            let texts = (0..most).filter_map(|k| Some((k, draws.draw(k)?)));
            let texts = texts.filter(|(_, text)| seen.insert(text.clone()));
            let lottery = Lottery {
                random,
                group: &wanted.group,
                draws: texts.take(enough).collect(),
                prefix,
                fairness: wanted.fairness(),
            };
            if random.filter.is_some() {
                all.lotteries.push(lottery);
            } else {
                let drawn = lottery.draws.iter();
                let drawn = drawn.map(|(k, text)| lottery.property(*k, text));
                all.certain.extend(drawn);
            }
        }
    }
    let mut names = BTreeSet::new();
    for property in &all.certain {
        if !names.insert(&property.name) {
            let (model, property) = (&model.name, &property.name);
            let message = format!("two properties of {model} are called `{property}`");
            let error = InputError::new(&campaign.source.origin, message);
            return Err(error.help("give their [[properties]] a group each"));
        }
    }
    Ok(all)
}

impl Lottery<'_> {
    /// Returns the property of draw `k`.
    pub fn property(&self, k: usize, text: &str) -> CampaignProperty {
        let mut property = CampaignProperty {
            name: format!("{}{k}", self.prefix),
            group: self.group.to_owned(),
            args: vec!["-f".to_owned(), text.to_owned()],
            formula: Some(text.to_owned()),
            hash: Hash::new().with(text).hex(),
            seed: Some(self.random.seed),
            known: None,
        };
        assume(std::slice::from_mut(&mut property), &self.fairness);
        property
    }
}

/// Restricts properties to fair runs. Known answers of contest files hold for all runs and are
/// dropped. Answers given next to a formula take the fairness into account and stay.
fn assume(properties: &mut [CampaignProperty], fairness: &[String]) {
    if fairness.is_empty() {
        return;
    }
    for property in properties {
        property.args.extend_from_slice(fairness);
        property.hash = Hash::new()
            .with(&property.hash)
            .with(fairness.join(" "))
            .hex();
        if property.args.iter().any(|arg| arg == "--mcc") {
            property.known = None;
        }
    }
}

fn load(model: &CampaignModel) -> Result<formats::LoadedModel, LoadError> {
    let origin = model.path.display().to_string();
    let budget = Budget::bytes(PLANNING_BYTES);
    let bytes = match &model.generated {
        Some(text) => text.clone().into_bytes(),
        None => fs::read(&model.path)
            .map_err(|error| InputError::new(&origin, format!("cannot be read: {error}")))?,
    };
    formats::load(&origin, &bytes, &budget)
}

/// Substitutes the model's names in a path and resolves it relative to the campaign.
fn expand(path: &str, campaign: &Campaign, model: &CampaignModel) -> PathBuf {
    // The model's path is already relative to the working directory, not to the campaign.
    let (folder, rest) = match path.strip_prefix("{folder}/") {
        Some(rest) => (model.path.parent().unwrap_or(Path::new("")), rest),
        None => (&*campaign.source.folder, path),
    };
    let stem = model.path.file_stem().unwrap_or_default().display();
    let rest = rest.replace("{stem}", &stem.to_string());
    folder.join(rest.replace("{model}", &model.name))
}

/// Adds the properties of a contest file.
fn contest(wanted: &PropertySection, path: &Path, model: &CampaignModel, all: &mut OfModel<'_>) {
    let Some(bytes) = all.read(path, model) else {
        return;
    };
    let text = String::from_utf8_lossy(&bytes);
    let ids = text.split("<id>").skip(1);
    let ids = ids.filter_map(|rest| Some(rest.split_once("</id>")?.0.trim()));
    for id in ids.take(wanted.first.unwrap_or(usize::MAX)) {
        all.certain.push(CampaignProperty {
            name: id.to_owned(),
            group: wanted.group.clone(),
            args: ["--mcc", &path.display().to_string(), "--select", id]
                .map(str::to_owned)
                .to_vec(),
            formula: None,
            hash: Hash::new().with(&bytes).with(id).hex(),
            seed: None,
            known: model.verdicts.get(id).copied(),
        });
    }
}

fn formula(
    campaign: &Campaign,
    wanted: &PropertySection,
    spanned: &Spanned<Inline>,
    prefix: &str,
    position: usize,
    names: &model::Names<'_>,
) -> Result<CampaignProperty, InputError> {
    let inline = spanned.as_ref();
    let mut properties = PropertyList::new();
    properties
        .add_formula(names, &campaign.source.origin, None, &inline.formula)
        .map_err(|error| {
            let message = format!("`{}`: {}", inline.formula, error.message);
            let at = campaign.source.error(spanned.span(), message);
            match error.help {
                Some(help) => at.help(help),
                None => at,
            }
        })?;
    let name = match &inline.name {
        Some(name) => name.clone(),
        None => format!("{prefix}{}", position + 1),
    };
    Ok(CampaignProperty {
        name,
        group: wanted.group.clone(),
        args: vec!["-f".to_owned(), inline.formula.clone()],
        formula: properties.list.pop().map(|property| property.text),
        hash: Hash::new().with(&inline.formula).hex(),
        seed: None,
        known: inline.known,
    })
}

fn file(
    wanted: &PropertySection,
    path: &Path,
    model: &CampaignModel,
    prefix: &str,
    names: &model::Names<'_>,
    all: &mut OfModel<'_>,
) -> Result<(), InputError> {
    let Some(bytes) = all.read(path, model) else {
        return Ok(());
    };
    let origin = path.display().to_string();
    let mut properties = PropertyList::new();
    properties
        .add_file(names, &origin, &bytes)
        .map_err(|errors| InputError::new(&origin, errors.to_string()))?;
    let known = known_in(names, &bytes);
    let list = properties.list.into_iter().enumerate();
    for (i, property) in list.take(wanted.first.unwrap_or(usize::MAX)) {
        let args = ["-F", &origin, "--select", &property.name];
        all.certain.push(CampaignProperty {
            name: format!("{prefix}{}", property.name),
            group: wanted.group.clone(),
            args: args.map(str::to_owned).to_vec(),
            hash: Hash::new().with(&bytes).with(&property.name).hex(),
            formula: Some(property.text),
            seed: None,
            known: (known.get(i).copied().flatten())
                .or_else(|| model.verdicts.get(&property.name).copied()),
        });
    }
    Ok(())
}

/// Returns, per formula of a file, the known answer in a comment on its line: `# known = holds`.
fn known_in(names: &model::Names<'_>, bytes: &[u8]) -> Vec<Option<KnownAnswer>> {
    if model::property_file::looks_like_ltl_file(bytes) {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut known = Vec::new();
    for line in text.lines() {
        let mut single = PropertyList::new();
        if single.add_file(names, "", line.as_bytes()).is_err() || single.list.is_empty() {
            continue;
        }
        let comment = line.rsplit_once('#').map(|(_, comment)| comment.trim());
        let value = comment
            .and_then(|comment| comment.strip_prefix("known"))
            .and_then(|rest| rest.trim_start().strip_prefix('='));
        known.push(match value.map(str::trim) {
            Some("holds") => Some(KnownAnswer::Holds),
            Some("violated") => Some(KnownAnswer::Violated),
            _ => None,
        });
    }
    known
}
