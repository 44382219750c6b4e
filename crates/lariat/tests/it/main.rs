//! Tests of whole checks through the library: options, verdicts, evidence and statistics.

mod asking;
mod at_once;
mod builders;
mod coloured;
mod conditions;
mod contest;
mod covering;
mod cross;
mod examples;
mod explored;
mod fairness;
mod faults;
mod figures;
mod kit;
mod on_the_fly;
mod partial;
mod philosophers;
mod prefixes;
mod products;
mod programs;
mod progress;
mod published;
mod replay;
mod shortening;
mod symmetric;
mod walks;
