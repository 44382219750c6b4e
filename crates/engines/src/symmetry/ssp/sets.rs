//! Operations on sets of markings closed under a group: splitting, comparison, symmetries.

use super::node::{GroupId, SetNode, Ssp, SspWorker};
use lariat_automata::StateId as Location;
use lariat_budget::Stop;
use lariat_emptiness::NodeId;
use lariat_reductions::symmetry::{Generator, Group, Permutation, RoleGroup, Tokens};
use lariat_space::explicit::ExplicitStateId;
use rustc_hash::FxHashMap;

/// The set `group·members`, with sorted representatives.
struct OrbitSet<'a> {
    id: GroupId,
    group: &'a Group,
    members: &'a [ExplicitStateId],
}

impl<'p> Ssp<'p> {
    /// Returns one state per `fine`-orbit of `coarse·state`, where `fine ≤ coarse`. Transpositions
    /// across the blocks of `fine` and rotations connect each such orbit to its neighbours.
    pub(super) fn split(
        &self,
        worker: &mut SspWorker<'p>,
        coarse: &Group,
        state: ExplicitStateId,
        fine: &Group,
    ) -> Result<Vec<ExplicitStateId>, Stop> {
        let id = self.group(worker, fine);
        let mut found = vec![self.representative(worker, fine, state)?];
        if coarse == fine {
            return Ok(found);
        }
        let moves = self.across(coarse, fine);
        let mut known: FxHashMap<ExplicitStateId, ()> = found.iter().map(|s| (*s, ())).collect();
        let mut at = 0;
        while at < found.len() {
            for to in &moves {
                let image = self.image(worker, id, found[at], to)?;
                if known.insert(image, ()).is_none() {
                    found.push(image);
                }
            }
            worker.budget.check()?;
            at += 1;
        }
        Ok(found)
    }

    /// Returns transpositions and rotations that generate `coarse` together with `fine`.
    fn across(&self, coarse: &Group, fine: &Group) -> Vec<Permutation> {
        let mut all = Vec::new();
        let mut first = 0;
        for (coarse, fine) in coarse.parts().iter().zip(fine.parts()) {
            let colours = coarse.colours();
            match (coarse, fine) {
                (RoleGroup::Blocks(coarse), RoleGroup::Blocks(fine)) => {
                    for a in 0..colours {
                        for b in 0..a {
                            let (i, j) = (a as usize, b as usize);
                            if coarse[i] == coarse[j] && fine[i] != fine[j] {
                                let mut to = self.colours.identity();
                                to.swap((first + a) as usize, (first + b) as usize);
                                all.push(to);
                            }
                        }
                    }
                }
                (RoleGroup::Rotations { step, .. }, fine) if coarse != fine => {
                    let mut to = self.colours.identity();
                    for colour in 0..colours {
                        to[(first + colour) as usize] = first + (colour + step) % colours;
                    }
                    all.push(to);
                }
                _ => {}
            }
            first += colours;
        }
        all
    }

    /// Returns the node of the set `group·members` with the largest group that preserves it.
    pub(super) fn settle(
        &self,
        worker: &mut SspWorker<'p>,
        location: Location,
        group: &Group,
        members: &[ExplicitStateId],
    ) -> Result<NodeId, Stop> {
        let id = self.group(worker, group);
        let mut own = self.canonical(worker, group, members)?;
        let set = OrbitSet {
            id,
            group,
            members: &own,
        };
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        let keeps = |generator: Generator<'_>| self.keeps(worker, &set, &mut known, generator);
        let kept = self.colours.group().coarsest(keeps)?;
        let kept_id = self.group(worker, &kept);
        if kept_id != id {
            own = self.canonical(worker, &kept, &own)?;
        }
        self.intern(worker, location, kept_id, own)
    }

    /// Returns the sorted representatives of some states.
    fn canonical(
        &self,
        worker: &mut SspWorker<'p>,
        group: &Group,
        states: &[ExplicitStateId],
    ) -> Result<Vec<ExplicitStateId>, Stop> {
        let states = states.iter();
        let own = states.map(|state| self.representative(worker, group, *state));
        let mut own = own.collect::<Result<Vec<_>, Stop>>()?;
        own.sort_unstable();
        own.dedup();
        Ok(own)
    }

    /// Returns whether a permutation maps each member of a set into the set.
    fn preserves(
        &self,
        worker: &mut SspWorker<'p>,
        set: &OrbitSet<'_>,
        to: &[u32],
    ) -> Result<bool, Stop> {
        for member in set.members {
            let image = self.image(worker, set.id, *member, to)?;
            if set.members.binary_search(&image).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a generator preserves a set. All transpositions between the same two blocks
    /// have the same answer, which is cached in `known`.
    fn keeps(
        &self,
        worker: &mut SspWorker<'p>,
        set: &OrbitSet<'_>,
        known: &mut FxHashMap<(u32, u32), bool>,
        Generator { to, moved }: Generator<'_>,
    ) -> Result<bool, Stop> {
        let blocks = match moved {
            [a, b] => self.blocks(set.group, *a, *b),
            _ => None,
        };
        let Some((ours, theirs)) = blocks else {
            // A rotation commutes with the group.
            return self.preserves(worker, set, to);
        };
        let pair = (ours[0].min(theirs[0]), ours[0].max(theirs[0]));
        if pair.0 == pair.1 {
            return Ok(true);
        }
        if let Some(known) = known.get(&pair) {
            return Ok(*known);
        }
        let mut kept = true;
        let mut to = self.colours.identity();
        for a in &ours {
            for b in &theirs {
                to.swap(*a as usize, *b as usize);
                kept = kept && self.preserves(worker, set, &to)?;
                to.swap(*a as usize, *b as usize);
            }
        }
        known.insert(pair, kept);
        Ok(kept)
    }

    /// Returns the blocks of two elements of one role; `None` if the role rotates.
    fn blocks(&self, group: &Group, a: u32, b: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut first = 0;
        for part in group.parts() {
            let colours = part.colours();
            if a < first + colours {
                let RoleGroup::Blocks(least) = part else {
                    return None;
                };
                let block = |element: u32| -> Vec<u32> {
                    let mine = least[(element - first) as usize];
                    let members = (0..colours).filter(|c| least[*c as usize] == mine);
                    members.map(|colour| first + colour).collect()
                };
                return Some((block(a), block(b)));
            }
            first += colours;
        }
        None
    }

    /// Returns a node's automaton state and one marking per orbit modulo its group and R_q.
    pub(super) fn markings(
        &self,
        worker: &mut SspWorker<'p>,
        node: NodeId,
    ) -> Result<(Location, Vec<Tokens>), Stop> {
        let node = worker.nodes[node.index()].clone();
        let group = worker.groups[node.group.0 as usize].group().clone();
        let fine = group.meet(&self.futures[node.location.index()]);
        let mut all = Vec::new();
        for member in &node.members {
            for state in self.split(worker, &group, *member, &fine)? {
                all.push(self.space.tokens(&mut worker.states, state).clone());
            }
        }
        Ok((node.location, all))
    }

    /// Splits `small` modulo the meet of both groups; each part with whether `big` contains it.
    pub(super) fn parts(
        &self,
        worker: &mut SspWorker<'p>,
        big: NodeId,
        small: NodeId,
    ) -> Result<(Group, Vec<(ExplicitStateId, bool)>), Stop> {
        let [big, small] = [big, small].map(|node| worker.nodes[node.index()].clone());
        let group = |node: &SetNode| worker.groups[node.group.0 as usize].group().clone();
        let (coarse, own) = (group(&big), group(&small));
        let common = own.meet(&coarse);
        let mut parts = Vec::new();
        for member in &small.members {
            for state in self.split(worker, &own, *member, &common)? {
                let there = self.representative(worker, &coarse, state)?;
                parts.push((state, big.members.binary_search(&there).is_ok()));
            }
        }
        Ok((common, parts))
    }
}
