//! A system as sets of states, on decision diagrams.

mod layout;
mod partial;
mod pumping;
mod residual;
#[cfg(test)]
mod testing;

pub use layout::Layout;
pub use pumping::{Pumping, pumping};
pub use residual::{Residual, Residuals};
