//! Drawings, checked by their coordinates and in a browser.

mod browser;
mod drawings;
mod glance;
mod limits;
mod pages;
mod site;
