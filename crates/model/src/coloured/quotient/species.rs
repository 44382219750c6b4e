//! Species: connected groups of colours with their tokens, up to the names of the colours.

use super::super::net::SortId;
use super::classes::Rules;
use super::{Node, TokenCounts};
use std::collections::BTreeMap;

/// A component of a marking, up to renaming: nodes are colours of symmetric sorts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Species {
    /// By node: its sort.
    pub nodes: Vec<SortId>,
    /// Its tokens, sorted by place and parts.
    pub tokens: Vec<Token>,
}

/// Tokens of one colour in a place. A part is a node where the place's sort is symmetric, else a
/// value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Token {
    pub place: usize,
    pub parts: Vec<u32>,
    pub count: i64,
}

/// A component with names: its species, and by node of the species the node of the marking.
pub(super) struct Component {
    pub species: Species,
    pub members: Vec<Node>,
}

/// Limit on the nodes of a species.
const NODES: usize = 12;

/// Splits tokens over nodes into connected components; `None` if one has too many nodes. Tokens
/// without nodes are ignored.
pub(super) fn components(
    rules: &Rules,
    sorts: &[SortId],
    tokens: &TokenCounts,
) -> Option<Vec<Component>> {
    let mut leader: Vec<usize> = (0..sorts.len()).collect();
    for (place, parts) in tokens.keys() {
        let mut nodes = rules.nodes(*place, parts);
        if let Some(first) = nodes.next() {
            for node in nodes {
                let (a, b) = (find(&mut leader, first), find(&mut leader, node));
                leader[a.max(b)] = a.min(b);
            }
        }
    }
    let mut number = vec![usize::MAX; sorts.len()];
    let mut position = vec![0; sorts.len()];
    let mut groups: Vec<(Vec<Node>, Vec<Token>)> = Vec::new();
    for (node, position) in position.iter_mut().enumerate() {
        let top = find(&mut leader, node as Node);
        if number[top] == usize::MAX {
            number[top] = groups.len();
            groups.push((Vec::new(), Vec::new()));
        }
        let members = &mut groups[number[top]].0;
        if members.len() == NODES {
            return None;
        }
        *position = members.len() as Node;
        members.push(node as Node);
    }
    for ((place, parts), count) in tokens {
        let Some(first) = rules.nodes(*place, parts).next() else {
            continue;
        };
        let renamed = parts.iter().enumerate().map(|(i, part)| {
            if rules.is_symmetric(*place, i) {
                position[*part as usize]
            } else {
                *part
            }
        });
        let token = Token {
            place: *place,
            parts: renamed.collect(),
            count: *count,
        };
        groups[number[find(&mut leader, first)]].1.push(token);
    }
    let component = |(members, tokens): (Vec<Node>, Vec<Token>)| {
        let nodes = members.iter().map(|node| sorts[*node as usize]).collect();
        let (species, order) = canonical(rules, Species { nodes, tokens });
        let members = order.iter().map(|old| members[*old]).collect();
        Component { species, members }
    };
    Some(groups.into_iter().map(component).collect())
}

fn find(leader: &mut [usize], node: Node) -> usize {
    let mut at = node as usize;
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}

/// Limit on the numberings that are compared. Further ones could give equal species two forms,
/// which costs places of the quotient and nothing else.
const NUMBERINGS: usize = 128;

/// A representative of the species that are equal up to the order of nodes, and by its nodes the
/// former ones.
fn canonical(rules: &Rules, species: Species) -> (Species, Vec<usize>) {
    if species.nodes.len() == 1 {
        return (species, vec![0]);
    }
    let colours = species.nodes.iter().map(|sort| sort.index()).collect();
    let mut search = Canonical {
        rules,
        species: &species,
        best: None,
        left: NUMBERINGS,
    };
    search.refine(colours);
    let identity = (0..species.nodes.len()).collect();
    search.best.unwrap_or((species, identity))
}

/// A token as seen from a node: place, count, the node's position, and the classes of the parts.
type Occurrence = (usize, i64, usize, Vec<usize>);

/// Individualisation and refinement.
struct Canonical<'s> {
    rules: &'s Rules,
    species: &'s Species,
    best: Option<(Species, Vec<usize>)>,
    left: usize,
}

impl Canonical<'_> {
    /// Refines the partition given by `colours`, splits its first class, and recurs; keeps the least
    /// species among those of discrete partitions.
    fn refine(&mut self, mut colours: Vec<usize>) {
        let mut classes = 0;
        loop {
            let mut signatures: Vec<(usize, Vec<Occurrence>)> =
                colours.iter().map(|colour| (*colour, Vec::new())).collect();
            for token in &self.species.tokens {
                let seen = self.seen(token, |node| colours[node as usize]);
                for (i, part) in token.parts.iter().enumerate() {
                    if self.rules.is_symmetric(token.place, i) {
                        let own = (token.place, token.count, i, seen.clone());
                        signatures[*part as usize].1.push(own);
                    }
                }
            }
            signatures
                .iter_mut()
                .for_each(|signature| signature.1.sort_unstable());
            let mut distinct: Vec<_> = signatures.iter().collect();
            distinct.sort_unstable();
            distinct.dedup();
            let rank = |signature| distinct.binary_search(&signature).unwrap_or(0);
            colours = signatures.iter().map(rank).collect();
            if distinct.len() == classes {
                break;
            }
            classes = distinct.len();
        }
        let split = (0..classes)
            .map(|class| {
                (0..colours.len())
                    .filter(|n| colours[*n] == class)
                    .collect()
            })
            .find(|members: &Vec<usize>| members.len() > 1);
        let Some(members) = split else {
            return self.compare(&colours);
        };
        let mut tried: Vec<usize> = Vec::new();
        for node in members {
            if self.left == 0 {
                return;
            }
            if tried.iter().any(|other| self.are_twins(*other, node)) {
                continue;
            }
            tried.push(node);
            // The node comes before the others of its class.
            let mut colours: Vec<usize> = colours.iter().map(|colour| 2 * colour + 1).collect();
            colours[node] -= 1;
            self.refine(colours);
        }
    }

    /// The parts of a token with nodes replaced.
    fn seen(&self, token: &Token, name: impl Fn(Node) -> usize) -> Vec<usize> {
        let parts = token.parts.iter().enumerate();
        let part = |(i, part): (usize, &u32)| match self.rules.is_symmetric(token.place, i) {
            true => name(*part),
            false => *part as usize,
        };
        parts.map(part).collect()
    }

    /// Returns whether exchanging two nodes maps the species to itself.
    fn are_twins(&self, a: usize, b: usize) -> bool {
        let exchanged = |node: Node| match node as usize {
            node if node == a => b,
            node if node == b => a,
            node => node,
        };
        let tokens = |name: &dyn Fn(Node) -> usize| -> BTreeMap<(usize, Vec<usize>), i64> {
            let tokens = self.species.tokens.iter();
            tokens
                .map(|token| ((token.place, self.seen(token, name)), token.count))
                .collect()
        };
        tokens(&exchanged) == tokens(&|node| node as usize)
    }

    /// Keeps the species numbered by a discrete partition if it is the least one.
    fn compare(&mut self, numbers: &[usize]) {
        self.left -= 1;
        let mut order = vec![0; numbers.len()];
        for (old, new) in numbers.iter().enumerate() {
            order[*new] = old;
        }
        let token = |token: &Token| Token {
            parts: self
                .seen(token, |node| numbers[node as usize])
                .iter()
                .map(|p| *p as u32)
                .collect(),
            ..token.clone()
        };
        let mut tokens: Vec<Token> = self.species.tokens.iter().map(token).collect();
        tokens.sort_unstable();
        let nodes = order.iter().map(|old| self.species.nodes[*old]).collect();
        let numbered = Species { nodes, tokens };
        if self.best.as_ref().is_none_or(|(best, _)| numbered < *best) {
            self.best = Some((numbered, order));
        }
    }
}
