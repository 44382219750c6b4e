//! Which channels a channel variable may denote: a flow-insensitive analysis.
//!
//! Assignments, parameters and messages pass channels on. A channel variable that is assigned
//! anything but a channel may denote every channel.

use rustc_hash::FxHashMap;

use super::ast::*;
use super::graph::{ElementKind, Graph};
use super::population::run_of;

/// A channel variable or a field of a structure, without indices; the pool of all messages.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Variable(VarIndex, Vec<usize>),
    Messages,
}

/// The declarations of channels that a variable may denote.
#[derive(Clone, Default, Debug)]
pub(super) struct Points {
    sites: FxHashMap<Holder, Vec<Site>>,
    flows: Vec<(Holder, Holder)>,
    anything: Vec<Holder>,
    all: Vec<Site>,
    /// Variables that are assigned somewhere besides their declaration.
    assigned: Vec<Holder>,
}

/// A declaration with an initial channel: a variable and its fields.
pub(super) type Site = (VarIndex, Vec<usize>);

fn holder(r: &Reference) -> Option<Holder> {
    let fields = r.fields.iter().map(|(field, _)| *field).collect();
    Some(Holder::Variable(r.variable?, fields))
}

impl Points {
    pub fn of(model: &ModelAst, graphs: &[Graph]) -> Points {
        let mut points = Points::default();
        for (index, variable) in model.variables.iter().enumerate() {
            points.declaration(model, index, variable, &mut Vec::new());
        }
        for element in graphs.iter().flat_map(|graph| &graph.elements) {
            if let ElementKind::Basic(statement) = &element.kind {
                points.statement(model, statement);
            }
        }
        points.close();
        points
    }

    fn declaration(
        &mut self,
        model: &ModelAst,
        index: VarIndex,
        variable: &VariableAst,
        fields: &mut Vec<usize>,
    ) {
        if let Type::Struct(known) = variable.kind
            && fields.len() < 32
        {
            for (i, field) in model.structs[known].fields.iter().enumerate() {
                fields.push(i);
                self.declaration(model, index, field, fields);
                fields.pop();
            }
        }
        let holder = Holder::Variable(index, fields.clone());
        match (&variable.kind, &variable.initial) {
            (Type::Chan, Initial::Channel(..)) => {
                let site = (index, fields.clone());
                self.all.push(site.clone());
                self.sites.entry(holder).or_default().push(site);
            }
            (Type::Chan, Initial::Value(value)) => self.flow(value, holder),
            _ => {}
        }
    }

    /// The value of an expression reaches a holder.
    fn flow(&mut self, value: &Expr, to: Holder) {
        match &value.kind {
            ExprKind::Reference(r) if r.kind == Type::Chan => {
                self.flows.extend(holder(r).map(|from| (from, to.clone())));
            }
            ExprKind::Number(0) => {}
            ExprKind::Conditional(_, x, y) => {
                self.flow(x, to.clone());
                self.flow(y, to.clone());
            }
            _ => self.anything.push(to.clone()),
        }
        self.assigned.push(to);
    }

    fn statement(&mut self, model: &ModelAst, statement: &Statement) {
        if let Some((name, arguments)) = run_of(statement)
            && let Some(process) = model.processes.iter().find(|p| p.name.text == name.text)
        {
            for (argument, parameter) in arguments.iter().zip(&process.parameters) {
                if model.variables[*parameter].kind == Type::Chan {
                    self.flow(argument, Holder::Variable(*parameter, Vec::new()));
                }
            }
        }
        match &statement.kind {
            StatementKind::Assign(target, value) if target.kind == Type::Chan => {
                if let Some(to) = holder(target) {
                    self.flow(value, to);
                }
            }
            StatementKind::Send(send) => {
                for value in &send.values {
                    match &value.kind {
                        ExprKind::Reference(r) if r.kind == Type::Chan => {
                            self.flow(value, Holder::Messages);
                        }
                        // A structure may contain channels.
                        ExprKind::Reference(r) if matches!(r.kind, Type::Struct(_)) => {
                            self.anything.push(Holder::Messages);
                        }
                        _ => {}
                    }
                }
            }
            StatementKind::Receive(receive) => {
                for argument in &receive.arguments {
                    let Argument::Target(Some(target)) = argument else {
                        continue;
                    };
                    if let Some(to) = holder(target)
                        && target.kind == Type::Chan
                    {
                        self.flows.push((Holder::Messages, to.clone()));
                        self.assigned.push(to);
                    } else if let (Type::Struct(_), Some(index)) = (target.kind, target.variable) {
                        let inside =
                            |h: &&Holder| matches!(h, Holder::Variable(v, _) if *v == index);
                        let known: Vec<Holder> =
                            self.sites.keys().filter(inside).cloned().collect();
                        self.anything.extend(known);
                        self.anything
                            .push(Holder::Variable(index, vec![usize::MAX]));
                    }
                }
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        for to in std::mem::take(&mut self.anything) {
            let all = self.all.clone();
            self.sites.insert(to, all);
        }
        loop {
            let mut changed = false;
            for (from, to) in self.flows.clone() {
                for site in self.sites.get(&from).cloned().unwrap_or_default() {
                    let known = self.sites.entry(to.clone()).or_default();
                    if !known.contains(&site) {
                        known.push(site);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The channels that a reference may denote, by their declarations, and whether the variable
    /// always denotes its own.
    pub fn sites(&self, r: &Reference) -> (Vec<Site>, bool) {
        let Some(holder) = holder(r) else {
            return (Vec::new(), false);
        };
        let received = matches!(&holder, Holder::Variable(v, fields) if !fields.is_empty()
            && self.sites.contains_key(&Holder::Variable(*v, vec![usize::MAX])));
        if received {
            return (self.all.clone(), false);
        }
        let own = match &holder {
            Holder::Variable(v, fields) => self.all.contains(&(*v, fields.clone())),
            Holder::Messages => false,
        };
        let is_fixed = own && !self.assigned.contains(&holder);
        let mut sites = self.sites.get(&holder).cloned().unwrap_or_default();
        sites.sort_unstable();
        (sites, is_fixed)
    }
}
