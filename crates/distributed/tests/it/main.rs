//! Workers of one process, of several processes, and of processes that are killed, stopped and starved.

mod faults;
mod fleet;
mod processes;
mod threads;
