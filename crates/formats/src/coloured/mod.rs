//! Coloured nets in PNML: declarations of sorts, terms and guards, with all sorts checked.

mod declare;
mod raw;
mod read;
mod terms;

pub(crate) use read::read;
