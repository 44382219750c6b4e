//! Never claims checked by SPIN, where it is installed.

use crate::common::{parsed, translated};
use crate::corpus::corpus;
use lariat_automata::write_never;
use lariat_budget::Budget;
use lariat_ltl::{Formula, Formulas, Syntax, print};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const SHIPPED: &[&str] = &[
    "true",
    "false",
    "p",
    "!p",
    "X p",
    "G p",
    "F p",
    "G F p & G F q",
    "F G p | G F q",
    "p U (q R r)",
    "G(p -> X(q W r))",
    "(p M q) xor X X r",
    "F p & F q & F r",
];

/// Claims per file for SPIN; a file may have many if each has a name.
const AT_ONCE: usize = 50;

struct Claim {
    formula: String,
    text: String,
    atoms: BTreeSet<String>,
}

fn claim(formulas: &mut Formulas, f: Formula) -> Claim {
    let _unlimited = Budget::unlimited();
    let a = translated(formulas, f);
    let formula = print(formulas, f, Syntax::Spin);
    let mut text = String::new();
    let name = |atom| formulas.atom_name(atom).to_owned();
    write_never(&a, &formula, name, &mut text).unwrap();
    let atoms = formulas.atoms_of(f).into_iter().map(name).collect();
    Claim {
        formula,
        text,
        atoms,
    }
}

/// The complaint of SPIN about a model with these claims, if any.
fn complaint(folder: &Path, claims: &[Claim]) -> Option<String> {
    let atoms: BTreeSet<&str> = claims
        .iter()
        .flat_map(|claim| claim.atoms.iter().map(String::as_str))
        .collect();
    let mut model = String::new();
    for atom in atoms {
        model += &format!("bool {atom};\n");
    }
    model += "active proctype main() { skip }\n";
    for (i, claim) in claims.iter().enumerate() {
        let named = match claims.len() {
            1 => claim.text.clone(),
            _ => claim.text.replacen("never {", &format!("never c{i} {{"), 1),
        };
        model += &named;
    }
    std::fs::write(folder.join("model.pml"), model).unwrap();
    let ran = Command::new("spin")
        .args(["-a", "model.pml"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    (!ran.status.success() || said.contains("Error")).then(|| said.into_owned())
}

#[test]
fn spin_accepts_every_claim() {
    if Command::new("spin").arg("-V").output().is_err() {
        println!("skipped: no spin on the PATH");
        return;
    }
    let mut claims = Vec::new();
    for text in SHIPPED {
        let (mut formulas, f) = parsed(text);
        claims.push(claim(&mut formulas, f));
    }
    for mut entry in corpus() {
        let not_f = entry.formulas.not(entry.f);
        claims.push(claim(&mut entry.formulas, entry.f));
        claims.push(claim(&mut entry.formulas, not_f));
    }
    let folder = std::env::temp_dir().join(format!("lariat-never-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused: Vec<String> = claims
        .chunks(AT_ONCE)
        .filter(|chunk| complaint(&folder, chunk).is_some())
        .flat_map(|chunk| chunk.chunks(1))
        .filter_map(|one| Some(format!("{}\n{}", one[0].formula, complaint(&folder, one)?)))
        .collect();
    // The selected ones also in the original form, without a name.
    for one in claims[..SHIPPED.len()].chunks(1) {
        assert_eq!(complaint(&folder, one), None, "{}", one[0].formula);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{} claims", claims.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
