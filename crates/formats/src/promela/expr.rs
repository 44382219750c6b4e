//! Expressions of a process in a slot, as IR expressions over the state vector.
//!
//! The IR has no conditional expression. `(c -> x : y)` becomes `c'·x + (1 − c')·y` with `c'` the
//! truth of `c`; an index or divisor in the branch that is not taken is masked, so that it cannot
//! fail.

use super::ast::*;
use super::compile::{Compiler, Place};
use super::graph::ElementKind;
use super::layout::Leaf;
use super::lexer::{Diagnostic, Reading, Span};
use super::terms::{all, any, binary, compare, not, number};
use lariat_model::{BinaryOp, Expr as Ir, LValue, UnaryOp, Value, VarId};

/// A scalar of the state vector: a variable or an element of an array.
pub(super) struct Scalar {
    pub leaf: Leaf,
    /// The index into the elements of the leaf, for arrays.
    pub index: Option<Ir>,
}

impl Scalar {
    pub fn value(&self) -> Ir {
        match &self.index {
            None => Ir::Var(self.leaf.first),
            Some(Ir::Const(i)) if (0..Value::from(self.leaf.len())).contains(i) => {
                Ir::Var(VarId(self.leaf.first.0 + *i as u32))
            }
            Some(index) => Ir::Element {
                first: self.leaf.first,
                len: self.leaf.len(),
                index: Box::new(index.clone()),
            },
        }
    }

    pub fn target(&self) -> LValue {
        match self.value() {
            Ir::Element { first, len, index } => LValue::Element {
                first,
                len,
                index: *index,
            },
            Ir::Var(var) => LValue::Var(var),
            _ => LValue::Var(self.leaf.first),
        }
    }
}

impl Compiler<'_> {
    /// The leaves of a variable, as seen from a place.
    pub(super) fn leaves_of(&self, place: Place, r: &Reference) -> Reading<&[Leaf]> {
        let unknown = || r.span.error("this variable is not visible here");
        let index = r.variable.ok_or_else(unknown)?;
        let leaves = match self.layout.globals.get(&index) {
            Some(leaves) => Some(leaves),
            None => place
                .slot
                .and_then(|slot| self.layout.slots.get(slot))
                .and_then(|slot| slot.occupants.get(place.occupant))
                .and_then(|occupant| occupant.variables.get(&index)),
        };
        leaves.map(|leaves| &**leaves).ok_or_else(unknown)
    }

    /// The scalar that a reference denotes.
    pub(super) fn scalar(&self, place: Place, r: &Reference) -> Reading<Scalar> {
        if let Type::Struct(_) = r.kind {
            return Err(r
                .span
                .error("this is a whole structure: name one of its fields"));
        }
        if r.is_array {
            let help = "write an index in brackets behind the name";
            return Err(r.span.error("this is a whole array").help(help));
        }
        let fields = r.fields.iter().map(|(field, _)| *field);
        let leaves = self.leaves_of(place, r)?;
        let leaf = leaves
            .iter()
            .find(|leaf| leaf.fields.iter().copied().eq(fields.clone()));
        let leaf = leaf.cloned().ok_or_else(|| r.span.error("no such field"))?;
        let own = r.index.as_deref().into_iter();
        let indices = own.chain(r.fields.iter().filter_map(|(_, index)| index.as_ref()));
        let mut combined: Option<Ir> = None;
        for (index, size) in indices.zip(&leaf.sizes) {
            let index = self.expr(place, index)?;
            combined = Some(match combined {
                None => self.bounded(index, *size, leaf.sizes.len() > 1),
                Some(outer) => {
                    let outer = binary(BinaryOp::Mul, outer, number(*size));
                    binary(BinaryOp::Add, outer, self.bounded(index, *size, true))
                }
            });
        }
        let index = combined;
        Ok(Scalar { leaf, index })
    }

    /// An index that fails if it is out of range; the outermost alone is checked by the array.
    fn bounded(&self, index: Ir, size: u32, is_partial: bool) -> Ir {
        if !is_partial {
            return index;
        }
        if let Ir::Const(i) = index
            && (0..Value::from(size)).contains(&i)
        {
            return index;
        }
        let low = Ir::Binary(BinaryOp::Ge, Box::new(index.clone()), Box::new(number(0)));
        let high = Ir::Binary(
            BinaryOp::Lt,
            Box::new(index.clone()),
            Box::new(number(size)),
        );
        let check = Ir::Binary(
            BinaryOp::Div,
            Box::new(number(0)),
            Box::new(all(vec![low, high])),
        );
        Ir::Binary(BinaryOp::Add, Box::new(index), Box::new(check))
    }

    /// An expression without side effects.
    pub(super) fn expr(&self, place: Place, e: &Expr) -> Reading<Ir> {
        Ok(match &e.kind {
            ExprKind::Number(n) => number(*n),
            ExprKind::Reference(r) => self.scalar(place, r)?.value(),
            ExprKind::Unary(op, x) => match (op, self.expr(place, x)?) {
                (op, Ir::Const(x)) => number(op.apply(x)),
                (UnaryOp::Not, x) => not(x),
                (op, x) => Ir::Unary(*op, Box::new(x)),
            },
            ExprKind::Binary(op, x, y) => binary(*op, self.expr(place, x)?, self.expr(place, y)?),
            ExprKind::Conditional(c, x, y) => {
                let condition = self.expr(place, c)?;
                let (x, y) = (self.expr(place, x)?, self.expr(place, y)?);
                conditional(condition, x, y)
            }
            ExprKind::Test(test, channel) => self.channel_test(place, *test, channel)?,
            ExprKind::Poll(receive) => self.poll(place, receive)?,
            ExprKind::Run(..) => {
                let message = "`run` is supported as a statement and as the whole right side of an assignment";
                return Err(e.span.error(message));
            }
            ExprKind::Pid => match place.slot {
                Some(slot) => number(slot as Value),
                None => return Err(e.span.error("`_pid` has no value outside of a process")),
            },
            ExprKind::Processes => {
                let present = |slot: &super::layout::Slot| compare(BinaryOp::Ne, slot.location, 0);
                let slots = self.layout.slots.iter().map(present);
                slots
                    .reduce(|x, y| binary(BinaryOp::Add, x, y))
                    .unwrap_or(number(0))
            }
            ExprKind::Timeout => Ir::Var(super::terms::TIMEOUT),
            ExprKind::At(process, index, label) => {
                self.at_label(place, process, index.as_deref(), label)?
            }
            ExprKind::Remote(process, index, variable, element) => self.remote(
                place,
                process,
                index.as_deref(),
                variable,
                element.as_deref(),
            )?,
            ExprKind::NonProgress => self.non_progress(),
        })
    }

    /// The slots and occupants of a process, with the condition that an index denotes the slot.
    fn instances(
        &self,
        place: Place,
        process: &Ident,
        index: Option<&Expr>,
    ) -> Reading<Vec<(usize, usize, Option<Ir>)>> {
        let mut known = self.model.processes.iter();
        let Some(number_of) = known.position(|p| p.name.text == process.text) else {
            let message = format!("no variable or process is called `{}`", process.text);
            let names = self.model.processes.iter().map(|p| &*p.name.text);
            let names = names.chain(
                self.model
                    .globals
                    .iter()
                    .map(|g| &*self.model.variables[*g].name.text),
            );
            let error = process.span.error(message);
            return Err(match lariat_model::suggestion(&process.text, names) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let index = index.map(|index| self.expr(place, index)).transpose()?;
        let mut found = Vec::new();
        for (s, slot) in self.layout.slots.iter().enumerate() {
            let occupant = slot.occupants.iter().position(|o| o.process == number_of);
            let Some(occupant) = occupant else { continue };
            match &index {
                Some(Ir::Const(i)) if *i != s as Value => {}
                Some(Ir::Const(_)) | None => found.push((s, occupant, None)),
                Some(index) => {
                    let here = binary(BinaryOp::Eq, index.clone(), number(s as Value));
                    found.push((s, occupant, Some(here)));
                }
            }
        }
        if found.is_empty() {
            let message = format!("no process `{}` has this number", process.text);
            return Err(process.span.error(message));
        }
        Ok(found)
    }

    fn at_label(
        &self,
        place: Place,
        process: &Ident,
        index: Option<&Expr>,
        label: &Ident,
    ) -> Reading<Ir> {
        let mut parts = Vec::new();
        for (s, o, condition) in self.instances(place, process, index)? {
            let slot = &self.layout.slots[s];
            let occupant = &slot.occupants[o];
            let graph = &self.graphs[occupant.process];
            let Some(element) = graph.labels.get(&label.text) else {
                let message = format!("`{}` has no label `{}`", process.text, label.text);
                let names = graph.labels.keys().map(|name| &**name);
                let error = label.span.error(message);
                return Err(match lariat_model::suggestion(&label.text, names) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
            };
            let is_jump = matches!(graph.elements[*element].kind, ElementKind::Jump(_));
            let node = match is_jump {
                true => *element,
                false => graph.rest(*element),
            };
            let Some(location) = occupant.locations.get(&node) else {
                if is_jump || graph.elements[*element].d_step.is_some() {
                    return Err(never_rests(label, is_jump));
                }
                // The statement is unreachable.
                continue;
            };
            let here = compare(BinaryOp::Eq, slot.location, *location);
            parts.push(all(condition.into_iter().chain([here]).collect()));
        }
        Ok(any(parts))
    }

    fn remote(
        &self,
        place: Place,
        process: &Ident,
        index: Option<&Expr>,
        variable: &Ident,
        element: Option<&Expr>,
    ) -> Reading<Ir> {
        let instances = self.instances(place, process, index)?;
        let [(s, o, None)] = &instances[..] else {
            let message = format!("say which process is meant: `{}[n]`", process.text);
            return Err(process.span.error(message));
        };
        let ast = &self.model.processes[self.layout.slots[*s].occupants[*o].process];
        let mut all = ast.variables.iter();
        let found = all.find(|v| self.model.variables[**v].name.text == variable.text);
        let Some(found) = found else {
            let message = format!("`{}` has no variable `{}`", process.text, variable.text);
            return Err(variable.span.error(message));
        };
        let declared = &self.model.variables[*found];
        let index = element.map(|e| self.expr(place, e)).transpose()?;
        if index.is_some() != declared.len.is_some() || matches!(declared.kind, Type::Struct(_)) {
            return Err(variable
                .span
                .error("expected a scalar or an array with an index"));
        }
        let reference = Reference {
            variable: Some(*found),
            index: None,
            fields: Vec::new(),
            kind: declared.kind,
            is_array: false,
            span: variable.span,
        };
        let there = Place {
            slot: Some(*s),
            occupant: *o,
        };
        let mut scalar = self.scalar(there, &reference)?;
        scalar.index = index;
        Ok(scalar.value())
    }

    /// No process is at a progress label.
    pub(super) fn non_progress(&self) -> Ir {
        not(self.at_labels("progress"))
    }

    /// Some process is at a label with this prefix.
    pub(super) fn at_labels(&self, prefix: &str) -> Ir {
        let mut parts = Vec::new();
        for slot in &self.layout.slots {
            for occupant in &slot.occupants {
                let graph = &self.graphs[occupant.process];
                for (node, location) in &occupant.locations {
                    let mut labels = graph.elements[*node].labels.iter();
                    if labels.any(|label| label.starts_with(prefix)) {
                        parts.push((slot.location, *location));
                    }
                }
            }
        }
        parts.sort_unstable();
        any(parts
            .into_iter()
            .map(|(var, k)| compare(BinaryOp::Eq, var, k))
            .collect())
    }

    /// The scalars of an argument: one, or the fields of a structure.
    pub(super) fn scalars_of(&self, place: Place, r: &Reference) -> Reading<Vec<Scalar>> {
        if !matches!(r.kind, Type::Struct(_)) {
            return Ok(vec![self.scalar(place, r)?]);
        }
        if r.is_array {
            return Err(r.span.error("this is a whole array"));
        }
        let leaves = self.leaves_of(place, r)?.to_vec();
        let path: Vec<usize> = r.fields.iter().map(|(field, _)| *field).collect();
        let own = r.index.as_deref().into_iter();
        let indices: Vec<&Expr> = own
            .chain(r.fields.iter().filter_map(|(_, index)| index.as_ref()))
            .collect();
        let mut scalars = Vec::new();
        for leaf in leaves
            .into_iter()
            .filter(|leaf| leaf.fields.starts_with(&path))
        {
            let mut outer: Option<Ir> = None;
            for (index, size) in indices.iter().zip(&leaf.sizes) {
                let index = self.expr(place, index)?;
                let index = self.bounded(index, *size, true);
                outer = Some(match outer {
                    None => index,
                    Some(o) => binary(
                        BinaryOp::Add,
                        binary(BinaryOp::Mul, o, number(*size)),
                        index,
                    ),
                });
            }
            let inner: u32 = leaf.sizes.iter().skip(indices.len()).product();
            for element in 0..inner {
                let index = match &outer {
                    None if leaf.sizes.is_empty() => None,
                    None => Some(number(element)),
                    Some(outer) => Some(binary(
                        BinaryOp::Add,
                        binary(BinaryOp::Mul, outer.clone(), number(inner)),
                        number(element),
                    )),
                };
                let leaf = leaf.clone();
                scalars.push(Scalar { leaf, index });
            }
        }
        Ok(scalars)
    }

    /// Checks the use of a name that is no channel.
    pub(super) fn no_channel(span: Span) -> Diagnostic {
        span.error("this is no channel")
    }
}

/// `(c -> x : y)`
fn conditional(condition: Ir, mut x: Ir, mut y: Ir) -> Ir {
    if let Ir::Const(c) = condition {
        return if c != 0 { x } else { y };
    }
    let yes = not(not(condition.clone()));
    let no = not(condition);
    mask(&mut x, &yes);
    mask(&mut y, &no);
    binary(
        BinaryOp::Add,
        binary(BinaryOp::Mul, yes, x),
        binary(BinaryOp::Mul, no, y),
    )
}

/// Replaces indices by 0, and divisors by 1, where the condition is 0.
fn mask(expr: &mut Ir, condition: &Ir) {
    match expr {
        Ir::Const(_) | Ir::Var(_) => {}
        Ir::Element { index, .. } => {
            mask(index, condition);
            if !matches!(**index, Ir::Const(_)) {
                let old = std::mem::replace(&mut **index, number(0));
                **index = binary(BinaryOp::Mul, condition.clone(), old);
            }
        }
        Ir::Unary(_, x) => mask(x, condition),
        Ir::Binary(op, x, y) => {
            mask(x, condition);
            mask(y, condition);
            match op {
                BinaryOp::Div | BinaryOp::Rem => {
                    let divisor = std::mem::replace(&mut **y, number(0));
                    let kept = binary(BinaryOp::Mul, condition.clone(), divisor);
                    **y = binary(BinaryOp::Add, kept, not(condition.clone()));
                }
                BinaryOp::Shl | BinaryOp::Shr => {
                    let bits = std::mem::replace(&mut **y, number(0));
                    **y = binary(BinaryOp::Mul, condition.clone(), bits);
                }
                _ => {}
            }
        }
    }
}

fn never_rests(label: &Ident, is_jump: bool) -> Diagnostic {
    let reason = if is_jump {
        "marks a jump"
    } else {
        "lies inside a d_step"
    };
    let message = format!(
        "the process never rests at `{}`: the label {reason}",
        label.text
    );
    let error = label.span.error(message);
    match is_jump {
        true => error.help("in an `ltl` block of the model, the label makes the jump a step"),
        false => error,
    }
}
