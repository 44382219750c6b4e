//! The control graph of a process: one element per statement, as SPIN numbers them.
//!
//! A *node* of the graph is an element at which a process can rest. `goto`, `break` and the joins
//! behind `fi`, `od` and `unless` are no nodes when a step leads to them ([`Graph::rest`]), except
//! at the end of an atomic block, where a process that has sent on a rendezvous channel rests;
//! `goto` and `break` are also steps when they come first in an option or a block. The first
//! statement of a block, an option or a nested selection belongs to the surrounding node
//! ([`Graph::leaves`]). So the nodes are those of SPIN without statement merging.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::*;
use super::lexer::{Reading, Span};

/// A position in [`Graph::elements`].
pub(super) type ElementId = usize;

/// Limit on the elements of a process.
const ELEMENTS: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) enum ElementKind {
    /// A statement that is one step.
    Basic(Statement),
    /// The assignment of one value of a `select`.
    Value(Reference, i64),
    /// A `goto` or `break`: a step only where it comes first.
    Jump(ElementId),
    /// A `goto` whose label is not resolved yet.
    Goto(Ident),
    /// Behind `fi`, `od`, and the parts of an `unless`.
    Join,
    /// Alternatives by their first elements.
    Choice(Vec<ElementId>),
    /// A block, atomic or not, by its first element.
    Block(ElementId),
    /// A deterministic step by its first element.
    Deterministic(ElementId),
    /// The main part of an `unless`.
    Unless(ElementId),
    /// The closing bracket of the process.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub kind: ElementKind,
    pub next: ElementId,
    pub span: Span,
    pub labels: Vec<Arc<str>>,
    /// Whether it lies inside an atomic block or a `d_step`.
    pub is_inside: bool,
    /// Whether it lies inside an atomic block without being its last element.
    pub is_atomic: bool,
    /// The innermost `d_step` around it.
    pub d_step: Option<ElementId>,
    /// First elements of the escapes that guard it, the innermost first.
    pub escapes: Vec<ElementId>,
}

#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub elements: Vec<Element>,
    pub start: ElementId,
    pub end: ElementId,
    pub labels: FxHashMap<Arc<str>, ElementId>,
    /// The last element of the sequence that was added last.
    last: ElementId,
}

#[derive(Clone, Default)]
struct Surroundings {
    leave: Option<ElementId>,
    is_inside: bool,
    is_atomic: bool,
    d_step: Option<ElementId>,
    escapes: Vec<ElementId>,
}

impl Graph {
    /// The graph of a body. Labels in `referred` are mentioned by formulas or claims.
    pub fn of(body: &Sequence, end: Span, referred: &FxHashSet<Arc<str>>) -> Reading<Graph> {
        let mut graph = Graph {
            elements: Vec::new(),
            start: 0,
            end: 0,
            labels: FxHashMap::default(),
            last: 0,
        };
        let around = Surroundings::default();
        graph.end = graph.reserve(end, &around)?;
        graph.elements[graph.end].kind = ElementKind::End;
        graph.start = match body.0.is_empty() {
            true => graph.end,
            false => graph.sequence(body, graph.end, &around)?,
        };
        graph.resolve(referred)?;
        graph.check_d_steps()?;
        graph.start = graph.first(graph.start);
        Ok(graph)
    }

    fn reserve(&mut self, span: Span, around: &Surroundings) -> Reading<ElementId> {
        if self.elements.len() >= ELEMENTS {
            return Err(span.error("the process has too many statements"));
        }
        self.elements.push(Element {
            kind: ElementKind::Join,
            next: 0,
            span,
            labels: Vec::new(),
            is_inside: around.is_inside,
            is_atomic: around.is_atomic,
            d_step: around.d_step,
            escapes: around.escapes.clone(),
        });
        Ok(self.elements.len() - 1)
    }

    /// Adds the elements of a sequence that continues at `next`; returns the first.
    fn sequence(
        &mut self,
        sequence: &Sequence,
        next: ElementId,
        around: &Surroundings,
    ) -> Reading<ElementId> {
        let mut ids = Vec::new();
        for step in &sequence.0 {
            ids.push(self.reserve(step.statement.span, around)?);
        }
        for (i, step) in sequence.0.iter().enumerate() {
            let next = ids.get(i + 1).copied().unwrap_or(next);
            for label in &step.labels {
                if self.labels.insert(label.text.clone(), ids[i]).is_some() {
                    let message = format!("the label `{}` occurs twice", label.text);
                    return Err(label.span.error(message));
                }
                self.elements[ids[i]].labels.push(label.text.clone());
            }
            self.last = self.step(ids[i], &step.statement, next, around)?;
        }
        Ok(ids.first().copied().unwrap_or(next))
    }

    /// Adds a statement; returns its last element.
    fn step(
        &mut self,
        id: ElementId,
        statement: &Statement,
        next: ElementId,
        around: &Surroundings,
    ) -> Reading<ElementId> {
        let span = statement.span;
        let mut last = id;
        self.elements[id].next = next;
        self.elements[id].kind = match &statement.kind {
            StatementKind::If(options) => {
                let join = self.reserve(span, around)?;
                last = join;
                self.elements[join].next = next;
                self.options(options, join, around)?
            }
            StatementKind::Do(options) => {
                let exit = self.reserve(span, around)?;
                last = exit;
                self.elements[exit].next = next;
                let mut around = around.clone();
                around.leave = Some(exit);
                self.options(options, id, &around)?
            }
            StatementKind::Block(kind, body) => {
                let mut around = around.clone();
                let is_outer = !around.is_inside;
                around.is_inside |= *kind != BlockKind::Plain;
                let deterministic = *kind == BlockKind::Deterministic && around.d_step.is_none();
                if deterministic {
                    around.d_step = Some(id);
                    around.escapes.clear();
                }
                around.is_atomic = around.is_inside && around.d_step.is_none();
                let first = self.sequence(body, next, &around)?;
                match deterministic {
                    true => ElementKind::Deterministic(first),
                    false => {
                        if !body.0.is_empty() {
                            last = self.last;
                        }
                        if is_outer && around.is_atomic {
                            self.elements[last].is_atomic = false;
                        }
                        ElementKind::Block(first)
                    }
                }
            }
            StatementKind::Unless(main, escape) => {
                let join = self.reserve(span, around)?;
                last = join;
                self.elements[join].next = next;
                let escape = self.sequence(escape, join, around)?;
                let mut around = around.clone();
                if around.d_step.is_none() {
                    around.escapes.insert(0, escape);
                }
                let main = match self.elements[id].labels.is_empty() {
                    true => without_braces(main),
                    false => main,
                };
                let main = self.sequence(main, join, &around)?;
                self.move_labels(id, main);
                ElementKind::Unless(main)
            }
            StatementKind::Select(target, low, high) => {
                let join = self.reserve(span, around)?;
                last = join;
                self.elements[join].next = next;
                let mut values = Vec::new();
                for value in *low..=*high {
                    let choice = self.reserve(span, around)?;
                    self.elements[choice].kind = ElementKind::Value(target.clone(), value);
                    self.elements[choice].next = join;
                    values.push(choice);
                }
                ElementKind::Choice(values)
            }
            StatementKind::Break => match around.leave {
                Some(exit) => ElementKind::Jump(exit),
                None => return Err(span.error("`break` outside of a loop")),
            },
            StatementKind::Goto(label) => ElementKind::Goto(label.clone()),
            _ => ElementKind::Basic(statement.clone()),
        };
        Ok(last)
    }

    /// The labels of an `unless` mark the first statement of its main part.
    fn move_labels(&mut self, from: ElementId, main: ElementId) {
        let to = self.first(main);
        for label in std::mem::take(&mut self.elements[from].labels) {
            self.labels.insert(label.clone(), to);
            self.elements[to].labels.push(label);
        }
    }

    fn options(
        &mut self,
        options: &[Sequence],
        next: ElementId,
        around: &Surroundings,
    ) -> Reading<ElementKind> {
        let mut firsts = Vec::new();
        for option in options {
            firsts.push(self.sequence(option, next, around)?);
        }
        Ok(ElementKind::Choice(firsts))
    }

    fn resolve(&mut self, referred: &FxHashSet<Arc<str>>) -> Reading<()> {
        for element in &mut self.elements {
            let ElementKind::Goto(label) = &element.kind else {
                continue;
            };
            let Some(target) = self.labels.get(&label.text) else {
                let message = format!("no statement of this process is labelled `{}`", label.text);
                let near =
                    lariat_model::suggestion(&label.text, self.labels.keys().map(|name| &**name));
                let error = label.span.error(message);
                return Err(match near {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
            };
            let is_state = |label: &Arc<str>| {
                referred.contains(label)
                    || ["accept", "progress", "end"]
                        .iter()
                        .any(|p| label.starts_with(p))
            };
            if element.labels.iter().any(is_state) {
                // Such a label makes the jump a step, so that the process rests there.
                element.next = *target;
                element.kind = ElementKind::Basic(Statement {
                    kind: StatementKind::Nothing,
                    span: element.span,
                });
            } else {
                element.kind = ElementKind::Jump(*target);
            }
        }
        Ok(())
    }

    /// Refuses jumps into and out of a `d_step`, except to its end.
    fn check_d_steps(&self) -> Reading<()> {
        for element in &self.elements {
            let target = match element.kind {
                ElementKind::Jump(target) => self.rest(target),
                ElementKind::Basic(_) | ElementKind::Value(..) => self.rest(element.next),
                _ => continue,
            };
            let (from, to) = (element.d_step, self.elements[target].d_step);
            let leaves = from.is_some_and(|block| {
                matches!(element.kind, ElementKind::Jump(_))
                    && to != from
                    && target != self.rest(self.elements[block].next)
            });
            if leaves {
                return Err(element
                    .span
                    .error("a jump out of a `d_step` is not supported"));
            }
            if to.is_some() && to != from {
                return Err(element
                    .span
                    .error("a jump into a `d_step` is not supported"));
            }
        }
        Ok(())
    }

    /// Where a process rests that a step leads to `element`.
    pub fn rest(&self, element: ElementId) -> ElementId {
        self.rest_from(false, element)
    }

    /// Where a process rests that a step leads to `element`. A step inside an atomic block goes no
    /// further than to the last jump or join before the end of the block.
    fn rest_from(&self, is_atomic: bool, mut element: ElementId) -> ElementId {
        for _ in 0..self.elements.len() {
            let at = &self.elements[element];
            let next = match at.kind {
                ElementKind::Jump(target) if target != element => target,
                ElementKind::Join => at.next,
                ElementKind::Unless(main) => main,
                _ => return element,
            };
            if is_atomic && !self.elements[next].is_atomic {
                return element;
            }
            element = next;
        }
        element
    }

    /// Where a process rests that begins at `element`: a jump that comes first is a step.
    fn first(&self, mut element: ElementId) -> ElementId {
        while let ElementKind::Unless(main) = self.elements[element].kind {
            element = main;
        }
        element
    }

    /// The elements that are the steps from a node, in the order of the text.
    pub fn leaves(&self, node: ElementId) -> Vec<ElementId> {
        let mut leaves = Vec::new();
        let mut open = vec![node];
        let mut seen = FxHashSet::default();
        while let Some(element) = open.pop() {
            let element = self.first(element);
            if !seen.insert(element) {
                continue;
            }
            match &self.elements[element].kind {
                ElementKind::Choice(firsts) => open.extend(firsts.iter().rev()),
                ElementKind::Block(first) => open.push(*first),
                _ => leaves.push(element),
            }
        }
        leaves
    }

    /// Where a step of this element leads.
    pub fn target(&self, leaf: ElementId) -> ElementId {
        let from = &self.elements[leaf];
        let next = match from.kind {
            ElementKind::Jump(target) => target,
            _ => from.next,
        };
        self.rest_from(from.is_atomic, next)
    }

    /// The nodes that are reachable from the start, the start first.
    pub fn nodes(&self) -> Vec<ElementId> {
        let mut nodes = vec![self.start];
        let mut seen: FxHashSet<ElementId> = nodes.iter().copied().collect();
        let mut at = 0;
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            let mut open = self.leaves(node);
            let escapes = open
                .iter()
                .flat_map(|leaf| self.elements[*leaf].escapes.clone());
            let escapes: FxHashSet<ElementId> = escapes.collect();
            let mut escapes: Vec<ElementId> = escapes.into_iter().collect();
            escapes.sort_unstable();
            open.extend(escapes.into_iter().flat_map(|escape| self.leaves(escape)));
            let inner = |leaf: &ElementId| match self.elements[*leaf].kind {
                ElementKind::Deterministic(first) => Some(self.first(first)),
                _ => None,
            };
            let inner: Vec<ElementId> = open.iter().filter_map(inner).collect();
            let targets = open.iter().map(|leaf| self.target(*leaf));
            for target in targets.chain(inner).collect::<Vec<_>>() {
                if seen.insert(target) {
                    nodes.push(target);
                }
            }
        }
        nodes
    }
}

/// The main part of an `unless` without a label: its braces make no node.
fn without_braces(main: &Sequence) -> &Sequence {
    match &main.0[..] {
        [step] if step.labels.is_empty() => match &step.statement.kind {
            StatementKind::Block(BlockKind::Plain, body) if !body.0.is_empty() => body,
            _ => main,
        },
        _ => main,
    }
}
