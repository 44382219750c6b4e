//! The nets of the fixed cases, and propositions about their places and transitions.

use lariat_formats::LoadedModel;
use lariat_model::coloured::{Colour, PlaceId, TransitionId};
use lariat_model::{EventId, Proposition};
use lariat_testkit::symmetric::{self as nets, Arc as Tokens, Check, Firing, Part, Spec};

pub(super) const X0: Part = Part::Variable(0);
pub(super) const X1: Part = Part::Variable(1);

/// A tuple with the first variable alone.
pub(super) fn first(place: usize) -> Tokens {
    (place, vec![X0])
}

/// A token without colour.
pub(super) fn black(place: usize) -> Tokens {
    (place, Vec::new())
}

/// A transition with a number of variables of the first class.
pub(super) fn firing(variables: usize, takes: &[Tokens], puts: &[Tokens]) -> Firing {
    Firing {
        variables: vec![0; variables],
        guard: Vec::new(),
        takes: takes.to_vec(),
        puts: puts.to_vec(),
    }
}

/// A net with one class of colours, all of which mark the first place initially, and black tokens
/// in others.
pub(super) fn spec(
    size: u64,
    places: &[&[usize]],
    transitions: Vec<Firing>,
    tokens: &[(usize, u64)],
) -> Spec {
    let colours = (0..size).map(|colour| (0, vec![colour], 1));
    let tokens = tokens
        .iter()
        .map(|(place, count)| (*place, Vec::new(), *count));
    Spec {
        classes: vec![(size, false)],
        places: places.iter().map(|classes| classes.to_vec()).collect(),
        transitions,
        initial: colours.chain(tokens).collect(),
    }
}

/// `size` identical processes that walk through three places; only one may leave the first.
pub(super) fn walkers(size: u64) -> Spec {
    let leave = firing(1, &[first(0), black(3)], &[first(1)]);
    let walk = firing(1, &[first(1)], &[first(2)]);
    spec(size, &[&[0], &[0], &[0], &[]], vec![leave, walk], &[(3, 1)])
}

/// Three processes that enter and leave a place, one at a time.
pub(super) fn mutex() -> Spec {
    let enter = firing(1, &[first(0), black(2)], &[first(1)]);
    let leave = firing(1, &[first(1)], &[first(0), black(2)]);
    spec(3, &[&[0], &[0], &[]], vec![enter, leave], &[(2, 1)])
}

/// Five identical processes, two of which enter and leave together, one pair at a time.
pub(super) fn couples() -> Spec {
    let outside: [Tokens; 3] = [first(0), (0, vec![X1]), black(2)];
    let inside: [Tokens; 2] = [first(1), (1, vec![X1])];
    let mut transitions = vec![firing(2, &outside, &inside), firing(2, &inside, &outside)];
    for firing in &mut transitions {
        firing.guard.push(Check::Differ(0, 1));
    }
    spec(5, &[&[0], &[0], &[]], transitions, &[(2, 1)])
}

/// `size` identical processes, of which `tickets` may leave the first place, and a self-loop.
pub(super) fn leavers(size: u64, tickets: u64) -> Spec {
    let leave = firing(1, &[first(0), black(2)], &[first(1)]);
    let nothing = firing(0, &[black(3)], &[black(3)]);
    let places: [&[usize]; 4] = [&[0], &[0], &[], &[]];
    spec(size, &places, vec![nothing, leave], &[(2, tickets), (3, 1)])
}

/// Three walkers in a circle; one may leave the first place, if its successor is there.
pub(super) fn circle_of_walkers() -> Spec {
    let mut spec = walkers(3);
    spec.classes[0].1 = true;
    let neighbour: Tokens = (0, vec![Part::Successor(0)]);
    spec.transitions[0].takes.push(neighbour.clone());
    spec.transitions[0].puts.push(neighbour);
    spec
}

/// Two colours, of which only `colour` can leave the first place; the other would need two tokens.
pub(super) fn constant(colour: u64) -> Spec {
    let mut one = firing(1, &[first(0)], &[first(1)]);
    one.guard.push(Check::Is(0, colour));
    let two = firing(1, &[first(0), first(0)], &[first(1)]);
    spec(2, &[&[0], &[0]], vec![one, two], &[])
}

/// Three colours with pairs (c, c + 1), invariant under rotations but not under transpositions.
/// `parts` is the order of the variables in the arc that consumes a pair.
pub(super) fn triangle(parts: [Part; 2]) -> Spec {
    let split = firing(2, &[(0, parts.to_vec())], &[first(1)]);
    let join = firing(2, &[first(1), (1, vec![X1])], &[(0, vec![X0, X1])]);
    Spec {
        initial: (0..3).map(|c| (0, vec![c, (c + 1) % 3], 1)).collect(),
        ..spec(3, &[&[0, 0], &[0]], vec![split, join], &[])
    }
}

/// A token that alternates between two colours.
pub(super) fn shuttle() -> Spec {
    let mut exchange = firing(2, &[first(0)], &[(0, vec![X1])]);
    exchange.guard.push(Check::Differ(0, 1));
    Spec {
        initial: vec![(0, vec![0], 1)],
        ..spec(2, &[&[0]], vec![exchange], &[])
    }
}

/// Two processes that end in one place, in two ways; one way leaves a black token, which the other
/// needs.
pub(super) fn two_ways() -> Spec {
    let transitions = vec![
        firing(1, &[first(0)], &[first(2), black(3)]),
        firing(1, &[first(2)], &[first(2)]),
        firing(1, &[first(0), black(3)], &[first(2)]),
    ];
    spec(2, &[&[0], &[0], &[0], &[]], transitions, &[(3, 1)])
}

/// Four processes in a circle; one may leave the first place while its successor is there.
pub(super) fn ring() -> Spec {
    let successor = (0, vec![Part::Successor(0)]);
    let leave = firing(1, &[first(0), successor.clone()], &[first(1), successor]);
    let mut ring = spec(4, &[&[0], &[0]], vec![leave], &[]);
    ring.classes[0].1 = true;
    ring
}

/// Two self-loops on a black token, beside a place with both colours.
pub(super) fn both_loops() -> Spec {
    let turn = firing(0, &[black(0)], &[black(0)]);
    Spec {
        initial: vec![(0, Vec::new(), 1), (1, vec![0], 1), (1, vec![1], 1)],
        ..spec(2, &[&[], &[0]], vec![turn; 2], &[])
    }
}

/// The proposition that the place has a token of this colour.
pub(super) fn at(model: &LoadedModel, place: u32, colour: u64) -> Proposition {
    let unfolding = &model.coloured.as_deref().unwrap().unfolding;
    let var = unfolding.instance(PlaceId(place), Colour(colour));
    let vars: Vec<u32> = var.into_iter().map(|var| var.0).collect();
    Proposition::State(nets::at_least(&vars, 1))
}

/// The proposition that the place has at least `count` tokens.
pub(super) fn tokens(model: &LoadedModel, place: u32, count: i64) -> Proposition {
    let unfolding = &model.coloured.as_deref().unwrap().unfolding;
    let vars: Vec<u32> = unfolding.instances(PlaceId(place)).map(|v| v.0).collect();
    Proposition::State(nets::at_least(&vars, count))
}

pub(super) fn events(model: &LoadedModel, transition: u32) -> Vec<EventId> {
    let unfolding = &model.coloured.as_deref().unwrap().unfolding;
    unfolding.events(TransitionId(transition)).collect()
}

/// The proposition that this binding of a transition fires.
pub(super) fn fires(model: &LoadedModel, transition: u32, colours: &[u64]) -> Proposition {
    let unfolding = &model.coloured.as_deref().unwrap().unfolding;
    let colours: Vec<Colour> = colours.iter().map(|c| Colour(*c)).collect();
    let event = unfolding.event(TransitionId(transition), &colours);
    Proposition::Fires(event.into_iter().collect())
}
