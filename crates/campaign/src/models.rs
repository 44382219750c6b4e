//! The models of a campaign: generated, by path, or from the contest folder.
//!
//! Missing models are reported and skipped, so campaigns with contest models run everywhere.
//! Generated nets are written once, next to the results. Jobs are checked against tables of known
//! answers in the models' folder (`index.tsv`, `verdicts.tsv`).

use crate::file::{Campaign, KnownAnswer};
use crate::id::Hash;
use glob::{MatchOptions, Pattern};
use lariat::internals::InputError;
use lariat::internals::formats::pnml;
use lariat::internals::ir::generate::{Family, generate};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A model of the campaign.
#[derive(Clone, Debug)]
pub struct CampaignModel {
    /// Its short name, unique in the campaign.
    pub name: String,
    /// The family in which it is summed up.
    pub family: String,
    pub path: PathBuf,
    /// The text of a generated net, to be written to that file.
    pub generated: Option<String>,
    /// A hash of its contents.
    pub hash: String,
    /// The number of states, if known.
    pub states: Option<String>,
    /// Known answers, by the property's name.
    pub verdicts: BTreeMap<String, KnownAnswer>,
}

/// The models that were found, and a message for each that was not.
#[derive(Debug, Default)]
pub struct FoundModels {
    pub models: Vec<CampaignModel>,
    pub missing: Vec<String>,
}

const LITERAL: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Finds the models. Paths of generated models are in `cache`. Contest models are searched in
/// `contest`, the folder that contains `mcc/`.
pub fn find(
    campaign: &Campaign,
    cache: &Path,
    contest: Option<&Path>,
) -> Result<FoundModels, InputError> {
    let source = &campaign.source;
    let mut found = FoundModels::default();
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    for spanned in &campaign.models {
        let models = spanned.as_ref();
        let wrong = |message: String| source.error(spanned.span(), message);
        let mut batch = Vec::new();
        if let Some(family) = &models.generate {
            let family: Family = family
                .parse()
                .map_err(|e: lariat::internals::ir::generate::NoSuchNet| wrong(e.to_string()))?;
            for size in &models.sizes {
                let system = generate(family, *size).map_err(|e| wrong(e.to_string()))?;
                let text = pnml::write(&system)
                    .ok_or_else(|| wrong("this family is not a place/transition net".to_owned()))?;
                let name = format!("{}-{size}", family.name());
                batch.push(CampaignModel {
                    family: family.name().to_owned(),
                    path: cache.join(format!("{name}.pnml")),
                    hash: Hash::new().with(&text).hex(),
                    name,
                    generated: Some(text),
                    states: None,
                    verdicts: BTreeMap::new(),
                });
            }
        }
        let in_pattern = |pattern: &str, error: String| wrong(format!("`{pattern}`: {error}"));
        for pattern in &models.files {
            let full = source.folder.join(pattern);
            let files = files(&full, "no file", &mut found.missing);
            batch.extend(files.map_err(|e| in_pattern(pattern, e))?);
        }
        let instances = models.contest.iter().map(|pattern| {
            let path = Path::new("mcc").join(pattern).join("model.pnml");
            (pattern, path)
        });
        let others = models.collection.iter().map(|p| (p, PathBuf::from(p)));
        for (pattern, path) in instances.chain(others) {
            let Some(folder) = contest else {
                let note = format!("{pattern}: no folder of contest models is given");
                found.missing.push(note);
                continue;
            };
            let full = folder.join(path);
            let files = files(&full, &format!("{pattern}: no"), &mut found.missing);
            batch.extend(files.map_err(|e| in_pattern(pattern, e))?);
        }
        for mut model in batch {
            if let Some(family) = &models.family {
                model.family.clone_from(family);
            }
            match seen.get(&model.name) {
                None => {
                    seen.insert(model.name.clone(), model.path.clone());
                    found.models.push(model);
                }
                Some(path) if *path == model.path => {}
                Some(path) => {
                    return Err(wrong(format!(
                        "two models are called `{}`: {} and {}",
                        model.name,
                        path.display(),
                        model.path.display()
                    )));
                }
            }
        }
    }
    Ok(found)
}

/// Reads the models in all files that match a pattern, and adds messages to `missing`.
fn files(full: &Path, none: &str, missing: &mut Vec<String>) -> Result<Vec<CampaignModel>, String> {
    let paths = matching(full)?;
    if paths.is_empty() {
        missing.push(format!("{none} {}", full.display()));
    }
    let models = paths.into_iter().filter_map(|path| file(path, missing));
    Ok(models.collect())
}

/// Returns the files that match a pattern, sorted by name. The path of an existing file matches
/// only this file, even if it contains wildcard characters.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    if pattern.exists() {
        return Ok(vec![pattern.to_owned()]);
    }
    let pattern = pattern.to_str().ok_or("this is not UTF-8")?;
    let paths = glob::glob_with(pattern, LITERAL).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> = paths.filter_map(Result::ok).collect();
    paths.sort();
    Ok(paths)
}

/// Reads the model in a file, or adds a message to `missing`.
fn file(path: PathBuf, missing: &mut Vec<String>) -> Option<CampaignModel> {
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            missing.push(format!("{}: {error}", path.display()));
            return None;
        }
    };
    let stem = text_of(path.file_stem());
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = match stem.as_str() {
        // Contest layout: the folder has the model's name.
        "model" => folder
            .file_name()
            .map_or(stem.clone(), |name| text_of(Some(name))),
        _ => stem.clone(),
    };
    let above = folder.parent();
    let states = table(&folder.join("index.tsv"))
        .or_else(|| table(&above?.join("index.tsv")))
        .and_then(|index| states(&index, &name));
    let verdicts = table(&folder.join("verdicts.tsv"))
        .map(|verdicts| known(&verdicts, &name))
        .unwrap_or_default();
    Some(CampaignModel {
        family: family(&name),
        hash: Hash::new().with(&bytes).hex(),
        name,
        path,
        generated: None,
        states,
        verdicts,
    })
}

fn text_of(name: Option<&std::ffi::OsStr>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the family: `Raft` of `Raft-PT-03`, `anderson` of `anderson.2`, `kanban` of `kanban-5`.
fn family(name: &str) -> String {
    for kind in ["-PT-", "-COL-"] {
        if let Some((family, _)) = name.split_once(kind) {
            return family.to_owned();
        }
    }
    let without = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let without = without.trim_end_matches(['-', '.', '_']);
    if without.is_empty() { name } else { without }.to_owned()
}

/// Reads a tab-separated table: one map per line, from column names to cells.
fn table(path: &Path) -> Option<Vec<BTreeMap<String, String>>> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next()?.split('\t').collect();
    let row = |line: &str| {
        let cells = line.split('\t').map(str::to_owned);
        columns.iter().map(|c| (*c).to_owned()).zip(cells).collect()
    };
    Some(lines.map(row).collect())
}

fn states(index: &[BTreeMap<String, String>], name: &str) -> Option<String> {
    let row = index.iter().find(|row| {
        let named = row.get("instance").or_else(|| row.get("model"));
        named.is_some_and(|n| n == name)
    })?;
    let states = row.get("states")?;
    let number = !states.is_empty() && states.bytes().all(|b| b.is_ascii_digit());
    (number || states == "+inf").then(|| states.clone())
}

fn known(verdicts: &[BTreeMap<String, String>], name: &str) -> BTreeMap<String, KnownAnswer> {
    let of_model = |row: &&BTreeMap<String, String>| row.get("model").is_none_or(|m| m == name);
    let rows = verdicts.iter().filter(of_model);
    let answers = rows.filter_map(|row| {
        let property = row.get("property").or_else(|| row.get("formula"))?;
        let known = match row.get("verdict")?.as_str() {
            "T" => KnownAnswer::Holds,
            "F" => KnownAnswer::Violated,
            _ => return None,
        };
        Some((property.clone(), known))
    });
    answers.collect()
}

/// Writes a generated net that has not been written yet.
pub fn write_generated(model: &CampaignModel) -> io::Result<()> {
    let (path, Some(text)) = (&model.path, &model.generated) else {
        return Ok(());
    };
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Write, then rename, so that no reader finds an incomplete file.
    let part = path.with_extension(format!("part{}", std::process::id()));
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

/// Returns whether one of the patterns matches the name, or there are no patterns.
pub(crate) fn selected(patterns: &[String], name: &str) -> Result<bool, String> {
    let patterns: Result<Vec<_>, _> = patterns.iter().map(|p| Pattern::new(p)).collect();
    let patterns = patterns.map_err(|error| error.to_string())?;
    Ok(patterns.is_empty() || patterns.iter().any(|p| p.matches(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_is_a_prefix_of_the_name() {
        assert_eq!(family("Raft-PT-03"), "Raft");
        assert_eq!(family("BART-COL-002"), "BART");
        assert_eq!(family("anderson.2"), "anderson");
        assert_eq!(family("kanban-5"), "kanban");
        assert_eq!(family("mutex"), "mutex");
        assert_eq!(family("42"), "42");
    }

    #[test]
    fn patterns_select_names() {
        let patterns = ["kanban-*".to_owned(), "fms-5".to_owned()];
        assert_eq!(selected(&patterns, "kanban-5"), Ok(true));
        assert_eq!(selected(&patterns, "fms-10"), Ok(false));
        assert_eq!(selected(&[], "fms-10"), Ok(true));
        assert!(selected(&["[".to_owned()], "x").is_err());
    }
}
