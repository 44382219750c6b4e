//! Names of coloured nets in formulas, and replay of runs by the names of bindings.

use crate::added;

use super::kit::{ALL, G, N, R, X, arc, coloured, model, net, num, op, place, shown, transition};
use lariat_budget::Budget;
use lariat_model::coloured::{Colour, TransitionId, Unfolded, unfold};
use lariat_model::{Lasso, PropertyList, Proposition, RunRecorder, Step};
use lariat_reductions::{Lift, UnfoldingLift};

/// p: all colours; move(x, n): p(x) → q(x, n) if x is not b; back.
fn moving() -> String {
    let guard = op("inequality", &[X, "<useroperator declaration=\"c_b\"/>"]);
    net(&[
        place("p", "col", &op("subtract", &[ALL, G])),
        place("q", "pair", ""),
        transition(
            "move",
            &op("and", &[&guard, &op("lessthan", &[N, &num(3)])]),
        ),
        transition("dead", ""),
        arc("p", "move", X),
        arc("move", "q", &op("tuple", &[X, N])),
        arc("q", "dead", &op("tuple", &[G, N])),
    ]
    .concat())
}

#[test]
fn formulas_refer_to_colours() {
    let model = model(&moving());
    assert_eq!(
        shown(&model.system).1,
        [
            "move(x=r,n=1): p(r) -> q(r,1)",
            "move(x=r,n=2): p(r) -> q(r,2)"
        ]
    );
    let names = model.names();
    for (text, echo) in [
        ("p", "p"),
        ("\"p >= 2\"", "\"p >= 2\""),
        ("\"p(r) + p(b) >= 2\"", "\"p >= 2\""),
        ("\"p(r)\"", "\"p(r) >= 1\""),
        ("\"p( b ) >= 2\"", "\"p(b) >= 2\""),
        ("\"p(g) >= 1\"", "\"0 == 1\""),
        ("\"p(g) + q(r, 1) >= 1\"", "\"q(r,1) >= 1\""),
        ("\"q + p <= q(r,2)\"", "\"p + q(r,1) <= 0\""),
        ("\"tokens(p, q(r,1)) < 3\"", "\"p + q(r,1) <= 2\""),
        ("move", "\"fires(move)\""),
        ("fires(move)", "\"fires(move)\""),
        ("fires(move(x=r))", "\"fires(move)\""),
        ("fires(move(n=2))", "\"fires(move(x=r,n=2))\""),
        ("fireable(move(n=2,x=r))", "\"fireable(move(x=r,n=2))\""),
        (
            "\"fireable(move(x=g), move(n=1))\"",
            "\"fireable(move(x=r,n=1))\"",
        ),
        ("fireable(dead)", "\"0 == 1\""),
        ("fires(move(n=4))", "\"0 == 1\""),
        ("dead", "\"0 == 1\""),
    ] {
        let mut properties = PropertyList::new();
        let formula = added(&mut properties, &names, text);
        let found = properties.list[0].text.clone();
        assert_eq!(found.trim_matches('"'), echo.trim_matches('"'), "{text}");
        assert_eq!(added(&mut properties, &names, &found), formula, "{text}");
    }
    for (text, message) in [
        ("\"p(z)\"", "the place `p` has no colour `z`"),
        ("\"p(9) >= 1\"", "the place `p` has no colour `9`"),
        ("\"q(r) >= 1\"", "the place `q` has no colour `r`"),
        ("\"tokens(p(9)) >= 1\"", "the place `p` has no colour `9`"),
        (
            "fires(move(z=1))",
            "the transition `move` has no binding `z=1`",
        ),
        ("fires(p)", "`p` is a place, not a transition"),
        ("qq", "no place or transition is called `qq`"),
    ] {
        let mut properties = PropertyList::new();
        let error = properties.add_formula(&names, "formula", None, text);
        let error = error.unwrap_err();
        assert!(error.message.starts_with(message), "{error}");
    }
    let mut properties = PropertyList::new();
    added(&mut properties, &names, "fires(move)");
    let Proposition::Fires(events) = &properties.propositions[0] else {
        panic!("no event")
    };
    assert_eq!(events.len(), 2);
}

#[test]
fn runs_are_replayed_on_the_coloured_net() {
    let text = net(&[
        place("p", "col", R),
        transition("t", ""),
        arc("p", "t", X),
        arc("t", "p", &op("successor", &[X])),
    ]
    .concat());
    let net = coloured(&text);
    let Unfolded { system, unfolding } = unfold(&net, &Budget::unlimited()).unwrap();
    let mut run = RunRecorder::new(system.initial[0].clone());
    for event in system.event_ids() {
        let next = system.successors(run.state(), event).remove(0);
        run.push(Some(event), &next);
    }
    let lasso = run.into_lasso(0);
    let unlimited = Budget::unlimited();
    net.replay(&system, &lasso, &unlimited).unwrap();
    let (transition, binding) = unfolding.binding(lasso.cycle[1].event.unwrap());
    assert_eq!((transition, binding), (TransitionId(0), &[Colour(1)][..]));

    let fails = |change: &dyn Fn(&mut Lasso), message: &str| {
        let mut wrong = lasso.clone();
        change(&mut wrong);
        let error = net.replay(&system, &wrong, &unlimited).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        wrong
    };
    let stays = |wrong: &mut Lasso| {
        let here = &system.initial[0];
        wrong.cycle[1] = Step::between(wrong.cycle[1].event, here, here);
    };
    let wrong = fails(&stays, "after 2 steps");
    let lift = UnfoldingLift {
        net: &net,
        system: &system,
    };
    assert!(lift.back(wrong, &unlimited).is_err());
    assert_eq!(lift.back(lasso.clone(), &unlimited), Ok(lasso.clone()));
    fails(&|wrong| wrong.cycle.swap(0, 1), "needs more tokens");
    fails(&|wrong| wrong.cycle[0].event = None, "stutters although");
    fails(&|wrong| drop(wrong.cycle.pop()), "does not close");
}
