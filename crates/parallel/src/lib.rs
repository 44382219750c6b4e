//! What several workers share, without unsafe code.
//!
//! Diagrams and state tables are shared in the same way: arrays of atomics that everybody reads and adds to,
//! and that now and then must grow or be tidied by somebody who has them alone.
//!
//! | | |
//! | --- | --- |
//! | [`Pass`] | what is shared, and the meetings at which one worker has it alone |
//! | [`Slots`] | a hash table of ids, for things that lie elsewhere; adding takes no lock |
//! | [`WordSet`] | a set of words, which are their own slots |
//! | [`Segments`] | an array that grows while others use it, and moves nothing |
//! | [`Versions`] | entries of several words that are read whole or not at all |
//! | [`Board`] | tasks for whoever has nothing to do |
//! | [`Ahead`] | values that others compute before they are asked for |
//! | [`Common`] | values that are found once for all |
//! | [`divide`] | a long table gone through by several threads |
//! | [`zeroed`] | large arrays of zeros, atomics too, whose memory is taken when it is used |
//!
//! Without `unsafe` there are no data races; what can go wrong is the order in which workers see each other's
//! words. So the files of this crate are compiled a second time, in its tests, on the atomics and locks of
//! loom, which tries every order that the memory model allows (up to two preemptions a thread). All of them
//! come from the module `sync`, which is what the tests exchange; nothing else is different there, and a normal
//! build pays nothing for it.

#![forbid(unsafe_code)]

mod ahead;
mod board;
mod common;
mod gate;
mod hands;
mod segments;
mod slots;
mod sync;
mod versions;
mod words;

pub use ahead::{Ahead, Behind, Company, Place};
pub use board::Board;
pub use common::Common;
pub use gate::Pass;
pub use hands::{divide, shares};
pub use segments::Segments;
pub use slots::Slots;
pub use sync::zeroed;
pub use versions::Versions;
pub use words::WordSet;
