//! Contest property files in which all formulas are reachability properties.

use super::{PathQuantifiers, read_formulas};
use lariat_ltl::{Formula, Node};
use lariat_model::{InputError, Names, Predicate, PropertyList, Reachability, state_predicate};

/// Reads a property file of the contest in which every formula is `EF p` or `AG p`.
pub fn read_reachability(
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<Vec<Reachability>, InputError> {
    let mut properties = PropertyList::new();
    let paths = PathQuantifiers::AllOrSome;
    let about_some = read_formulas(&mut properties, names, origin, bytes, paths)?;
    let mut list = Vec::with_capacity(about_some.len());
    for (property, some) in properties.list.iter().zip(about_some) {
        let found = of_formula(&properties, property.formula, some);
        list.push(Reachability {
            name: property.name.clone(),
            exists: some,
            predicate: found.ok_or_else(|| {
                let message = format!("{} is no property of reachable states", property.name);
                InputError::new(origin, message)
                    .help("expected <exists-path><finally> or <all-paths><globally> around a property of states")
            })?,
            text: format!("{}{}", if some { "E" } else { "A" }, property.text),
        });
    }
    Ok(list)
}

/// The state predicate of `F p` under `E`, if `some`, or `G p` under `A`.
fn of_formula(properties: &PropertyList, formula: Formula, some: bool) -> Option<Predicate> {
    let inner = match (properties.formulas.node(formula), some) {
        (Node::Finally(inner), true) | (Node::Globally(inner), false) => *inner,
        // Simplified formulas such as `F true`.
        (Node::True | Node::False, _) => formula,
        _ => return None,
    };
    state_predicate(&properties.formulas, &properties.propositions, inner)
}
