//! Several processes, where the program was built with them; and what it says where it was not.

use crate::kit::lariat;

#[cfg(not(feature = "distributed"))]
#[test]
fn without_the_feature_it_is_said_how_to_get_it() {
    let how = "cargo install --path crates/cli --features distributed";
    let check = ["check", "examples/mutex.pnml", "-f", "F lock"];
    let hosts = [&check[..], &["--hosts", "hosts", "--process", "0"]].concat();
    lariat(&hosts).exits(2).complains(how);
    let cluster = [&["cluster", "-n", "2"][..], &check].concat();
    lariat(&cluster).exits(2).complains(how);
}

#[test]
fn a_process_needs_its_number() {
    let check = [
        "check",
        "examples/mutex.pnml",
        "-f",
        "F lock",
        "--hosts",
        "x",
    ];
    lariat(&check).exits(2).complains("--process");
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
    fn answers_are_those_of_one_process() {
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
    fn workers_are_told_of_in_json() {
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
        let told = ran.exits(1).json();
        follows("check", &told[0]);
        assert_eq!(told[0]["engine"], "distributed");
        assert_eq!(told[0]["workers"].as_array().map(Vec::len), Some(2));
        let ran = cluster(
            "2",
            &["states", "examples/mutex.pnml", "--threads", "2", "--json"],
        );
        let told = ran.exits(0).json();
        follows("states", &told[0]);
        assert_eq!(told[0]["workers"].as_array().map(Vec::len), Some(4));
        let alone = lariat(&["states", "examples/mutex.pnml", "--json"]).json();
        for figure in ["states", "edges", "deadlocks", "max_tokens"] {
            assert_eq!(told[0][figure], alone[0][figure], "{figure}");
        }
    }

    /// What does not fit into one process fits into several.
    #[test]
    fn memory_is_for_each_process() {
        let folder = Folder::new();
        let net = folder.file("kanban.pnml", lariat(&["generate", "kanban", "4"]).out);
        let limited = ["states", &net, "--memory", "4M", "--json"];
        let alone = lariat(&[&limited[..], &["--engine", "explicit"]].concat());
        assert_eq!(alone.exits(3).json()[0]["reason"], "memory");
        let told = cluster("4", &limited).exits(0).json();
        assert_eq!(told[0]["states"], "454475");
    }

    #[test]
    fn a_line_says_how_far_every_worker_is() {
        let folder = Folder::new();
        let model = large_net(&folder);
        let args = ["cluster", "-n", "2", "states", &model, "--timeout", "2s"];
        let Some(seen) = on_a_terminal("", &args) else {
            return;
        };
        // The line ends where the terminal does: the rest of it is a test of its own in crate `distributed`.
        for what in ["exploring: ", " states/s, ", " waiting at 0"] {
            assert!(seen.contains(what), "no `{what}` in {seen:?}");
        }
    }

    #[test]
    fn what_cannot_work_is_refused() {
        cluster("2", &["info", "examples/mutex.pnml"])
            .exits(2)
            .complains("`cluster` runs only `check` and `states`");
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
            .complains("`sog` stores its states in one process");
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
            .complains("this port is taken");
        lariat(&[&check[..], &["--process", "2"]].concat())
            .exits(2)
            .complains("no process 2");
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
            .complains("line 1: `nothing` is not of the form host:port");
    }
}
