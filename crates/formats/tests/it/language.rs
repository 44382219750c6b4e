//! `docs/dve.md`: every model is read, and every wrong one is refused as the page says.

use lariat_formats::read;
use std::path::Path;

#[test]
fn the_models_of_the_reference_are_read_or_refused() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dve.md");
    let page = std::fs::read_to_string(page).expect("the reference");
    let (mut read_models, mut refused) = (0, 0);
    for part in page.split("\n```dve").skip(1) {
        let (kind, rest) = part.split_once('\n').expect("a fence");
        let (text, _) = rest.split_once("\n```").expect("the end of the fence");
        match (kind, read("dve.md", text.as_bytes())) {
            ("", Ok(model)) => {
                assert!(model.warnings.is_empty(), "{text}\n{:?}", model.warnings);
                assert!(!model.system.events.is_empty(), "{text}");
                read_models += 1;
            }
            ("-error", Err(error)) => {
                let line = error.place.as_ref().map_or(0, |place| place.line);
                let comment = format!("// {line}: {}", error.message);
                assert_eq!(text.lines().last(), Some(&*comment), "{text}");
                refused += 1;
            }
            (_, Ok(_)) => panic!("read: {text}"),
            (_, Err(error)) => panic!("{error}"),
        }
    }
    assert!(read_models >= 7 && refused >= 3, "{read_models} {refused}");
}
