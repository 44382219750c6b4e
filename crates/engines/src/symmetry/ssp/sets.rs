//! Operations on sets of markings closed under a group: splitting, comparison, symmetries.

use super::node::{GroupId, SetNode, Ssp, SspWorker};
use lariat_automata::StateId as Location;
use lariat_budget::Stop;
use lariat_emptiness::NodeId;
use lariat_reductions::symmetry::{Generator, Group, Permutation, RoleGroup, Tokens};
use lariat_space::explicit::ExplicitStateId;
use rustc_hash::FxHashMap;

/// Swaps the images of two elements.
fn exchange(to: &mut Permutation, a: u32, b: u32) {
    to.swap(a as usize, b as usize);
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
                                exchange(&mut to, first + a, first + b);
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
        let mut own = Vec::with_capacity(members.len());
        for member in members {
            own.push(self.representative(worker, group, *member)?);
        }
        own.sort_unstable();
        own.dedup();
        let all = self.colours.group();
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        let kept =
            all.coarsest(|generator| self.keeps(worker, id, group, &own, &mut known, generator))?;
        let kept_id = self.group(worker, &kept);
        if kept_id != id {
            for member in &mut own {
                *member = self.representative(worker, &kept, *member)?;
            }
            own.sort_unstable();
            own.dedup();
        }
        self.intern(worker, location, kept_id, own)
    }

    /// Returns whether a generator preserves `group·members`. All transpositions between the same
    /// two blocks have the same answer, which is cached in `known`.
    fn keeps(
        &self,
        worker: &mut SspWorker<'p>,
        id: GroupId,
        group: &Group,
        members: &[ExplicitStateId],
        known: &mut FxHashMap<(u32, u32), bool>,
        Generator { to, moved }: Generator<'_>,
    ) -> Result<bool, Stop> {
        let blocks = match moved {
            [a, b] => self.blocks(group, *a, *b),
            _ => None,
        };
        let Some((ours, theirs)) = blocks else {
            // A rotation commutes with the group.
            for member in members {
                let image = self.image(worker, id, *member, to)?;
                if members.binary_search(&image).is_err() {
                    return Ok(false);
                }
            }
            return Ok(true);
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
        'all: for a in &ours {
            for b in &theirs {
                exchange(&mut to, *a, *b);
                for member in members {
                    let image = self.image(worker, id, *member, &to)?;
                    if members.binary_search(&image).is_err() {
                        kept = false;
                        break 'all;
                    }
                }
                exchange(&mut to, *a, *b);
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
