//! Several processes, and the message of a build without them.

use crate::kit::lariat;

#[cfg(not(feature = "distributed"))]
#[test]
fn without_the_feature_the_error_names_it() {
    let how = "cargo install --path crates/cli --features distributed";
    let check = ["check", "examples/mutex.pnml", "-f", "F lock"];
    let hosts = [&check[..], &["--hosts", "hosts", "--process", "0"]].concat();
    lariat(&hosts).exits(2).reports(how);
    let cluster = [&["cluster", "-n", "2"][..], &check].concat();
    lariat(&cluster).exits(2).reports(how);
}

#[test]
fn hosts_require_a_process_number() {
    let check = [
        "check",
        "examples/mutex.pnml",
        "-f",
        "F lock",
        "--hosts",
        "x",
    ];
    lariat(&check).exits(2).reports("--process");
}

#[cfg(feature = "distributed")]
mod with {
    use crate::kit::{Folder, Ran, large_net, lariat};
    use crate::progress::on_a_terminal;
    use crate::schema::follows;
    use std::net::TcpListener;

    fn cluster(n: &str, args: &[&str]) -> Ran {
        lariat(&[&["cluster", "-n", n][..], args].concat())
    }

    #[test]
    fn verdicts_equal_those_of_one_process() {
        let args = ["check", "examples/mutex.pnml", "-F", "examples/mutex.ltl"];
        for n in ["1", "2", "3"] {
            let ran = cluster(n, &args).exits(1);
            let verdicts: Vec<&str> = (ran.out.lines())
                .filter(|line| line.starts_with(|c: char| c.is_uppercase()))
                .filter_map(|line| line.split_whitespace().next())
                .collect();
            assert_eq!(
                verdicts,
                ["HOLDS", "VIOLATED", "HOLDS", "HOLDS"],
                "{}",
                ran.out
            );
            assert!(ran.out.contains("(replayed)"), "{}", ran.out);
        }
    }

    #[test]
    fn json_lists_the_workers() {
        let ran = cluster(
            "2",
            &[
                "check",
                "examples/mutex.pnml",
                "-f",
                "G F waiting_1",
                "--json",
            ],
        );
        let answers = ran.exits(1).json();
        follows("check", &answers[0]);
        assert_eq!(answers[0]["engine"], "distributed");
        assert_eq!(answers[0]["workers"].as_array().map(Vec::len), Some(2));
        let ran = cluster(
            "2",
            &["states", "examples/mutex.pnml", "--threads", "2", "--json"],
        );
        let answers = ran.exits(0).json();
        follows("states", &answers[0]);
        assert_eq!(answers[0]["workers"].as_array().map(Vec::len), Some(4));
        let alone = lariat(&["states", "examples/mutex.pnml", "--json"]).json();
        for figure in ["states", "edges", "deadlocks", "max_tokens"] {
            assert_eq!(answers[0][figure], alone[0][figure], "{figure}");
        }
    }

    /// A state space that exceeds the memory of one process fits into four.
    #[test]
    fn memory_is_limited_per_process() {
        let folder = Folder::new();
        let net = folder.file("kanban.pnml", lariat(&["generate", "kanban", "4"]).out);
        let limited = ["states", &net, "--memory", "4M", "--json"];
        let alone = lariat(&[&limited[..], &["--engine", "explicit"]].concat());
        assert_eq!(alone.exits(3).json()[0]["reason"], "memory");
        let answers = cluster("4", &limited).exits(0).json();
        assert_eq!(answers[0]["states"], "454475");
    }

    #[test]
    fn the_progress_line_shows_queues() {
        let folder = Folder::new();
        let model = large_net(&folder);
        let args = ["cluster", "-n", "2", "states", &model, "--timeout", "2s"];
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
        cluster("2", &["info", "examples/mutex.pnml"])
            .exits(2)
            .reports("`cluster` runs only `check` and `states`");
        let engine = [
            "check",
            "examples/mutex.pnml",
            "-f",
            "F lock",
            "--engine",
            "sog",
        ];
        cluster("1", &engine)
            .exits(2)
            .reports("`sog` stores its states in one process");
        let folder = Folder::new();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let hosts = folder.file(
            "hosts",
            format!("{}\n127.0.0.1:1\n", taken.local_addr().unwrap()),
        );
        let check = [
            "check",
            "examples/mutex.pnml",
            "-f",
            "F lock",
            "--hosts",
            &hosts,
        ];
        lariat(&[&check[..], &["--process", "0"]].concat())
            .exits(2)
            .reports("this port is taken");
        lariat(&[&check[..], &["--process", "2"]].concat())
            .exits(2)
            .reports("no process 2");
        let hosts = folder.file("bad", "nothing\n");
        let check = [
            "states",
            "examples/mutex.pnml",
            "--hosts",
            &hosts,
            "--process",
            "0",
        ];
        lariat(&check)
            .exits(2)
            .reports("line 1: `nothing` is not of the form host:port");
    }
}
