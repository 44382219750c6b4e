//! `for` and `select`, as the statements that they abbreviate.

use super::super::ast::*;
use super::super::lexer::{Reading, Span};
use super::Parser;
use super::statement::{binary, number, plain};
use lariat_model::BinaryOp;

impl Parser {
    /// `for (i : a .. b)` and `for (i in array)`
    pub(super) fn for_loop(&mut self, steps: &mut Sequence) -> Reading<()> {
        let start = self.advance().span;
        self.expect("(")?;
        let body = std::mem::replace(&mut self.in_body, false);
        let target = self.reference()?;
        let (low, high) = if self.sign(":") {
            let low = self.expression()?;
            self.expect("..")?;
            (low, self.expression()?)
        } else if self.word("in") {
            let array = self.reference()?;
            let variable = array.variable.map(|v| &self.model.variables[v]);
            let len = match (array.is_array, variable) {
                (true, Some(variable)) if array.fields.is_empty() => variable.len,
                _ => None,
            };
            if array.kind == Type::Chan && !array.is_array {
                self.expect(")")?;
                self.in_body = body;
                return self.for_messages(start, target, array, steps);
            }
            let Some(len) = len else {
                let message = "`for … in` is supported for arrays and channels";
                return Err(array.span.error(message));
            };
            let last = i64::from(len) - 1;
            (number(0, array.span), number(last, array.span))
        } else {
            return Err(self.unexpected("`:` or `in`"));
        };
        self.expect(")")?;
        self.in_body = body;
        let span = self.since(start);
        let value = |target: &Reference| Expr {
            kind: ExprKind::Reference(target.clone()),
            span,
        };
        let condition = binary(BinaryOp::Le, value(&target), high);
        let next = binary(BinaryOp::Add, value(&target), number(1, span));
        let mut round = Sequence(vec![plain(StatementKind::Condition(condition), span)]);
        let inner = self.block()?;
        let inner = StatementKind::Block(BlockKind::Plain, inner);
        round.0.push(plain(inner, span));
        let next = StatementKind::Assign(target.clone(), next);
        round.0.push(plain(next, span));
        let end = vec![
            plain(StatementKind::Else, span),
            plain(StatementKind::Break, span),
        ];
        steps
            .0
            .push(plain(StatementKind::Assign(target, low), span));
        let kind = StatementKind::Do(vec![round, Sequence(end)]);
        steps.0.push(plain(kind, span));
        Ok(())
    }

    /// `for (m in c)`: every message is received, sent again and left in `m`.
    fn for_messages(
        &mut self,
        start: Span,
        target: Reference,
        channel: Reference,
        steps: &mut Sequence,
    ) -> Reading<()> {
        let span = self.since(start);
        let index = self.model.variables.len();
        let name = Ident {
            text: format!("(message {index})").into(),
            span,
        };
        self.model.variables.push(VariableAst {
            name,
            kind: Type::Range(i64::from(i32::MIN), i64::from(i32::MAX)),
            len: None,
            initial: Initial::None,
            is_assigned: true,
        });
        self.locals.push(index);
        let count = Reference {
            variable: Some(index),
            index: None,
            fields: Vec::new(),
            kind: Type::Range(i64::from(i32::MIN), i64::from(i32::MAX)),
            is_array: false,
            span,
        };
        let value = |r: &Reference| Expr {
            kind: ExprKind::Reference(r.clone()),
            span,
        };
        let length = Expr {
            kind: ExprKind::Test(ChannelTest::Len, channel.clone()),
            span,
        };
        let more = binary(BinaryOp::Lt, value(&count), length);
        let receive = StatementKind::Receive(Receive {
            channel: channel.clone(),
            arguments: vec![Argument::Target(Some(target.clone()))],
            random: false,
            copy: false,
        });
        let send = StatementKind::Send(Send {
            channel,
            values: vec![value(&target)],
            sorted: false,
        });
        let mut round = Sequence::default();
        for kind in [StatementKind::Condition(more), receive, send] {
            round.0.push(plain(kind, span));
        }
        let inner = self.block()?;
        let inner = StatementKind::Block(BlockKind::Plain, inner);
        round.0.push(plain(inner, span));
        let next = binary(BinaryOp::Add, value(&count), number(1, span));
        let first = StatementKind::Assign(count.clone(), number(0, span));
        round
            .0
            .push(plain(StatementKind::Assign(count, next), span));
        let end = vec![
            plain(StatementKind::Else, span),
            plain(StatementKind::Break, span),
        ];
        steps.0.push(plain(first, span));
        let kind = StatementKind::Do(vec![round, Sequence(end)]);
        steps.0.push(plain(kind, span));
        Ok(())
    }

    /// `select (i : a .. b)`
    pub(super) fn select(&mut self, steps: &mut Sequence) -> Reading<()> {
        let start = self.advance().span;
        self.expect("(")?;
        let body = std::mem::replace(&mut self.in_body, false);
        let target = self.reference()?;
        self.expect(":")?;
        let low = self.expression()?;
        self.expect("..")?;
        let high = self.expression()?;
        self.expect(")")?;
        self.in_body = body;
        let span = self.since(start);
        // As in SPIN, a bound that is an expression is no constant.
        let literal = |e: &Expr| match e.kind {
            ExprKind::Number(n) => Some(n),
            _ => None,
        };
        if let (Some(low), Some(high)) = (literal(&low), literal(&high)) {
            if high < low || high.saturating_sub(low) > 1 << 12 {
                return Err(span.error("the bounds are in the wrong order or too far apart"));
            }
            let kind = StatementKind::Select(target, low, high);
            steps.0.push(plain(kind, span));
            return Ok(());
        }
        let value = |target: &Reference| Expr {
            kind: ExprKind::Reference(target.clone()),
            span,
        };
        let condition = binary(BinaryOp::Lt, value(&target), high);
        let next = binary(BinaryOp::Add, value(&target), number(1, span));
        let next = StatementKind::Assign(target.clone(), next);
        let round = vec![
            plain(StatementKind::Condition(condition), span),
            plain(next, span),
        ];
        let end = vec![plain(StatementKind::Break, span)];
        steps
            .0
            .push(plain(StatementKind::Assign(target, low), span));
        let kind = StatementKind::Do(vec![Sequence(round), Sequence(end)]);
        steps.0.push(plain(kind, span));
        Ok(())
    }
}
