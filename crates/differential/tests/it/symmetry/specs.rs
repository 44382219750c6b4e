//! The nets of the fixed cases, and propositions about their places and transitions.

use lariat_formats::LoadedModel;
use lariat_model::coloured::{Colour, PlaceId, TransitionId};
use lariat_model::{EventId, Proposition};
use lariat_testkit::symmetric::{self as nets, Arc as Tokens, Check, Firing, Part, Spec};

pub(super) const X0: Part = Part::Variable(0);
pub(super) const X1: Part = Part::Variable(1);

/// `size` identical processes that walk through three places; only one may leave the first.
pub(super) fn walkers(size: u64) -> Spec {
    let step = |from: usize, more: &[Tokens]| Firing {
        variables: vec![0],
        takes: [&[(from, vec![X0])], more].concat(),
        puts: vec![(from + 1, vec![X0])],
        ..Firing::default()
    };
    Spec {
        classes: vec![(size, false)],
        places: vec![vec![0], vec![0], vec![0], Vec::new()],
        transitions: vec![step(0, &[(3, Vec::new())]), step(1, &[])],
        initial: (0..size)
            .map(|c| (0, vec![c], 1))
            .chain([(3, Vec::new(), 1)])
            .collect(),
    }
}

/// Three processes that enter and leave a place, one at a time.
pub(super) fn mutex() -> Spec {
    let firing = |takes: &[Tokens], puts: &[Tokens]| Firing {
        variables: vec![0],
        takes: takes.to_vec(),
        puts: puts.to_vec(),
        ..Firing::default()
    };
    let (outside, inside, key) = ((0, vec![X0]), (1, vec![X0]), (2, Vec::new()));
    Spec {
        classes: vec![(3, false)],
        places: vec![vec![0], vec![0], Vec::new()],
        transitions: vec![
            firing(
                &[outside.clone(), key.clone()],
                std::slice::from_ref(&inside),
            ),
            firing(std::slice::from_ref(&inside), &[outside, key]),
        ],
        initial: (0..3)
            .map(|c| (0, vec![c], 1))
            .chain([(2, Vec::new(), 1)])
            .collect(),
    }
}

/// Five identical processes, two of which enter and leave together, one pair at a time.
pub(super) fn couples() -> Spec {
    let outside: [Tokens; 3] = [(0, vec![X0]), (0, vec![X1]), (2, Vec::new())];
    let inside: [Tokens; 2] = [(1, vec![X0]), (1, vec![X1])];
    let firing = |takes: &[Tokens], puts: &[Tokens]| Firing {
        variables: vec![0, 0],
        guard: vec![Check::Differ(0, 1)],
        takes: takes.to_vec(),
        puts: puts.to_vec(),
    };
    Spec {
        classes: vec![(5, false)],
        places: vec![vec![0], vec![0], Vec::new()],
        transitions: vec![firing(&outside, &inside), firing(&inside, &outside)],
        initial: (0..5)
            .map(|c| (0, vec![c], 1))
            .chain([(2, Vec::new(), 1)])
            .collect(),
    }
}

/// `size` identical processes, of which `tickets` may leave the first place, and a self-loop.
pub(super) fn leavers(size: u64, tickets: u64) -> Spec {
    let leave = Firing {
        variables: vec![0],
        takes: vec![(0, vec![X0]), (2, Vec::new())],
        puts: vec![(1, vec![X0])],
        ..Firing::default()
    };
    let nothing = Firing {
        takes: vec![(3, Vec::new())],
        puts: vec![(3, Vec::new())],
        ..Firing::default()
    };
    Spec {
        classes: vec![(size, false)],
        places: vec![vec![0], vec![0], Vec::new(), Vec::new()],
        transitions: vec![nothing, leave],
        initial: (0..size)
            .map(|c| (0, vec![c], 1))
            .chain([(2, Vec::new(), tickets), (3, Vec::new(), 1)])
            .collect(),
    }
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
    Spec {
        classes: vec![(2, false)],
        places: vec![vec![0], vec![0]],
        transitions: vec![
            Firing {
                variables: vec![0],
                guard: vec![Check::Is(0, colour)],
                takes: vec![(0, vec![X0])],
                puts: vec![(1, vec![X0])],
            },
            Firing {
                variables: vec![0],
                takes: vec![(0, vec![X0]), (0, vec![X0])],
                puts: vec![(1, vec![X0])],
                ..Firing::default()
            },
        ],
        initial: vec![(0, vec![0], 1), (0, vec![1], 1)],
    }
}

/// Three colours with pairs (c, c + 1), invariant under rotations but not under transpositions.
/// `parts` is the order of the variables in the arc that consumes a pair.
pub(super) fn triangle(parts: [Part; 2]) -> Spec {
    Spec {
        classes: vec![(3, false)],
        places: vec![vec![0, 0], vec![0]],
        transitions: vec![
            Firing {
                variables: vec![0, 0],
                takes: vec![(0, parts.to_vec())],
                puts: vec![(1, vec![X0])],
                ..Firing::default()
            },
            Firing {
                variables: vec![0, 0],
                takes: vec![(1, vec![X0]), (1, vec![X1])],
                puts: vec![(0, vec![X0, X1])],
                ..Firing::default()
            },
        ],
        initial: (0..3).map(|c| (0, vec![c, (c + 1) % 3], 1)).collect(),
    }
}

/// A token that alternates between two colours.
pub(super) fn shuttle() -> Spec {
    Spec {
        classes: vec![(2, false)],
        places: vec![vec![0]],
        transitions: vec![Firing {
            variables: vec![0, 0],
            guard: vec![Check::Differ(0, 1)],
            takes: vec![(0, vec![X0])],
            puts: vec![(0, vec![X1])],
        }],
        initial: vec![(0, vec![0], 1)],
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
