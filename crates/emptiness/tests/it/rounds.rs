//! Couvreur's check with an oracle for its path.

use crate::explicit::{Explicit, Limit};
use lariat_corpora::each_case;
use lariat_emptiness::{
    Counts, Edge, Graph, Marks, NodeId, Outcome, PathOracle, PathOutcome, SearchPath, couvreur,
    couvreur_asking,
};

/// 0 → 2 → 4 → …, infinite. Each node first leads to a dead end, the next odd number.
struct Line;

impl Graph for Line {
    type Stop = ();
    type Worker = ();
    type Cursor = u32;

    fn marks(&self) -> Marks {
        Marks::all(3)
    }

    fn initial(&self, (): &mut (), k: usize) -> Result<Option<NodeId>, ()> {
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(&self, (): &mut (), node: NodeId, cursor: &mut u32) -> Result<Option<Edge>, ()> {
        *cursor += 1;
        let marks = Marks::one(node.0 / 2 % 3);
        Ok((node.0.is_multiple_of(2) && *cursor <= 2).then(|| Edge {
            to: NodeId(node.0 + *cursor),
            marks,
        }))
    }
}

/// Accepts at node 40 and checks the path that it receives.
struct AtForty {
    from: usize,
    calls: u32,
}

impl PathOracle<Line> for AtForty {
    fn least_length(&self) -> usize {
        0
    }

    fn repeats_from(
        &mut self,
        _: &Line,
        (): &mut (),
        path: SearchPath<'_, u32>,
    ) -> Result<Option<usize>, ()> {
        self.calls += 1;
        // The oracle is called for all nodes in order, except the initial one.
        assert_eq!(path.node(path.edges()), NodeId(self.calls));
        for position in 0..path.edges() {
            let (edge, cursor) = path.edge(position);
            assert_eq!(path.node(position), NodeId(2 * position as u32));
            assert_eq!(edge.to, path.node(position + 1));
            assert_eq!(edge.to.0, path.node(position).0 + cursor);
            assert_eq!(edge.marks, Marks::one(position as u32 % 3));
        }
        Ok((self.calls == 40).then_some(self.from))
    }
}

#[test]
fn the_path_is_the_evidence() {
    for from in [0, 7, 19] {
        let mut question = AtForty { from, calls: 0 };
        let counts = &mut Counts::default();
        let found = couvreur_asking(&Line, &mut (), counts, &mut question);
        let Ok(Outcome::Accepting(PathOutcome::Rounds(rounds))) = found else {
            panic!("{found:?}");
        };
        assert_eq!(rounds.initial, NodeId(0));
        assert_eq!((rounds.prefix.len(), rounds.cycle.len()), (from, 20 - from));
        assert_eq!(rounds.entry(), NodeId(2 * from as u32));
        let all = rounds.prefix.iter().chain(&rounds.cycle);
        assert!(all.map(|edge| edge.to.0).eq((2..=40).step_by(2)));
        assert_eq!(counts.nodes, 41);
    }
}

/// Accepts paths of five edges.
struct Five;

impl PathOracle<Line> for Five {
    fn least_length(&self) -> usize {
        5
    }

    fn repeats_from(
        &mut self,
        _: &Line,
        (): &mut (),
        path: SearchPath<'_, u32>,
    ) -> Result<Option<usize>, ()> {
        assert_eq!(path.edges(), 5);
        Ok(Some(1))
    }
}

#[test]
fn short_paths_are_not_submitted() {
    let found = couvreur_asking(&Line, &mut (), &mut Counts::default(), &mut Five).unwrap();
    let Outcome::Accepting(PathOutcome::Rounds(rounds)) = found else {
        panic!("{found:?}");
    };
    assert_eq!((rounds.prefix.len(), rounds.cycle.len()), (1, 4));
}

/// Never accepts; counts the calls.
struct Never(u64);

impl PathOracle<Explicit> for Never {
    fn least_length(&self) -> usize {
        0
    }

    fn repeats_from(
        &mut self,
        graph: &Explicit,
        _: &mut Limit,
        path: SearchPath<'_, <Explicit as Graph>::Cursor>,
    ) -> Result<Option<usize>, <Explicit as Graph>::Stop> {
        self.0 += 1;
        for position in 0..path.edges() {
            let (edge, _) = path.edge(position);
            let edges = &graph.edges[path.node(position).index()];
            assert!(edges.contains(&(edge.to.index(), edge.marks)));
        }
        Ok(None)
    }
}

/// If the oracle never accepts, the check equals the plain one.
#[test]
fn an_oracle_affects_only_the_answer() {
    each_case(4_000, |random| {
        let graph = Explicit::random(random);
        let (mut plain, mut asking) = (Counts::default(), Counts::default());
        let expected = couvreur(&graph, &mut Limit::none(), &mut plain).unwrap();
        let mut never = Never(0);
        let found = couvreur_asking(&graph, &mut Limit::none(), &mut asking, &mut never).unwrap();
        assert_eq!(found, expected.map(PathOutcome::Component));
        assert_eq!(plain, asking);
        assert!(never.0 <= asking.nodes && never.0 + graph.initial.len() as u64 >= asking.nodes);
    });
}
