//! Single steps: images, pre-images, enabledness, deadlocks.
//!
//! For one chain the recursions follow its levels. For all events of a [`Subset`] at once they go
//! through the diagram once and treat on every level the events that have their top there,
//! instead of walking down from the root for every event:
//!
//! ```text
//! img(n)  = {i ↦ img(n[i])} ∪ {i' ↦ img_rest(n[i]) | (i, i', rest) of an event with this top}
//! dead(n) = {i ↦ dead(n[i]) \ enabled_rest(n[i]) for every (i, i', rest)}
//! ```
//!
//! `pre(B) ∩ C` is the image under the inverse events, intersected. Deadlock stuttering is not
//! added here: whoever wants `Succ(S) = img(S) ∪ (S ∩ dead)` says so.

use crate::cache::Op;
use crate::event::{Action, ChainId, Event, Subset};
use crate::kernel::{Halt, Kernel, Mark, NodeId, Step};
use crate::store::{Set, Store};
use lariat_budget::Stop;

impl Kernel {
    /// Sorts the edges above `mark` by value and unites those with the same, ready to be
    /// [made](Kernel::make) a node.
    pub fn sort(&mut self, mark: Mark) -> Result<(), Halt> {
        let base = self.stack.len() - self.mark().above(mark);
        self.tidy(base)
    }

    /// Sorts the edges above `base` by value and unites those with the same.
    pub(crate) fn tidy(&mut self, base: usize) -> Result<(), Halt> {
        self.stack[base..].sort_unstable_by_key(|edge| edge.0);
        let mut last = base;
        for at in base + 1..self.stack.len() {
            let (value, child) = self.stack[at];
            if self.stack[last].0 == value {
                let sum = self.union(self.stack[last].1, child)?;
                self.stack[last].1 = sum;
            } else {
                last += 1;
                self.stack[last] = (value, child);
            }
        }
        self.stack.truncate((last + 1).min(self.stack.len()));
        Ok(())
    }

    /// The level of the first action of `chain`, `None` if nothing is left to do.
    #[inline]
    pub fn first_level(&self, chain: ChainId) -> Option<u32> {
        (chain != ChainId::END).then(|| self.chains.link(chain).level)
    }

    /// The `nth` thing, from 0, that the first action of `chain` can do to `value` on `level`: on
    /// the levels above its own the value stays and the chain remains.
    #[inline]
    pub fn nth_step(
        &mut self,
        chain: ChainId,
        level: u32,
        value: u32,
        nth: u32,
    ) -> Result<Option<Step>, Halt> {
        let link = self.chains.link(chain);
        if level < link.level {
            return Ok((nth == 0).then_some(Step {
                to: value,
                rest: chain,
            }));
        }
        Ok(match link.action {
            Action::Delta { need, delta, rest } if nth == 0 && value >= need => Some(Step {
                to: self.shift(value, delta)?,
                rest,
            }),
            Action::Delta { .. } => None,
            Action::Table { start, end } => {
                let (first, last) = self.chains.rows_from(start, end, value);
                (nth < last - first).then(|| {
                    let row = self.chains.row(first + nth);
                    Step {
                        to: row.to,
                        rest: row.rest,
                    }
                })
            }
        })
    }

    /// The image of `node`, on `level`, under `chain`: not saturated, not filtered.
    pub fn image(&mut self, chain: ChainId, node: NodeId, level: u32) -> Result<NodeId, Halt> {
        if chain == ChainId::END || node.is_empty() {
            return Ok(node);
        }
        let op = Op::Image.word(chain.0);
        if let Some(result) = self.cache.get(op, node.0, 0) {
            return Ok(result);
        }
        let link = self.chains.link(chain);
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[at];
            if level < link.level {
                self.image_into(chain, child, level, value)?;
                continue;
            }
            match link.action {
                Action::Delta { need, delta, rest } => {
                    if value >= need {
                        let to = self.shift(value, delta)?;
                        self.image_into(rest, child, level, to)?;
                    }
                }
                Action::Table { start, end } => {
                    let (first, last) = self.chains.rows_from(start, end, value);
                    for row in first..last {
                        let row = self.chains.row(row);
                        self.image_into(row.rest, child, level, row.to)?;
                    }
                }
            }
        }
        self.tidy(end)?;
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.cache.put(op, node.0, 0, result);
        Ok(result)
    }

    fn image_into(
        &mut self,
        chain: ChainId,
        child: NodeId,
        level: u32,
        to: u32,
    ) -> Result<(), Halt> {
        let image = self.image(chain, child, level + 1)?;
        if !image.is_empty() {
            self.push(to, image)?;
        }
        Ok(())
    }

    /// The image of `node`, on `level`, under those of `events` with a top at or below it.
    pub fn image_all(&mut self, events: &Subset, node: NodeId, level: u32) -> Result<NodeId, Halt> {
        if node.0 <= 1 {
            return Ok(NodeId::EMPTY);
        }
        let scope = events.scope.word();
        if let Some(result) = self.lookup(Op::ImageAll, node, scope) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[at];
            let image = self.image_all(events, child, level + 1)?;
            if !image.is_empty() {
                self.push(value, image)?;
            }
            for top in events.at(level, true) {
                match top.action {
                    Action::Delta { need, delta, rest } => {
                        if value >= need {
                            let to = self.shift(value, delta)?;
                            self.image_into(rest, child, level, to)?;
                        }
                    }
                    Action::Table { start, end } => {
                        let (first, last) = self.chains.rows_from(start, end, value);
                        for row in first..last {
                            let row = self.chains.row(row);
                            self.image_into(row.rest, child, level, row.to)?;
                        }
                    }
                }
            }
        }
        self.tidy(end)?;
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.store(Op::ImageAll, node, scope, result);
        Ok(result)
    }

    /// The vectors of `node`, on `level`, from which `chain` leads somewhere.
    pub fn enabled(&mut self, chain: ChainId, node: NodeId, level: u32) -> Result<NodeId, Halt> {
        if chain == ChainId::END || node.is_empty() {
            return Ok(node);
        }
        let op = Op::Enabled.word(chain.0);
        if let Some(result) = self.cache.get(op, node.0, 0) {
            return Ok(result);
        }
        let link = self.chains.link(chain);
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[at];
            let enabled = if level < link.level {
                self.enabled(chain, child, level + 1)?
            } else {
                self.enabled_below(link.action, value, child, level)?
            };
            if !enabled.is_empty() {
                self.push(value, enabled)?;
            }
        }
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.cache.put(op, node.0, 0, result);
        Ok(result)
    }

    /// The vectors of `child`, below `level` with `value`, from which `action` leads somewhere.
    fn enabled_below(
        &mut self,
        action: Action,
        value: u32,
        child: NodeId,
        level: u32,
    ) -> Result<NodeId, Halt> {
        match action {
            Action::Delta { need, rest, .. } if value >= need => {
                self.enabled(rest, child, level + 1)
            }
            Action::Delta { .. } => Ok(NodeId::EMPTY),
            Action::Table { start, end } => {
                let mark: Mark = self.mark();
                let mut sum = NodeId::EMPTY;
                let (first, last) = self.chains.rows_from(start, end, value);
                for row in first..last {
                    self.push(0, sum)?;
                    let rest = self.chains.row(row).rest;
                    let enabled = self.enabled(rest, child, level + 1)?;
                    self.push(0, enabled)?;
                    sum = self.union(sum, enabled)?;
                    self.release(mark);
                }
                Ok(sum)
            }
        }
    }

    /// The vectors of `node`, on `level`, from which no event with a top at or below it leads
    /// anywhere.
    pub fn dead(&mut self, events: &Subset, node: NodeId, level: u32) -> Result<NodeId, Halt> {
        if node.0 <= 1 {
            return Ok(node);
        }
        let scope = events.scope.word();
        if let Some(result) = self.lookup(Op::Dead, node, scope) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[at];
            let mut dead = self.dead(events, child, level + 1)?;
            for top in events.at(level, true) {
                if dead.is_empty() {
                    break;
                }
                let mark = self.mark();
                self.push(0, dead)?;
                let enabled = self.enabled_below(top.action, value, dead, level)?;
                self.push(0, enabled)?;
                dead = self.difference(dead, enabled)?;
                self.release(mark);
            }
            if !dead.is_empty() {
                self.push(value, dead)?;
            }
        }
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.store(Op::Dead, node, scope, result);
        Ok(result)
    }
}

impl Store {
    /// The states that one of `events` leads to from `set`.
    pub fn image(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        let node = self.of(set);
        self.compute(|kernel| {
            let image = kernel.image_all(events, node, 0)?;
            if !events.idle {
                return Ok(image);
            }
            let mark = kernel.mark();
            kernel.push(0, image)?;
            let image = kernel.union(node, image)?;
            kernel.release(mark);
            Ok(image)
        })
    }

    /// The states of `within` from which one step leads into `set`; `inverses` is the
    /// [subset of the inverse events](Store::inverse_subset).
    pub fn pre_image(&mut self, inverses: &Subset, set: &Set, within: &Set) -> Result<Set, Stop> {
        let all = self.image(inverses, set)?;
        self.intersection(&all, within)
    }

    /// The states that `event` leads to from `set`.
    pub fn image_of(&mut self, event: Event, set: &Set) -> Result<Set, Stop> {
        let node = self.of(set);
        self.compute(|kernel| kernel.image(event.chain(), node, 0))
    }

    /// The states of `set` in which `event` is possible.
    pub fn enabled_of(&mut self, event: Event, set: &Set) -> Result<Set, Stop> {
        let node = self.of(set);
        self.compute(|kernel| kernel.enabled(event.chain(), node, 0))
    }

    /// The states of `set` in which one of `events` is possible.
    pub fn enabled(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        let dead = self.dead(events, set)?;
        self.difference(set, &dead)
    }

    /// The states of `set` in which none of `events` is possible.
    pub fn dead(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        if events.idle {
            return Ok(self.empty());
        }
        let node = self.of(set);
        self.compute(|kernel| kernel.dead(events, node, 0))
    }
}
