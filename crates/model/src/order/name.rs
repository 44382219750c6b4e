//! Names of orders on the command line and in results.

use std::fmt;
use std::str::FromStr;

/// A method for computing an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Heuristic {
    /// The order of the model file.
    File,
    /// FORCE from the file order.
    Force,
    /// Reverse Cuthill–McKee, refined by FORCE.
    RcmForce,
    /// Greedily, the variable whose events are most complete next.
    Noack,
    /// Along the unit tree of a nested-unit Petri net, or the processes of a program.
    Units,
}

/// The end of the diagram at which a heuristic's sequence starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OrderDirection {
    /// The first variable is at the bottom.
    Up,
    /// The first variable is at the top.
    Down,
}

/// A heuristic with a direction, written `noack-up`.
///
/// Without a direction the default of the heuristic is used: up for Noack, as published, and down
/// for the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OrderName {
    /// The heuristic.
    pub heuristic: Heuristic,
    /// The direction of its sequence.
    pub direction: OrderDirection,
}

impl Heuristic {
    /// All heuristics.
    pub const ALL: [Heuristic; 5] = [
        Heuristic::File,
        Heuristic::Force,
        Heuristic::RcmForce,
        Heuristic::Noack,
        Heuristic::Units,
    ];

    /// The name without a direction.
    pub fn name(self) -> &'static str {
        match self {
            Heuristic::File => "file",
            Heuristic::Force => "force",
            Heuristic::RcmForce => "rcm-force",
            Heuristic::Noack => "noack",
            Heuristic::Units => "units",
        }
    }
}

impl OrderName {
    /// The file order, the first variable at the top.
    pub const FILE: OrderName = OrderName {
        heuristic: Heuristic::File,
        direction: OrderDirection::Down,
    };

    /// All names.
    pub fn all() -> impl Iterator<Item = OrderName> {
        Heuristic::ALL.into_iter().flat_map(OrderName::both)
    }

    /// The names with this heuristic.
    pub(super) fn both(heuristic: Heuristic) -> [OrderName; 2] {
        [OrderDirection::Down, OrderDirection::Up].map(|direction| OrderName {
            heuristic,
            direction,
        })
    }
}

impl fmt::Display for OrderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == OrderName::FILE {
            return f.write_str("file");
        }
        let direction = match self.direction {
            OrderDirection::Up => "up",
            OrderDirection::Down => "down",
        };
        write!(f, "{}-{direction}", self.heuristic.name())
    }
}

impl FromStr for OrderName {
    type Err = String;

    fn from_str(text: &str) -> Result<OrderName, String> {
        let (bare, direction) = match (text.strip_suffix("-up"), text.strip_suffix("-down")) {
            (Some(bare), _) => (bare, Some(OrderDirection::Up)),
            (_, Some(bare)) => (bare, Some(OrderDirection::Down)),
            _ => (text, None),
        };
        let heuristic = Heuristic::ALL.into_iter().find(|h| h.name() == bare);
        let Some(heuristic) = heuristic else {
            let known = Heuristic::ALL.map(Heuristic::name).join(", ");
            return Err(format!(
                "no order is called `{text}`: expected {known}, each with -up or -down"
            ));
        };
        let usual = match heuristic {
            Heuristic::Noack => OrderDirection::Up,
            _ => OrderDirection::Down,
        };
        Ok(OrderName {
            heuristic,
            direction: direction.unwrap_or(usual),
        })
    }
}
