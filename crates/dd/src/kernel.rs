//! The second door: safe building blocks for recursive operations.
//!
//! A recursive operation on diagrams loads the edges of its arguments on the *shadow stack*, calls
//! itself on their children, pushes the edges of its result and [makes](Kernel::make) the node. It
//! remembers what it returned in the [operation cache](Kernel::cached). Every call that
//! creates a node may collect garbage, so there is one rule to keep:
//!
//! > **A node that is needed after a call that may create nodes must be rooted during that call**:
//! > be on the shadow stack, in a [`Set`](crate::Set), or below a node that is. Arguments are
//! > rooted by the caller; results are not rooted at all.
//!
//! Breaking the rule never breaks memory safety, but gives wrong sets;
//! [`Store::collect_always`](crate::Store::collect_always) makes tests notice at once.
//!
//! Running out of budget is the error [`Halt`], one byte that says "unwind"; the reason waits
//! in the kernel and the store hands it to the caller of the whole operation as a
//! [`Stop`].

use std::sync::Arc;

use crate::cache::{Cache, Op, Shape, WideKey};
use crate::event::{Action, Chains, Link};
pub use crate::pool::Edges;
use crate::pool::Pool;
use crate::saturation::Workbench;
use crate::unique::Unique;
use lariat_budget::{Budget, Lease, Stop};

pub use crate::event::{ChainId, Step};

/// A node of a diagram: the set of suffixes below it. Equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The empty set, on every level.
    pub const EMPTY: NodeId = NodeId(0);
    /// The set of the empty suffix: what lies below the last level.
    pub const ONE: NodeId = NodeId(1);

    /// Is this the empty set?
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The id as a number, for keys of a [`WideOp`].
    #[inline]
    pub fn word(self) -> u32 {
        self.0
    }

    /// The node with this [`word`](NodeId::word).
    #[inline]
    pub fn from_word(word: u32) -> NodeId {
        NodeId(word)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a predicate still asks after some levels have been read; the numbers mean
/// something only within the scope of the predicate that gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residual(pub u32);

impl Residual {
    /// Nothing satisfies it any more.
    pub const FALSE: Residual = Residual(0);
    /// Everything satisfies it from here on.
    pub const TRUE: Residual = Residual(1);
}

/// The reason to unwind is in the kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Halt(());

/// A name space for cache entries that closes when its last handle is dropped.
///
/// Event subsets and predicates have one each. The number is never used again, so the entries
/// of a closed scope cannot be found, and the next collection drops them.
#[derive(Clone, Debug)]
pub struct Scope(Arc<u32>);

impl Scope {
    /// The number, for keys of a [`WideOp`].
    #[inline]
    pub fn word(&self) -> u32 {
        *self.0
    }
}

/// An operation with five key words and two results, for use by other crates.
#[derive(Clone, Copy, Debug)]
pub struct WideOp(u32);

impl WideOp {
    fn declare(cache: &mut Cache, key: [Word; 5], results: [Word; 2]) -> WideOp {
        let bits = |words: &[Word], kind: Word| {
            words
                .iter()
                .enumerate()
                .fold(0u8, |bits, (i, &word)| bits | ((word == kind) as u8) << i)
        };
        WideOp(cache.operation(Shape {
            nodes: bits(&key, Word::Node),
            scopes: bits(&key, Word::Scope),
            results: bits(&results, Word::Node),
        }))
    }
}

/// The wide operations of this crate.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    pub select: WideOp,
    /// One for every kind of filter.
    pub saturate: [WideOp; 8],
    pub fire: [WideOp; 8],
}

impl Ops {
    fn declare(cache: &mut Cache) -> Ops {
        use Word::{Node, Plain, Scope};
        let mut declare = |scope: Word, residual: Word| {
            let key = [Node, scope, Scope, residual, residual];
            WideOp::declare(cache, key, [Node, Plain])
        };
        let residuals = [Plain, Plain, Plain, Plain, Node, Node, Node, Node];
        Ops {
            select: declare(Plain, Plain),
            saturate: residuals.map(|residual| declare(Scope, residual)),
            fire: residuals.map(|residual| declare(Scope, residual)),
        }
    }
}

/// What one word of the key or result of a [`WideOp`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A node: the entry is dropped when the node dies.
    Node,
    /// A scope: the entry is dropped when the scope closes.
    Scope,
    /// Any number.
    Plain,
}

/// A place on the shadow stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

impl Mark {
    /// How many entries lie between `lower` and this mark.
    pub fn above(self, lower: Mark) -> usize {
        self.0.saturating_sub(lower.0)
    }
}

/// Words allocated between two collections at least, in a small store and in any.
const SMALL_PAUSE: usize = 1 << 21;
const PAUSE: usize = 1 << 22;

/// The cache readily takes this many bytes however few nodes there are.
const SMALL_CACHE: usize = 1 << 24;

/// Steps between two looks at the clock.
const BREATH: u32 = 1 << 12;

/// Steps without a new node that count as much work as a new node.
const STEPS: u32 = 4;

/// Words of a node that count as much work as a new node.
const LONG: usize = 64;

/// Collections for want of memory that one operation may ask for when they leave more than half.
const SQUEEZES: u32 = 32;

/// Nodes, tables and stacks: everything that recursive operations need.
pub struct Kernel {
    pub(crate) levels: u32,
    pub(crate) pool: Pool,
    pub(crate) unique: Unique,
    pub(crate) cache: Cache,
    /// The shadow stack: edges of results in the making, and rooted nodes under value 0.
    pub(crate) stack: Vec<(u32, NodeId)>,
    pub(crate) bench: Workbench,
    pub(crate) ops: Ops,
    pub(crate) chains: Chains,
    pub(crate) roots: Vec<Arc<NodeId>>,
    scopes: Vec<Arc<u32>>,
    next_scope: u32,
    /// Purge the lists of handles when they reach this length.
    purge_at: usize,
    encoded: Vec<u32>,
    budget: Budget,
    nodes_lease: Lease,
    unique_lease: Lease,
    stack_lease: Lease,
    fuel: u32,
    /// Nodes made, and those of them not yet reported to the budget.
    pub(crate) created: u64,
    unspent: u64,
    pub(crate) peak: usize,
    /// The topmost level that the present saturation has closed.
    pub(crate) closed: u32,
    pub(crate) collections: u64,
    /// Words to be allocated before the next collection at least. It doubles with each that an
    /// operation makes: the results that die with their nodes are often needed again.
    pause: usize,
    /// Collect when the pool holds this many words.
    collect_at: usize,
    /// Collections in this operation that had to be and freed less than half.
    squeezes: u32,
    pub(crate) collect_always: bool,
    reason: Option<Stop>,
}

impl Kernel {
    pub(crate) fn new(levels: u32, budget: &Budget) -> Result<Kernel, Stop> {
        let mut cache = Cache::new(budget.lease(), budget.lease())?;
        let mut kernel = Kernel {
            levels,
            pool: Pool::new(),
            unique: Unique::new(),
            ops: Ops::declare(&mut cache),
            cache,
            stack: Vec::new(),
            bench: Workbench::new(budget.lease()),
            chains: Chains::new(budget.lease()),
            roots: Vec::new(),
            scopes: Vec::new(),
            next_scope: 1,
            purge_at: 64,
            encoded: Vec::new(),
            budget: budget.clone(),
            nodes_lease: budget.lease(),
            unique_lease: budget.lease(),
            stack_lease: budget.lease(),
            fuel: BREATH,
            created: 0,
            unspent: 0,
            peak: 0,
            closed: levels,
            collections: 0,
            pause: SMALL_PAUSE,
            collect_at: SMALL_PAUSE,
            squeezes: 0,
            collect_always: false,
            reason: None,
        };
        kernel.unique_lease.resize(kernel.unique.bytes())?;
        kernel.limit_cache();
        kernel.rest();
        kernel.collect_at = kernel.pause;
        Ok(kernel)
    }

    /// The cache grows readily until it is twice as large as the nodes, and if it must to a
    /// quarter of all bytes.
    fn limit_cache(&mut self) {
        let quarter = usize::try_from(self.budget.byte_limit() / 4).unwrap_or(usize::MAX);
        let nodes = Pool::bytes_for(self.pool.capacity()) + self.unique.bytes();
        self.cache.limit((2 * nodes).max(SMALL_CACHE), quarter);
    }

    /// The most that may lie between two collections: a sixteenth of all bytes.
    fn longest_pause(&self) -> usize {
        let words = usize::try_from(self.budget.byte_limit() / 64).unwrap_or(usize::MAX);
        words.max(SMALL_PAUSE)
    }

    /// Another operation begins.
    fn rest(&mut self) {
        self.pause = PAUSE.min(self.longest_pause());
        self.squeezes = 0;
        self.cache.refresh();
    }

    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.limit_cache();
    }

    /// The number of levels; levels are numbered from 0 at the top.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The edges of `node`, which must be neither terminal.
    #[inline]
    pub fn edges(&self, node: NodeId) -> Edges<'_> {
        self.pool.edges(node)
    }

    /// The child of `node` under `value`, empty if there is none.
    #[inline]
    pub fn child(&self, node: NodeId, value: u32) -> NodeId {
        if node.0 <= 1 {
            return NodeId::EMPTY;
        }
        self.pool.child(node, value)
    }

    // --- the shadow stack ---

    /// The present height of the shadow stack.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.stack.len())
    }

    /// Pushes an edge, or under any value a node to be rooted.
    #[inline]
    pub fn push(&mut self, value: u32, node: NodeId) -> Result<(), Halt> {
        if self.stack.len() == self.stack.capacity() {
            self.widen(1)?;
        }
        self.stack.push((value, node));
        Ok(())
    }

    /// Pushes the edges of `node`.
    #[inline]
    pub fn push_edges(&mut self, node: NodeId) -> Result<(), Halt> {
        self.reserve(self.pool.block(node).len())?;
        match self.pool.edges(node) {
            Edges::Dense { children, .. } => {
                for (value, &child) in children.iter().enumerate() {
                    if child != 0 {
                        self.stack.push((value as u32, NodeId(child)));
                    }
                }
            }
            Edges::Sparse(words) => {
                let (pairs, _) = words.as_chunks::<2>();
                let edges = pairs.iter().map(|&[value, child]| (value, NodeId(child)));
                self.stack.extend(edges);
            }
        }
        Ok(())
    }

    /// Room for `more` entries.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Halt> {
        if self.stack.capacity() - self.stack.len() < more {
            self.widen(more)?;
        }
        Ok(())
    }

    /// The entry `offset` above `mark`, if the stack is that high.
    #[inline]
    pub fn peek(&self, mark: Mark, offset: usize) -> Option<(u32, NodeId)> {
        self.stack.get(mark.0 + offset).copied()
    }

    /// Pops everything above `mark`.
    #[inline]
    pub fn release(&mut self, mark: Mark) {
        self.stack.truncate(mark.0);
    }

    /// The node with the edges above `mark`, which have increasing values and no empty
    /// child; pops them.
    #[inline]
    pub fn make(&mut self, mark: Mark) -> Result<NodeId, Halt> {
        let node = self.make_kept(mark.0)?;
        self.stack.truncate(mark.0);
        Ok(node)
    }

    #[cold]
    fn widen(&mut self, more: usize) -> Result<(), Halt> {
        let capacity = (self.stack.len() + more)
            .max(self.stack.capacity() * 2)
            .max(1 << 10);
        let bytes = capacity * size_of::<(u32, NodeId)>();
        if let Err(stop) = self.stack_lease.resize(bytes) {
            return Err(self.halt(stop));
        }
        self.stack.reserve_exact(capacity - self.stack.len());
        Ok(())
    }

    // --- nodes ---

    /// Like `make`, but leaves the edges on the stack.
    pub(crate) fn make_kept(&mut self, base: usize) -> Result<NodeId, Halt> {
        let edges = &self.stack[base..];
        let Some(&(last, _)) = edges.last() else {
            return Ok(NodeId::EMPTY);
        };
        debug_assert!(edges.windows(2).all(|pair| pair[0].0 < pair[1].0));
        debug_assert!(edges.iter().all(|edge| !edge.1.is_empty()));
        let count = edges.len();
        let encoded = &mut self.encoded;
        encoded.clear();
        if (last as usize) < 2 * count {
            encoded.resize(last as usize + 2, 0);
            encoded[0] = (last + 1) << 1;
            for &(value, child) in edges {
                encoded[value as usize + 1] = child.0;
            }
        } else {
            encoded.push((count as u32) << 1 | 1);
            for &(value, child) in edges {
                encoded.extend([value, child.0]);
            }
        }
        let hash = hash_of(encoded);
        let (pool, encoded) = (&self.pool, &self.encoded);
        match self.unique.find(hash, |node| pool.holds(node, encoded)) {
            Some(node) => Ok(node),
            None => self.create(hash),
        }
    }

    /// A new node with the edges in `encoded`.
    fn create(&mut self, hash: u32) -> Result<NodeId, Halt> {
        let length = self.encoded.len();
        if self.collect_always || self.pool.occupied() + length > self.collect_at {
            self.pause = self.longest_pause().min(2 * self.pause);
            self.collect();
        }
        if let Some(capacity) = self.unique.wants() {
            let old = self.unique.bytes();
            let new = capacity * 8;
            if self.unique_lease.resize(old + new).is_err() {
                let most = self.unique.count();
                self.collect();
                self.squeezed(self.unique.count(), most)?;
            }
            if self.unique.wants().is_some() {
                self.unique.grow(capacity);
                self.limit_cache();
            }
            // Shrinking never fails.
            let _ = self.unique_lease.resize(self.unique.bytes());
        }
        let at = match self.pool.take(length) {
            Some(at) => at,
            None => self.take_more(length)?,
        };
        let node = NodeId(at as u32);
        self.pool.write(at, &self.encoded);
        self.unique.insert(hash, node);
        self.created += 1;
        // A node with very many edges is more work than one: values may grow without end.
        self.unspent += 1 + (length / LONG) as u64;
        self.peak = self.peak.max(self.unique.count());
        self.tick()?;
        Ok(node)
    }

    /// Grows the pool, or collects if it may not grow.
    #[cold]
    fn take_more(&mut self, length: usize) -> Result<usize, Halt> {
        let old = self.pool.capacity();
        let most = u32::MAX as usize;
        for wish in [old / 4 + (1 << 14), 1 << 14, 0] {
            // One more word than asked, so that offsets stay below the capacity.
            let capacity = (old + length + wish).min(most);
            if capacity < old + length {
                break;
            }
            if self.nodes_lease.resize(Pool::bytes_for(capacity)).is_ok() {
                self.pool.grow(capacity);
                self.limit_cache();
                if let Some(at) = self.pool.take(length) {
                    return Ok(at);
                }
            }
        }
        self.collect();
        self.squeezed(self.pool.occupied(), old)?;
        match self.pool.take(length) {
            Some(at) => Ok(at),
            None => Err(self.halt(Stop::Memory)),
        }
    }

    /// After a collection that had to be: `live` of `all` are left. Ends the operation if that
    /// frees next to nothing, or little again and again; each collection costs as much as
    /// making everything that lives.
    fn squeezed(&mut self, live: usize, all: usize) -> Result<(), Halt> {
        self.squeezes += (live > all / 2) as u32;
        if live > all - all / 8 || self.squeezes > SQUEEZES {
            return Err(self.halt(Stop::Memory));
        }
        Ok(())
    }

    /// Marks what the handles and stacks reach, and forgets the rest.
    pub(crate) fn collect(&mut self) {
        self.collections += 1;
        self.roots.retain(|root| Arc::strong_count(root) > 1);
        self.scopes.retain(|scope| Arc::strong_count(scope) > 1);
        self.purge_at = 64.max(2 * (self.roots.len() + self.scopes.len()));
        self.pool.unmark();
        // The node in the making has its children on the stack.
        let pool = &mut self.pool;
        let mut todo = Vec::new();
        let handles = self.roots.iter().map(|root| **root);
        let edges = self.stack.iter().map(|edge| edge.1);
        for root in handles.chain(edges).chain(self.bench.roots()) {
            if pool.mark(root) {
                todo.push(root);
            }
            while let Some(node) = todo.pop() {
                let from = todo.len();
                let block = pool.block(node);
                let (step, skip) = if block[0] & 1 == 0 { (1, 1) } else { (2, 2) };
                todo.extend(
                    block
                        .iter()
                        .skip(skip)
                        .step_by(step)
                        .map(|&child| NodeId(child)),
                );
                let mut to = from;
                for at in from..todo.len() {
                    if pool.mark(todo[at]) {
                        todo[to] = todo[at];
                        to += 1;
                    }
                }
                todo.truncate(to);
            }
        }
        let pool = &self.pool;
        self.unique.sweep(|node| pool.alive(node));
        let scopes = &self.scopes;
        let open = |scope: u32| scope == 0 || scopes.binary_search_by_key(&scope, |s| **s).is_ok();
        self.cache.sweep(|node| pool.alive(node), open);
        let live = self.pool.occupied();
        self.collect_at = live + live.max(self.pause);
    }

    // --- handles ---

    /// A handle that keeps `node` alive.
    pub(crate) fn root(&mut self, node: NodeId) -> Arc<NodeId> {
        self.purge();
        let root = Arc::new(node);
        self.roots.push(root.clone());
        root
    }

    /// A new scope.
    pub fn scope(&mut self) -> Scope {
        self.purge();
        let scope = Arc::new(self.next_scope);
        // After four thousand million scopes the numbers would repeat; stale entries with
        // them are gone long before.
        self.next_scope = self.next_scope.checked_add(1).unwrap_or(1);
        self.scopes.push(scope.clone());
        Scope(scope)
    }

    /// Forgets dropped handles when there are many.
    fn purge(&mut self) {
        if self.roots.len() + self.scopes.len() >= self.purge_at {
            self.roots.retain(|root| Arc::strong_count(root) > 1);
            self.scopes.retain(|scope| Arc::strong_count(scope) > 1);
            self.purge_at = 64.max(2 * (self.roots.len() + self.scopes.len()));
        }
    }

    // --- the operation cache ---

    /// Declares an operation by what its key words and results are: once per store, there is
    /// room for some forty.
    ///
    /// # Panics
    /// If there is no room left.
    pub fn operation(&mut self, key: [Word; 5], results: [Word; 2]) -> WideOp {
        WideOp::declare(&mut self.cache, key, results)
    }

    /// What `op` returned for `key` under `chain`, if the cache remembers.
    #[inline]
    pub fn cached(&mut self, op: WideOp, chain: ChainId, key: [u32; 5]) -> Option<[u32; 2]> {
        self.cache.get_wide(&WideKey {
            op: op.0 | chain.0,
            words: key,
        })
    }

    /// Remembers what `op` returned for `key` under `chain`.
    #[inline]
    pub fn remember(&mut self, op: WideOp, chain: ChainId, key: [u32; 5], results: [u32; 2]) {
        self.cache.put_wide(
            &WideKey {
                op: op.0 | chain.0,
                words: key,
            },
            results,
        );
    }

    #[inline]
    pub(crate) fn lookup(&mut self, op: Op, a: NodeId, b: u32) -> Option<NodeId> {
        self.cache.get(op.word(0), a.0, b)
    }

    #[inline]
    pub(crate) fn store(&mut self, op: Op, a: NodeId, b: u32, result: NodeId) {
        self.cache.put(op.word(0), a.0, b, result);
    }

    // --- event chains ---

    /// What the first action of `chain` does to `value` on `level`: nothing on the levels
    /// above its own, where the value stays and the chain remains.
    pub fn steps(&mut self, chain: ChainId, level: u32, value: u32) -> Result<Vec<Step>, Halt> {
        let Link {
            level: own, action, ..
        } = self.chains.link(chain);
        if level < own {
            return Ok(vec![Step {
                to: value,
                rest: chain,
            }]);
        }
        Ok(match action {
            Action::Delta { need, delta, rest } if value >= need => vec![Step {
                to: self.shift(value, delta)?,
                rest,
            }],
            Action::Delta { .. } => Vec::new(),
            Action::Table { start, end } => {
                let (first, last) = self.chains.rows_from(start, end, value);
                let step = |at| {
                    let row = self.chains.row(at);
                    Step {
                        to: row.to,
                        rest: row.rest,
                    }
                };
                (first..last).map(step).collect()
            }
        })
    }

    /// `value + delta`, which is never negative where guards hold.
    #[inline]
    pub(crate) fn shift(&mut self, value: u32, delta: i64) -> Result<u32, Halt> {
        match u32::try_from(value as i64 + delta) {
            Ok(to) => Ok(to),
            Err(_) => Err(self.halt(Stop::Bound(format!(
                "a value beyond {} in a diagram",
                u32::MAX
            )))),
        }
    }

    // --- the budget ---

    /// Counts a step that was not in the cache; looks at the clock now and then.
    ///
    /// Steps are work like nodes are, if less: an operation that only finds nodes that exist
    /// already must come to an end too.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Halt> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.breathe()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn breathe(&mut self) -> Result<(), Halt> {
        let settled = self.settle();
        let stop = match self.budget.check().and(settled) {
            Ok(()) if self.cache.starved() => Stop::Memory,
            Ok(()) => return Ok(()),
            Err(stop) => stop,
        };
        Err(self.halt(stop))
    }

    /// Reports the work since the last time to the budget.
    fn settle(&mut self) -> Result<(), Stop> {
        let steps = BREATH - self.fuel;
        let nodes = std::mem::take(&mut self.unspent);
        self.fuel = BREATH;
        self.budget.spend(nodes.max((steps / STEPS).into()))
    }

    /// Ends the whole operation with `stop`: return what this returns.
    #[cold]
    pub fn halt(&mut self, stop: Stop) -> Halt {
        self.reason = Some(stop);
        Halt(())
    }

    /// Ends the whole operation without a reason to stop: return what this returns.
    ///
    /// For listeners that have seen what they were looking for.
    #[cold]
    pub fn leave(&mut self) -> Halt {
        self.reason = None;
        Halt(())
    }

    /// Turns the outcome of a whole operation into that of a public call, and tidies up after a
    /// halt. `None` if a listener left.
    pub(crate) fn conclude<T>(&mut self, outcome: Result<T, Halt>) -> Result<Option<T>, Stop> {
        self.rest();
        match outcome {
            Ok(result) => self.settle().map(|()| Some(result)),
            Err(Halt(())) => {
                self.stack.clear();
                self.bench.clear();
                match self.reason.take() {
                    Some(stop) => Err(stop),
                    None => Ok(None),
                }
            }
        }
    }
}

#[inline]
fn hash_of(words: &[u32]) -> u32 {
    let mut hash = 0u64;
    let (pairs, rest) = words.as_chunks::<2>();
    for pair in pairs {
        hash = stir(hash, pair[0] as u64 | (pair[1] as u64) << 32);
    }
    if let [last] = rest {
        hash = stir(hash, *last as u64);
    }
    (hash >> 32) as u32
}

#[inline]
fn stir(hash: u64, word: u64) -> u64 {
    let product = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}
