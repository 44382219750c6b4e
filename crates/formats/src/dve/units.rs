//! Units of a program: groups of variables for variable orders.
//!
//! The location and the local variables of a process form a unit, whose variables orders keep
//! adjacent. Every global variable and every cell of a global array is a separate unit, even if
//! only one process writes it, since adding it to that process enlarges diagrams.

use super::scope::{Symbol, SymbolTable};
use lariat_model::{Unit, VarId};

/// The units of a program with this number of variables.
pub(super) fn units(names: &SymbolTable, variables: usize) -> Vec<Unit> {
    let mut units = vec![Unit::default()];
    let mut local = vec![false; variables];
    for process in &names.processes {
        // A property process is not part of the system.
        let Some(location) = process.location else {
            continue;
        };
        let own = process.locals.values().filter_map(|symbol| match symbol {
            Symbol::Variable { first, len, .. } => Some((first.0, len.unwrap_or(1))),
            Symbol::Constant(_) | Symbol::Channel(_) => None,
        });
        let own = own.flat_map(|(first, len)| first..first + len).map(VarId);
        let mut places: Vec<VarId> = own.chain([location]).collect();
        places.sort_unstable();
        for place in &places {
            local[place.index()] = true;
        }
        units.push(of(places));
    }
    let globals = (0..variables).filter(|var| !local[*var]);
    units.extend(globals.map(|var| of(vec![VarId(var as u32)])));
    units[0].subunits = (1..units.len()).collect();
    units
}

fn of(places: Vec<VarId>) -> Unit {
    Unit {
        places,
        ..Unit::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::dve::read;

    #[test]
    fn processes_are_units() {
        let text = b"byte a[2], b;
            process P { byte x, y[2]; state s; init s; trans s -> s { effect x = y[0]; }; }
            process Q { state s; init s; }
            system async;";
        let system = read("test", text).unwrap().system;
        let names = |unit: usize| -> Vec<&str> {
            let places = system.units[unit].places.iter();
            places.map(|v| &*system.variable(*v).name).collect()
        };
        assert_eq!(names(1), ["P", "P.x", "P.y[0]", "P.y[1]"]);
        assert_eq!(names(2), ["Q"]);
        let globals: Vec<_> = (3..system.units.len()).flat_map(names).collect();
        assert_eq!(globals, ["a[0]", "a[1]", "b"]);
        assert_eq!(system.units[0].subunits.len(), 5);
    }
}
