//! The emptiness checks against brute force, on graphs that make their rules work.

mod couvreur;
mod inclusion;
mod kit;
mod powerset;
mod streett;
mod two_pass;
mod ufscc;
