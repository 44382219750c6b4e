//! Coloured nets: every construct, what they unfold to, how they are spoken of, and what is refused.

mod kit;
mod names;
mod refusals;
mod unfolding;
