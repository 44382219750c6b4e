//! Random programs and tables: the explicit space against the reference meaning of the system.

use lariat_budget::Budget;
use lariat_model::{
    Action, BinaryOp, Comparison, Deadlock, Domain, Effect, Event, Expr, LValue, Predicate, Row,
    State, System, UnaryOp, Value, VarId, Variable,
};
use lariat_space::explicit::{Cursor, Explicit};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn value(&mut self) -> Value {
        self.below(7) as Value - 2
    }

    fn var(&mut self) -> VarId {
        VarId(self.below(5) as u32)
    }

    fn expr(&mut self, depth: u32) -> Expr {
        use BinaryOp::*;
        let ops = [
            Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And,
            And, Or, Implies,
        ];
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => Expr::Const(self.value()),
            1 => Expr::Var(self.var()),
            2 => Expr::Element {
                first: VarId(1),
                len: 3,
                index: Box::new(self.expr(depth - 1)),
            },
            3 => {
                let op = [UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement];
                let op = op[self.below(3) as usize];
                Expr::Unary(op, Box::new(self.expr(depth - 1)))
            }
            _ => {
                let op = ops[self.below(ops.len() as u64) as usize];
                let (x, y) = (self.expr(depth - 1), self.expr(depth - 1));
                Expr::Binary(op, Box::new(x), Box::new(y))
            }
        }
    }

    fn program(&mut self) -> Action {
        let at = Expr::Binary(
            BinaryOp::Eq,
            Box::new(Expr::Var(VarId(0))),
            Box::new(Expr::Const(self.value())),
        );
        let guard = match self.below(4) {
            0 => Predicate::compare(self.var(), Comparison::Ge, self.value()),
            1 => Predicate::Expr(self.expr(3)),
            _ => {
                let rest = Box::new(self.expr(2));
                Predicate::Expr(Expr::Binary(BinaryOp::And, Box::new(at), rest))
            }
        };
        let effects = (0..self.below(4)).map(|_| Effect {
            target: match self.below(2) {
                0 => LValue::Var(self.var()),
                _ => LValue::Element {
                    first: VarId(1),
                    len: 3,
                    index: self.expr(1),
                },
            },
            value: self.expr(2),
        });
        let effects = effects.collect();
        Action::Program { guard, effects }
    }

    fn table(&mut self) -> Action {
        let vars = vec![VarId(0), VarId(2), VarId(4)];
        let mut row = || -> Row {
            vars.iter()
                .map(|_| match self.below(4) {
                    0 => None,
                    _ => Some((self.below(3) as Value, self.below(3) as Value)),
                })
                .collect()
        };
        let rows = (0..4).map(|_| row()).collect();
        Action::Table { vars, rows }
    }

    fn system(&mut self) -> System {
        let range = |low, high| Domain::Range { low, high };
        let domains = [
            range(0, 3),
            range(-2, 2),
            range(-2, 2),
            range(0, 4),
            range(0, 2),
        ];
        let mut variables: Vec<Variable> = domains
            .into_iter()
            .enumerate()
            .map(|(i, domain)| Variable {
                name: format!("x{i}"),
                domain,
            })
            .collect();
        let mut initial = vec![0; 5];
        let fault = (self.below(2) == 0).then(|| {
            variables.push(Variable {
                name: "fault".to_owned(),
                domain: range(0, 1),
            });
            initial.push(0);
            VarId(5)
        });
        let events = (0..2 + self.below(6))
            .map(|i| Event {
                name: format!("e{i}"),
                action: match self.below(4) {
                    0 => self.table(),
                    _ => self.program(),
                },
            })
            .collect();
        System {
            variables,
            events,
            initial: vec![initial.into()],
            fault,
            ..System::default()
        }
    }
}

#[test]
fn the_explicit_space_is_the_reference_graph() {
    let mut random = Random(lariat_corpora::seed(7_203_114) | 1);
    for case in 0..lariat_corpora::cases(4000) {
        let system = random.system();
        let space = Explicit::new(&system, Deadlock::Ignore);
        let mut states = space.states(&Budget::unlimited());
        let mut ids = vec![space.initial(&mut states, 0).unwrap().unwrap()];
        let mut next = 0;
        while next < ids.len() && next < 500 {
            let from = ids[next];
            next += 1;
            let values = states.get(from);
            let mut cursor = Cursor::default();
            let mut found: Vec<(u32, State)> = Vec::new();
            while let Some((event, to)) = space.next(&mut states, from, &mut cursor).unwrap() {
                found.push((event.expect("no stuttering").0, states.get(to)));
                if to.index() == ids.len() {
                    ids.push(to);
                }
            }
            let mut wanted: Vec<(u32, State)> = system
                .event_ids()
                .flat_map(|e| {
                    let successors = system.successors(&values, e);
                    successors.into_iter().map(move |to| (e.0, to))
                })
                .collect();
            assert_eq!(
                space.holds(&mut states, from, &Predicate::Deadlock),
                system.is_deadlock(&values),
                "case {case}, from {values:?}: {system:#?}"
            );
            for event in system.event_ids() {
                let enabled = Predicate::Enabled(vec![event]);
                assert_eq!(
                    space.holds(&mut states, from, &enabled),
                    system.is_enabled(&values, event),
                    "case {case}, from {values:?}: {system:#?}"
                );
            }
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "case {case}, from {values:?}: {system:#?}");
        }
    }
}
