//! Planning of jobs from a campaign and its files.

use lariat_campaign::file;
use lariat_campaign::plan::{Job, Programs};
use lariat_campaign::run::{Preview, Setup, preview};
use lariat_campaign::worker::WorkerCommand;
use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("lariat-campaign-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(folder: &Path, text: &str) -> Preview {
    let campaign = file::read(&folder.join("c.toml"), text).unwrap();
    let own = PathBuf::from("lariat");
    let setup = Setup {
        campaign,
        out: folder.join("out"),
        contest: Some(folder.to_owned()),
        programs: Programs {
            own: own.clone(),
            given: None,
        },
        runner: WorkerCommand {
            program: own,
            args: Vec::new(),
        },
        jobs: 1,
        shard: None,
        version: "0".to_owned(),
        commit: None,
    };
    preview(&setup).unwrap()
}

const NET: &str = include_str!("../../../examples/mutex.pnml");

const HEAD: &str = r#"
engines = ["explicit", "sog --emptiness couvreur"]
limits = { time = "1.5s", memory = "1G" }
"#;

fn known<'j>(jobs: &'j [Job], property: &str) -> Option<&'j str> {
    let job = jobs.iter().find(|job| job.property == property).unwrap();
    job.known.as_deref()
}

#[test]
fn contest_folders_provide_known_answers() {
    let folder = Folder::new("contest");
    folder.write("mcc/Mutex-PT-02/model.pnml", NET);
    folder.write(
        "mcc/index.tsv",
        "instance\ttype\tstates\nMutex-PT-02\tPT\t12\n",
    );
    folder.write(
        "mcc/Mutex-PT-02/verdicts.tsv",
        "formula\tverdict\nMutex-00\tT\nMutex-01\tF\nMutex-02\t?\n",
    );
    let ids = "<id>Mutex-00</id> <id> Mutex-01 </id><id>Mutex-02</id><id>Mutex-03</id>";
    folder.write("mcc/Mutex-PT-02/LTLCardinality.xml", ids);
    let text = format!(
        "{HEAD}states = [\"symbolic\"]\n[[models]]\ncontest = [\"Mutex-PT-*\", \"Raft-PT-03\"]\n\
         [[properties]]\nmcc = [\"{{folder}}/LTLCardinality.xml\", \"{{folder}}/none.xml\"]\nfirst = 3\n"
    );
    let plan = plan(&folder.0, &text);
    assert_eq!(plan.missing.len(), 2, "{:?}", plan.missing);
    let jobs = plan.jobs;
    assert_eq!(jobs.len(), 3 * 2 + 1);
    assert_eq!(known(&jobs, "Mutex-00"), Some("holds"));
    assert_eq!(known(&jobs, "Mutex-01"), Some("violated"));
    assert_eq!(known(&jobs, "Mutex-02"), None);
    assert_eq!(known(&jobs, ""), Some("12"));
    assert_eq!(jobs[0].model, "Mutex-PT-02");
    assert_eq!(jobs[0].family, "Mutex");
    let path = folder.0.join("mcc/Mutex-PT-02");
    let path = path.display();
    let check =
        format!("check {path}/model.pnml --mcc {path}/LTLCardinality.xml --select Mutex-00");
    let engine = "--as-found --no-vacuity --threads 1 --engine sog --emptiness couvreur";
    let limits = "--timeout 1.5s --memory 1073741824 --json";
    let args = format!("{check} {engine} {limits}");
    let args: Vec<&str> = args.split(' ').collect();
    assert_eq!(jobs[1].task.args, args);
}

#[test]
fn comments_of_formula_files_give_known_answers() {
    let folder = Folder::new("files");
    folder.write("nets/mutex.pnml", NET);
    folder.write(
        "mutex.ltl",
        "# Some formulas.\nexclusion: G !(critical_1 & critical_2) # known = holds\n\n\
         F critical_1 # known = violated\nG F critical_1 # who knows\n",
    );
    let text = format!(
        "{HEAD}[[models]]\nfiles = [\"nets/*.pnml\"]\n[[properties]]\nfiles = [\"{{stem}}.ltl\"]\n"
    );
    let jobs = plan(&folder.0, &text).jobs;
    assert_eq!(jobs.len(), 6);
    assert_eq!(known(&jobs, "exclusion"), Some("holds"));
    assert_eq!(known(&jobs, "2"), Some("violated"));
    assert_eq!(known(&jobs, "3"), None);
}

#[test]
fn job_ids_do_not_depend_on_file_locations() {
    let text = format!(
        "{HEAD}repetitions = 2\n[[models]]\nfiles = [\"*.pnml\"]\n[[models]]\ngenerate = \"fms\"\nsizes = [1, 2]\n\
         [[properties]]\ngroup = \"r\"\nrandom = {{ seed = 5, number = 4, atoms = [\"marked\", \"fires\"] }}\n"
    );
    let ids = |name: &str| -> Vec<String> {
        let folder = Folder::new(name);
        folder.write("mutex.pnml", NET);
        let jobs = plan(&folder.0, &text).jobs;
        jobs.into_iter().map(|job| job.id).collect()
    };
    let here = ids("here");
    assert_eq!(here.len(), 2 * 3 * 4 * 2);
    assert_eq!(here, ids("there"));
    let mut unique = here.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), here.len());
}
