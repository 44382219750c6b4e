//! Several processes, and the message of a build without them.

use crate::kit::lariat;

#[cfg(not(feature = "distributed"))]
#[test]
fn without_the_feature_the_error_names_it() {
    let how = "cargo install --path crates/cli --features distributed";
    let check = "check examples/mutex.pnml -f 'F lock'";
    let hosts = format!("{check} --hosts hosts --process 0");
    lariat(&hosts).refuses(how);
    let cluster = format!("cluster -n 2 {check}");
    lariat(&cluster).refuses(how);
}

#[test]
fn hosts_require_a_process_number() {
    let check = "check examples/mutex.pnml -f 'F lock' --hosts x";
    lariat(check).refuses("--process");
}

#[cfg(feature = "distributed")]
mod with {
    use crate::kit::{Folder, Ran, large_net, lariat};
    use crate::progress::on_a_terminal;
    use crate::schema::follows;
    use std::net::TcpListener;

    fn cluster(n: usize, args: &str) -> Ran {
        lariat(format!("cluster -n {n} {args}"))
    }

    #[test]
    fn verdicts_equal_those_of_one_process() {
        let args = "check examples/mutex.pnml -F examples/mutex.ltl";
        for n in [1, 2, 3] {
            let ran = cluster(n, args).exits(1);
            let verdicts: Vec<&str> = (ran.out.lines())
                .filter(|line| line.starts_with(|c: char| c.is_uppercase()))
                .filter_map(|line| line.split_whitespace().next())
                .collect();
            let expected = ["HOLDS", "VIOLATED", "HOLDS", "HOLDS"];
            assert_eq!(verdicts, expected, "{}", ran.out);
            assert!(ran.out.contains("(replayed)"), "{}", ran.out);
        }
    }

    #[test]
    fn json_lists_the_workers() {
        let ran = cluster(2, "check examples/mutex.pnml -f 'G F waiting_1' --json");
        let answer = ran.exits(1).answer();
        follows("check", &answer);
        assert_eq!(answer["engine"], "distributed");
        assert_eq!(answer["workers"].as_array().map(Vec::len), Some(2));
        let ran = cluster(2, "states examples/mutex.pnml --threads 2 --json");
        let answer = ran.exits(0).answer();
        follows("states", &answer);
        assert_eq!(answer["workers"].as_array().map(Vec::len), Some(4));
        let alone = lariat("states examples/mutex.pnml --json").answer();
        for figure in ["states", "edges", "deadlocks", "max_tokens"] {
            assert_eq!(answer[figure], alone[figure], "{figure}");
        }
    }

    /// A state space that exceeds the memory of one process fits into four.
    #[test]
    fn memory_is_limited_per_process() {
        let folder = Folder::new();
        let net = folder.file("kanban.pnml", lariat("generate kanban 4").out);
        let limited = format!("states {net} --memory 4M --json");
        let alone = lariat(format!("{limited} --engine explicit"));
        assert_eq!(alone.exits(3).answer()["reason"], "memory");
        let answer = cluster(4, &limited).exits(0).answer();
        assert_eq!(answer["states"], "454475");
    }

    #[test]
    fn the_progress_line_shows_queues() {
        let folder = Folder::new();
        let model = large_net(&folder);
        let args = format!("cluster -n 2 states {model} --timeout 2s");
        let Some(seen) = on_a_terminal("", &args) else {
            return;
        };
        // The line is cut at the width of the terminal; crate `distributed` tests the rest.
        for what in ["exploring: ", " states/s, ", " waiting at 0"] {
            assert!(seen.contains(what), "no `{what}` in {seen:?}");
        }
    }

    #[test]
    fn unsupported_combinations_are_refused() {
        let refused = |ran: Ran, why: &str| drop(ran.refuses(why));
        let info = cluster(2, "info examples/mutex.pnml");
        refused(info, "`cluster` runs only `check` and `states`");
        let ran = cluster(1, "check examples/mutex.pnml -f 'F lock' --engine sog");
        refused(ran, "`sog` stores its states in one process");
        let folder = Folder::new();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let hosts = folder.file("hosts", format!("{address}\n127.0.0.1:1\n"));
        let check = format!("check examples/mutex.pnml -f 'F lock' --hosts {hosts}");
        refused(lariat(format!("{check} --process 0")), "this port is taken");
        refused(lariat(format!("{check} --process 2")), "no process 2");
        let hosts = folder.file("bad", "nothing\n");
        let check = format!("states examples/mutex.pnml --hosts {hosts} --process 0");
        let why = "line 1: `nothing` is not of the form host:port";
        refused(lariat(check), why);
    }
}
