//! Random Promela models: processes with channels, atomic sequences, `d_step`s and escapes.
//!
//! [`text`] writes a model that SPIN accepts and whose searches end: variables are small numbers, a
//! loop inside an atomic sequence counts, a `d_step` does not wait, and `run` is never repeated.
//! Processes begin and end in any order; values are truncated; atomic sequences wait inside;
//! rendezvous connect atomic sequences; `else` stands beside channel operations. [`random`] reads
//! such a model as a system for the oracle.

use lariat_corpora::Random;
use lariat_model::System;
use std::fmt::Write;

use crate::oracle::Reachable;

/// A model: declarations and processes, and formulas about it in the syntax of SPIN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The model without its formulas.
    pub text: String,
    /// The formulas, named `f0`, `f1`, …
    pub formulas: Vec<String>,
}

impl Model {
    /// Returns the text with an `ltl` block per formula.
    pub fn with_formulas(&self) -> String {
        let mut text = self.text.clone();
        for (i, formula) in self.formulas.iter().enumerate() {
            text += &format!("ltl f{i} {{ {formula} }}\n");
        }
        text
    }
}

/// Generates a model with at most `cut` reachable states, as read from its text.
///
/// # Panics
///
/// If the text cannot be read.
pub fn random(rng: &mut Random, cut: usize) -> System {
    loop {
        let model = text(rng, 3);
        let read = lariat_formats::promela::read("random.pml", model.text.as_bytes());
        let mut system = read
            .unwrap_or_else(|error| panic!("{error}\n{}", model.text))
            .system;
        "promela".clone_into(&mut system.name);
        let states = Reachable::explore(&system, cut).map_or(0, |all| all.states.len());
        if states > 2 {
            return system;
        }
    }
}

/// Generates a model whose processes have up to `most` statements at their top level.
pub fn text(rng: &mut Random, most: usize) -> Model {
    let mut writer = Writer {
        sizes: [0; CHANNELS.len()].map(|_| *rng.one_of(&[0, 0, 1, 1, 2])),
        rng,
        out: String::new(),
        labels: 0,
        depth: 0,
        has_child: false,
    };
    writer.has_child = writer.rng.percent(35);
    writer.declarations();
    if writer.has_child {
        writer.child();
    }
    for process in 0..2 + usize::from(writer.rng.percent(25)) {
        writer.process(process, most);
    }
    Model {
        formulas: writer.formulas(),
        text: writer.out,
    }
}

/// Channels with the number of fields of a message.
const CHANNELS: [(&str, usize); 2] = [("c", 1), ("d", 2)];

/// Global variables that stay below 4, with one exception.
const GLOBALS: [&str; 3] = ["x", "y", "z"];

/// The context of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Steps of their own.
    Process,
    Atomic,
    DStep,
}

struct Writer<'r> {
    rng: &'r mut Random,
    /// Capacities of the channels.
    sizes: [usize; CHANNELS.len()],
    out: String,
    /// Labels of the current process.
    labels: usize,
    depth: usize,
    has_child: bool,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn declarations(&mut self) {
        let first = self.rng.below(3);
        let _ = writeln!(self.out, "byte x, y = {first}, z;");
        self.put("bit b; byte a[2];\n");
        for (i, (name, fields)) in CHANNELS.into_iter().enumerate() {
            let types = if fields == 1 { "byte" } else { "byte, bit" };
            let size = self.sizes[i];
            let _ = writeln!(self.out, "chan {name} = [{size}] of {{ {types} }};");
        }
    }

    /// A process that others create.
    fn child(&mut self) {
        self.put("proctype R(byte n; chan q) {\n");
        if self.rng.coin() {
            self.put("  byte l = n + 1;\n");
        } else {
            self.put("  byte l;\n");
        }
        self.labels = 0;
        let parameter = ["q!n", "q?l", "x = n"];
        if self.rng.percent(60) {
            let step = *self.rng.one_of(&parameter);
            let _ = writeln!(self.out, "  {step};");
        }
        self.sequence(2, Inside::Process);
        self.put("}\n");
    }

    fn process(&mut self, number: usize, most: usize) {
        let instances = if number == 1 && self.rng.percent(15) {
            "[2] "
        } else {
            " "
        };
        let provided = match self.rng.percent(4) {
            true => " provided (b == 0)",
            false => "",
        };
        let _ = writeln!(
            self.out,
            "active {instances}proctype P{number}(){provided} {{"
        );
        self.put("  byte l;\n");
        self.labels = 0;
        if number == 0 && self.has_child {
            for _ in 0..=self.rng.below(2_usize) {
                self.run();
            }
        }
        let begins = self.rng.percent(40);
        if begins {
            let prefix = *self.rng.one_of(&["L", "L", "end", "progress"]);
            let _ = write!(self.out, "{prefix}0: ");
            let label = format!("{prefix}0");
            self.sequence(most, Inside::Process);
            if self.rng.percent(60) {
                let condition = self.guard(Inside::Process);
                let _ = writeln!(self.out, "  if :: {condition} -> goto {label} :: true fi\n");
            } else {
                let _ = writeln!(self.out, "  goto {label}");
            }
        } else {
            self.sequence(most, Inside::Process);
        }
        self.put("}\n");
    }

    fn run(&mut self) {
        let value = self.value();
        let channel = CHANNELS[0].0;
        let run = format!("run R({value}, {channel})");
        let text = match self.rng.below(3) {
            0 => format!("atomic {{ {run}; {} }}", self.assignment()),
            1 => format!("l = {run}"),
            _ => run,
        };
        let _ = writeln!(self.out, "  {text};");
    }

    fn sequence(&mut self, most: usize, inside: Inside) {
        let count = 1 + self.rng.below(most);
        for _ in 0..count {
            self.put("  ");
            self.statement(inside);
            self.put(";\n");
        }
    }

    fn statement(&mut self, inside: Inside) {
        self.depth += 1;
        let is_flat = self.depth > 2;
        let in_process = inside == Inside::Process;
        match self.rng.below(100) {
            0..14 if in_process && !is_flat => {
                self.put("atomic { ");
                self.sequence(3, Inside::Atomic);
                self.put("}");
            }
            14..22 if inside != Inside::DStep && !is_flat => {
                self.put("d_step { ");
                self.sequence(2, Inside::DStep);
                self.put("}");
            }
            22..36 if !is_flat => self.choice(inside),
            36..46 if in_process && !is_flat => self.repetition(),
            46..50 if !is_flat => self.count(inside),
            // SPIN takes both escapes of nested parts that begin together.
            50..54 if in_process && !is_flat && !self.out.trim_end().ends_with('{') => {
                self.put("{ ");
                self.sequence(2, inside);
                let guard = self.guard(inside);
                let _ = write!(self.out, "}} unless {{ {guard} -> ");
                self.sequence(1, inside);
                self.put("}");
            }
            54..57 if in_process => {
                let claim = self.condition();
                let _ = write!(self.out, "assert({claim})");
            }
            57..78 if inside != Inside::DStep => {
                let step = self.exchange();
                self.put(&step);
            }
            78..86 if inside != Inside::DStep => {
                let guard = self.guard(inside);
                self.put(&guard);
            }
            _ => {
                let step = self.assignment();
                self.put(&step);
            }
        }
        self.depth -= 1;
    }

    fn choice(&mut self, inside: Inside) {
        self.put("if ");
        let options = 1 + self.rng.below(3_usize);
        // A d_step does not wait.
        let with_else = inside == Inside::DStep || self.rng.percent(40);
        for _ in 0..options {
            let guard = self.opening(inside);
            let _ = write!(self.out, ":: {guard} -> ");
            self.sequence(1, inside);
        }
        if with_else {
            self.put(":: else -> ");
            self.sequence(1, inside);
        }
        self.put("fi");
    }

    fn repetition(&mut self) {
        self.put("do ");
        for _ in 0..1 + self.rng.below(2_usize) {
            let guard = self.opening(Inside::Process);
            let _ = write!(self.out, ":: {guard} -> ");
            self.sequence(1, Inside::Process);
        }
        match self.rng.below(3) {
            0 => self.put(":: else -> break "),
            1 => {
                let guard = self.guard(Inside::Process);
                let _ = write!(self.out, ":: {guard} -> break ");
            }
            _ => self.put(":: true -> break "),
        }
        self.put("od");
    }

    /// A loop that ends.
    ///
    /// SPIN jumps to the second step of a `for` that is labelled: after a label there is a `do`.
    fn count(&mut self, inside: Inside) {
        let is_labelled = self.out.trim_end().ends_with(':') && !self.out.ends_with(":: ");
        match self.rng.below(3) {
            _ if is_labelled => self.put("do :: l < 2 -> l++ :: else -> break od"),
            0 if inside != Inside::DStep => self.put("select (l : 0 .. 2)"),
            1 => self.put("for (l : 0 .. 1) { a[l] = l }"),
            _ => self.put("l = 0; do :: l < 2 -> l++ :: else -> break od"),
        }
    }

    /// The first statement of an option.
    fn opening(&mut self, inside: Inside) -> String {
        match self.rng.below(3) {
            0 if inside != Inside::DStep => self.exchange(),
            1 if inside == Inside::Process => self.assignment(),
            _ => self.guard(inside),
        }
    }

    fn guard(&mut self, inside: Inside) -> String {
        let channel = self.rng.below(CHANNELS.len());
        let name = CHANNELS[channel].0;
        match self.rng.below(20) {
            0 => format!("len({name}) == {}", self.rng.below(2)),
            1 => format!(
                "{}({name})",
                self.rng.one_of(&["empty", "nempty", "full", "nfull"])
            ),
            2 if self.sizes[channel] > 0 => {
                let (mark, value) = (*self.rng.one_of(&["?", "??"]), self.rng.below(3));
                let rest = if CHANNELS[channel].1 == 2 { ",_" } else { "" };
                format!("{name}{mark}[{value}{rest}]")
            }
            3 if inside == Inside::Process => "timeout".to_owned(),
            4 => "_pid > 0".to_owned(),
            5 if inside == Inside::Process => "true".to_owned(),
            _ => self.condition(),
        }
    }

    fn condition(&mut self) -> String {
        let variable = self.variable();
        let (sign, value) = (
            *self.rng.one_of(&["==", "!=", "<", ">", "<=", ">="]),
            self.value(),
        );
        let one = format!("{variable} {sign} {value}");
        match self.rng.below(8) {
            0 => format!("({one} && {} != 1)", self.variable()),
            1 => format!("({one} || b)"),
            2 => format!("({one} -> b : !b)"),
            _ => one,
        }
    }

    fn variable(&mut self) -> String {
        let names = ["x", "x", "y", "y", "z", "l", "b", "a[0]", "a[1]", "a[b]"];
        (*self.rng.one_of(&names)).to_owned()
    }

    fn value(&mut self) -> String {
        match self.rng.below(4) {
            0 => self.variable(),
            _ => self.rng.below(3).to_string(),
        }
    }

    fn assignment(&mut self) -> String {
        let target = self.variable();
        match self.rng.below(12) {
            0..4 => format!("{target} = {}", self.value()),
            4 => format!("b = {}", self.value()),
            5 => "b = 1 - b".to_owned(),
            6 if target != "b" => format!("{target} = ({target} + 3) % 4"),
            // Truncated.
            7 => "z = (z == 0 -> 257 : 0)".to_owned(),
            8 => "b++".to_owned(),
            _ => {
                let target = if target == "b" { "y" } else { &target };
                format!("{target} = ({target} + 1) % 3")
            }
        }
    }

    fn exchange(&mut self) -> String {
        let channel = self.rng.below(CHANNELS.len());
        let (name, fields) = CHANNELS[channel];
        let is_buffered = self.sizes[channel] > 0;
        // SPIN reports a message without all fields.
        let second = fields == 2;
        if self.rng.coin() {
            let mark = if is_buffered && self.rng.percent(20) {
                "!!"
            } else {
                "!"
            };
            let rest = if second {
                format!(",{}", self.value())
            } else {
                String::new()
            };
            return format!("{name}{mark}{}{rest}", self.value());
        }
        let pattern = match self.rng.below(5) {
            // SPIN loses states if the same receive assigns what `eval` reads.
            0 => format!("eval({})", self.rng.one_of(&["x", "y", "z", "l", "a[0]"])),
            1 => self.rng.below(3).to_string(),
            2 => "_".to_owned(),
            _ => (*self.rng.one_of(&["x", "y", "l", "a[1]"])).to_owned(),
        };
        let rest = match (second, self.rng.coin()) {
            (false, _) => "",
            (true, false) => ",b",
            (true, true) => ",1",
        };
        let mark = if is_buffered && self.rng.percent(20) {
            "??"
        } else {
            "?"
        };
        match is_buffered && self.rng.percent(15) {
            true => format!("{name}{mark}<{pattern}{rest}>"),
            false => format!("{name}{mark}{pattern}{rest}"),
        }
    }

    fn formulas(&mut self) -> Vec<String> {
        let atom = |rng: &mut Random| {
            let name = *rng.one_of(&GLOBALS);
            let sign = *rng.one_of(&["==", "==", "!=", "<", ">"]);
            format!("({name} {sign} {})", rng.below(3))
        };
        let rng = &mut *self.rng;
        let mut formulas = Vec::new();
        for _ in 0..3 {
            let (p, q) = (atom(rng), atom(rng));
            formulas.push(match rng.below(9) {
                0 => format!("[] {p}"),
                1 => format!("<> {p}"),
                2 => format!("[] <> {p}"),
                3 => format!("<> [] {p}"),
                4 => format!("[] ({p} -> <> {q})"),
                5 => format!("{p} U {q}"),
                6 => format!("[] ({p} -> ({p} U {q}))"),
                7 => format!("([] <> {p}) -> ([] <> {q})"),
                _ => format!("(!{p}) W {q}"),
            });
        }
        formulas
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_can_be_read_and_have_states() {
        for seed in 0..if cfg!(miri) { 2 } else { 200 } {
            let system = random(&mut Random::new(seed), 300);
            assert!(!system.events.is_empty());
        }
    }
}
