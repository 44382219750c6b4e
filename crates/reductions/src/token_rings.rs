//! Token rings: places among which invisible transitions circulate tokens.
//!
//! Transitions that need one token in `p`, put one into `q` and do nothing else are *moves*. Within
//! a strongly connected component of moves a token can always be brought to the place where it is
//! needed. Let one place `r` replace the component and hold the sum of its tokens. A step of the
//! net that is no move is a step of the reduced net; a step of the reduced net is one of the net
//! after some moves, which are invisible. So the runs are equal up to repetitions.
//!
//! Moves can fire infinitely often, and the net is not deadlocked where a move is enabled.
//! Therefore one transition with a self-loop on `r` remains, enabled whenever a move is. A deadlock
//! has no tokens in the ring, and is one of the reduced net.
//!
//! **Condition**: no atom reads a place of the ring, which has at least two places; moves have
//! weight 1 and no other arc.
//! **Preserves** stutter-invariant state properties, `deadlock` among them (see
//! [`Support::allows_silence`](super::Support::allows_silence)), under both deadlock policies. A
//! move before an event that an atom names would be no repetition.
//! **Lift**: moves that bring the nearest tokens to where they are needed, then the same event; any
//! enabled move for the self-loop. A loop may have to be repeated until the tokens are distributed
//! as before.

use super::net::{EventIndex, ReducibleNet, ReducibleTransition};
use super::trace_lift::{EventExpansion, Ring};
use lariat_budget::Stop;
use lariat_model::{Arc, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc as Shared;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    let moves = moves(net)?;
    for (places, moves) in rings(&moves) {
        net.spend(moves.len())?;
        fuse(net, &places, &moves);
    }
    Ok(())
}

/// Source, target and event of a move.
type Move = (VarId, VarId, EventIndex);

/// All moves from places that no atom reads; hence no ring contains a place that an atom reads.
fn moves(net: &ReducibleNet<'_>) -> Result<Vec<Move>, Stop> {
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

/// Strongly connected components of the moves: their places, sorted, and the moves inside them.
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
    // S. R. Kosaraju's algorithm: search backwards from the vertices in reverse postorder.
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

/// Appends the unseen vertices reachable from `root` in postorder.
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

/// Fuses a ring into its first place, unless numbers overflow.
fn fuse(net: &mut ReducibleNet<'_>, places: &[VarId], moves: &[Move]) {
    let place = |place: VarId| places.binary_search(&place);
    let way = |at: EventIndex| Some(net.transition(at)?.way.clone());
    let one_move = |(from, to, at): &Move| Some((place(*from).ok()?, place(*to).ok()?, way(*at)?));
    let there: Option<Vec<(usize, usize, EventExpansion)>> = moves.iter().map(one_move).collect();
    // Some move is enabled iff one of these is: every place has a move out.
    let mut sources = FxHashSet::default();
    let one_out = moves.iter().filter(|(from, ..)| sources.insert(*from));
    let any = one_out.filter_map(|(.., at)| way(*at)).collect();
    let (Some(mut there), Some(any)) = (there, EventExpansion::either(any)) else {
        return;
    };
    there.sort_by_key(|(from, to, _)| (*to, *from));
    there.dedup_by_key(|(from, to, _)| (*to, *from));
    let ring = Shared::new(Ring {
        places: places.iter().map(|p| net.members(p).to_vec()).collect(),
        moves: there,
    });
    let needs = |transition: &ReducibleTransition| -> Vec<(usize, Value)> {
        let needed = transition.arcs.iter().filter(|arc| arc.need > 0);
        needed
            .filter_map(|arc: &Arc| Some((place(arc.var).ok()?, arc.need)))
            .collect()
    };
    let touching = places.iter().flat_map(|place| net.touching(*place));
    let consumers = touching.filter(|(.., arc)| arc.need > 0);
    let with_moves = consumers.map(|(at, transition, _)| {
        let way = &transition.way;
        (at, way.after_gathering(&ring, needs(transition)))
    });
    let with_moves: FxHashMap<EventIndex, EventExpansion> = with_moves.collect();
    if !net.fuse(places) {
        return;
    }
    for (at, way) in with_moves {
        net.set_way(at, way);
    }
    // One move becomes a self-loop on the fused place; the others are removed.
    if let [(.., stays), others @ ..] = moves {
        net.set_way(*stays, any);
        others.iter().for_each(|(.., at)| net.remove(*at));
    }
}
