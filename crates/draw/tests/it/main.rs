//! Pictures as numbers say they are, and as a browser shows them.

mod browser;
mod drawings;
mod pages;
