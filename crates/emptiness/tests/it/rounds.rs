//! Couvreur's check with a question about its path.

use crate::kit::{Explicit, Limit};
use lariat_corpora::each_case;
use lariat_emptiness::{
    Counts, Edge, Graph, Marks, NodeId, Outcome, PathQuestion, SearchPath, Sighting, couvreur,
    couvreur_asking,
};

/// 0 → 2 → 4 → …, without end. Before it goes on, each node leads to a dead end, the odd number behind it.
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

/// Says yes at node 40, and looks at what it is shown.
struct AtForty {
    from: usize,
    asked: u32,
}

impl PathQuestion<Line> for AtForty {
    fn least_length(&self) -> usize {
        0
    }

    fn repeats_from(
        &mut self,
        _: &Line,
        (): &mut (),
        path: SearchPath<'_, u32>,
    ) -> Result<Option<usize>, ()> {
        self.asked += 1;
        // All nodes are asked about in order, the initial one excepted.
        assert_eq!(path.node(path.edges()), NodeId(self.asked));
        for position in 0..path.edges() {
            let (edge, cursor) = path.edge(position);
            assert_eq!(path.node(position), NodeId(2 * position as u32));
            assert_eq!(edge.to, path.node(position + 1));
            assert_eq!(edge.to.0, path.node(position).0 + cursor);
            assert_eq!(edge.marks, Marks::one(position as u32 % 3));
        }
        Ok((self.asked == 40).then_some(self.from))
    }
}

#[test]
fn the_path_is_the_evidence() {
    for from in [0, 7, 19] {
        let mut question = AtForty { from, asked: 0 };
        let counts = &mut Counts::default();
        let found = couvreur_asking(&Line, &mut (), counts, &mut question);
        let Ok(Outcome::Accepting(Sighting::Rounds(rounds))) = found else {
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

/// Says yes to paths of five edges.
struct Five;

impl PathQuestion<Line> for Five {
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
fn short_paths_are_not_asked_about() {
    let found = couvreur_asking(&Line, &mut (), &mut Counts::default(), &mut Five).unwrap();
    let Outcome::Accepting(Sighting::Rounds(rounds)) = found else {
        panic!("{found:?}");
    };
    assert_eq!((rounds.prefix.len(), rounds.cycle.len()), (1, 4));
}

/// Never says yes.
struct Never(u64);

impl PathQuestion<Explicit> for Never {
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

/// Without an answer it is the check that it is without a question.
#[test]
fn a_question_changes_nothing_but_by_its_answer() {
    each_case(4_000, |random| {
        let graph = Explicit::random(random);
        let (mut plain, mut asking) = (Counts::default(), Counts::default());
        let expected = couvreur(&graph, &mut Limit::none(), &mut plain).unwrap();
        let mut never = Never(0);
        let found = couvreur_asking(&graph, &mut Limit::none(), &mut asking, &mut never).unwrap();
        assert_eq!(found, expected.map(Sighting::Component));
        assert_eq!(plain, asking);
        assert!(never.0 <= asking.nodes && never.0 + graph.initial.len() as u64 >= asking.nodes);
    });
}
