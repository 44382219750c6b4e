//! Token rings: places among which a token goes wherever it wants, unseen.
//!
//! Transitions that need one token in `p`, put one into `q` and do nothing else are *moves*. Between places that moves lead from each to each other, a token can always be
//! brought to where somebody needs it. Let one place `r` hold what all of them hold together. A step of the net that is no move is one of what is left; a step of what is left is
//! one of the net after some moves, which nobody sees. So both have the same runs but for repetitions.
//!
//! Moves can go on for ever, and where one is possible the net is not dead. So there stays a transition that needs a token in `r` and puts it back: it
//! is enabled where a move is. A dead marking has no tokens in the ring, and is as dead with `r`.
//!
//! **Condition**: no atom reads a place of the ring, which has two places or more; moves have weight 1 and no other arc.
//! **Preserves** stutter-invariant properties of states, `deadlock` among them (see [`Support::allows_silence`](super::Support::allows_silence)), under both
//! deadlock policies. With an atom that names events, a move before one of these would be no repetition.
//! **Back**: moves by which the nearest tokens come to where they are needed, then the same event; and any move for the transition that stays. A loop may
//! have to be gone round several times until tokens are where they were.

use super::net::{Net, Position, Transition};
use super::way::{Ring, Way};
use lariat_budget::Stop;
use lariat_model::{Arc, Value, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc as Shared;

/// Makes one place of each ring.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    let moves = moves(net)?;
    for (places, moves) in rings(&moves) {
        net.spend(moves.len())?;
        fuse(net, &places, &moves);
    }
    Ok(())
}

/// From where to where, and by whom.
type Move = (VarId, VarId, Position);

/// All moves from places that no atom reads. So none leads on from those that an atom reads.
fn moves(net: &Net<'_>) -> Result<Vec<Move>, Stop> {
    let mut moves = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(0)?;
        let [x, y] = &transition.arcs[..] else {
            continue;
        };
        let (from, to) = if x.need > 0 { (x, y) } else { (y, x) };
        let is_move = (from.need, from.delta, to.need, to.delta) == (1, -1, 0, 1);
        if is_move && !net.support.reads(from.var) {
            moves.push((from.var, to.var, at));
        }
    }
    Ok(moves)
}

/// Places, sorted, that moves lead from each to each other, and the moves between them.
fn rings(moves: &[Move]) -> Vec<(Vec<VarId>, Vec<Move>)> {
    let mut number: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut places = Vec::new();
    let (mut next, mut before): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut edges = Vec::with_capacity(moves.len());
    for (from, to, _) in moves {
        let [from, to] = [*from, *to].map(|place| {
            *number.entry(place).or_insert_with(|| {
                places.push(place);
                next.push(Vec::new());
                before.push(Vec::new());
                places.len() - 1
            })
        });
        next[from].push(to);
        before[to].push(from);
        edges.push((from, to));
    }
    // S. R. Kosaraju's way to strongly connected components: against the edges, from those that are left last.
    let mut left = Vec::with_capacity(places.len());
    let mut seen = vec![false; places.len()];
    for root in 0..places.len() {
        depth_first(root, &next, &mut seen, &mut left);
    }
    let mut component = vec![0; places.len()];
    let mut rings: Vec<(Vec<VarId>, Vec<Move>)> = Vec::new();
    seen.fill(false);
    for root in left.into_iter().rev() {
        let mut together = Vec::new();
        depth_first(root, &before, &mut seen, &mut together);
        for at in &together {
            component[*at] = rings.len();
        }
        let mut together: Vec<VarId> = together.into_iter().map(|at| places[at]).collect();
        together.sort_unstable();
        rings.push((together, Vec::new()));
    }
    for (own, (from, to)) in moves.iter().zip(edges) {
        if component[from] == component[to] {
            rings[component[from]].1.push(*own);
        }
    }
    rings.retain(|(places, _)| places.len() > 1);
    rings
}

/// Notes what is reached from `root` and not seen before, in the order in which it is left.
fn depth_first(root: usize, next: &[Vec<usize>], seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut stack = vec![(root, next[root].iter())];
    while let Some((at, further)) = stack.last_mut() {
        match further.find(|to| !seen[**to]) {
            Some(to) => {
                seen[*to] = true;
                stack.push((*to, next[*to].iter()));
            }
            None => {
                left.push(*at);
                stack.pop();
            }
        }
    }
}

/// Makes one place of a ring, unless numbers are too large.
fn fuse(net: &mut Net<'_>, places: &[VarId], moves: &[Move]) {
    let place = |place: VarId| places.binary_search(&place);
    let way = |at: Position| Some(net.transition(at)?.way.clone());
    let one_move = |(from, to, at): &Move| Some((place(*from).ok()?, place(*to).ok()?, way(*at)?));
    let there: Option<Vec<(usize, usize, Way)>> = moves.iter().map(one_move).collect();
    let any = moves.iter().filter_map(|(.., at)| way(*at)).collect();
    let (Some(there), Some(any)) = (there, Way::either(any)) else {
        return;
    };
    let ring = Shared::new(Ring {
        places: places.iter().map(|p| net.members(p).to_vec()).collect(),
        moves: there,
    });
    let needs = |transition: &Transition| -> Vec<(usize, Value)> {
        let needed = transition.arcs.iter().filter(|arc| arc.need > 0);
        needed
            .filter_map(|arc: &Arc| Some((place(arc.var).ok()?, arc.need)))
            .collect()
    };
    let touching = places.iter().flat_map(|place| net.touching(*place));
    let consumers = touching.filter(|(.., arc)| arc.need > 0);
    let gathering = consumers.map(|(at, transition, _)| {
        let way = &transition.way;
        (at, way.after_gathering(&ring, needs(transition)))
    });
    let gathering: FxHashMap<Position, Way> = gathering.collect();
    if !net.fuse(places) {
        return;
    }
    for (at, way) in gathering {
        net.stand_for(at, way);
    }
    // A move needs one token of the new place now, and puts it back.
    if let [(.., stays), others @ ..] = moves {
        net.stand_for(*stays, any);
        others.iter().for_each(|(.., at)| net.remove(*at));
    }
}
