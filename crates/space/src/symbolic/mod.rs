//! A system as sets of states, on decision diagrams.

mod figures;
mod layout;
mod moves;
mod partial;
mod pumping;
mod reach;
mod residual;
mod space;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use figures::Census;
pub use lariat_dd::{Residual, Set, UBig};
pub use layout::Layout;
pub use pumping::{Pumping, pumping};
pub use reach::{Attempt, OrderChoice, Reach, Reached, reach};
pub use residual::Residuals;
pub use space::{Steps, Symbolic};
