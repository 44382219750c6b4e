//! The fuzz targets: each reader accepts any bytes and either rejects them with a message or
//! returns a usable result, without panicking or hanging. Each function returns whether the bytes
//! were accepted; tests of the crate `differential` require this of the seeds.

#![forbid(unsafe_code)]

use lariat_automata::read_hoa;
use lariat_budget::Budget;
use lariat_formats::pnml::{self, Pnml};
use lariat_formats::{dve, etf, mcc, promela};
use lariat_ltl::{Formulas, FreeVocabulary, Syntax, parse, print};
use lariat_model::coloured::{quotient, unfold};
use lariat_model::generate::{Family, generate};
use lariat_model::{InputError, Names, PropertyList, System};
use std::time::Duration;

/// Place/transition nets: an accepted net can be written and read again.
pub fn pnml(bytes: &[u8]) -> bool {
    let Some(Pnml::Plain(system)) = accepted(pnml::read("net", bytes)).map(|read| read.net) else {
        return false;
    };
    walk(&system);
    if let Some(text) = pnml::write(&system) {
        let again = pnml::read("again", text.as_bytes()).map(|read| read.net);
        assert!(matches!(again, Ok(Pnml::Plain(_))), "{again:?}\n{text}");
    }
    true
}

/// Coloured nets: an accepted net is unfolded, and its quotient computed, within a budget.
pub fn coloured(bytes: &[u8]) -> bool {
    let Some(Pnml::Coloured(net)) = accepted(pnml::read("net", bytes)).map(|read| read.net) else {
        return false;
    };
    let budget = Budget::bytes(1 << 24).with_deadline(Duration::from_secs(2));
    if let Ok(unfolded) = unfold(&net, &budget) {
        walk(&unfolded.system);
    }
    if let Ok(Some((_, system))) = quotient(&net, &budget) {
        walk(&system);
    }
    true
}

/// Programs in DVE.
pub fn dve(bytes: &[u8]) -> bool {
    let program = accepted(dve::read("program", bytes));
    program.inspect(|program| walk(&program.system)).is_some()
}

/// Programs in Promela.
pub fn promela(bytes: &[u8]) -> bool {
    let program = accepted(promela::read("program", bytes));
    program.inspect(|program| walk(&program.system)).is_some()
}

/// Tables in ETF.
pub fn etf(bytes: &[u8]) -> bool {
    let tables = accepted(etf::read("tables", bytes));
    tables.inspect(|tables| walk(&tables.system)).is_some()
}

/// Property files of the Model Checking Contest, over a net whose names the seeds use.
pub fn mcc(bytes: &[u8]) -> bool {
    let system = generate(Family::Philosophers, 2).expect("a small net");
    let mut properties = PropertyList::new();
    let read = accepted(mcc::read(
        &mut properties,
        &Names::of(&system),
        "properties",
        bytes,
    ));
    assert_eq!(
        properties.propositions.len(),
        properties.formulas.atom_count()
    );
    read.is_some() && !properties.list.is_empty()
}

/// Automata in HOA.
pub fn hoa(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut formulas = Formulas::new();
    let read = read_hoa(text, &mut |name| Ok(formulas.atom_id(name)));
    if let Err(error) = &read {
        assert!(!error.to_string().is_empty());
    }
    read.is_ok()
}

/// Formulas: printing and parsing yields the same formula.
pub fn formula(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut formulas = Formulas::new();
    match parse(text, &mut formulas, &mut FreeVocabulary) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
        Ok(formula) => {
            let printed = print(&formulas, formula, Syntax::Spot);
            let again = parse(&printed, &mut formulas, &mut FreeVocabulary);
            assert_eq!(again.ok(), Some(formula), "{text} was printed as {printed}");
            true
        }
    }
}

/// The result, if accepted; otherwise the error message must not be empty.
fn accepted<T>(result: Result<T, InputError>) -> Option<T> {
    if let Err(error) = &result {
        assert!(!error.to_string().is_empty());
    }
    result.ok()
}

/// Takes a few steps, so that the interpreter processes the result.
fn walk(system: &System) {
    let Some(mut state) = system.initial.first().cloned() else {
        return;
    };
    for _ in 0..4 {
        let mut successors = system
            .event_ids()
            .take(100)
            .flat_map(|event| system.successors(&state, event));
        let Some(next) = successors.next() else {
            break;
        };
        state = next;
    }
}
