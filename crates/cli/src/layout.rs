//! The layout of runs on stdout.

use lariat::internals::RunLayout;

/// The narrowest width that is respected: below it, tables cannot be read.
const NARROWEST: usize = 40;

/// The layout of runs: as wide as `COLUMNS` says or the terminal is. Without either, as in a pipe,
/// lines are not wrapped.
pub(crate) fn layout(full: bool) -> RunLayout {
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|text| text.trim().parse::<usize>().ok());
    let columns = columns.filter(|width| *width > 0);
    let terminal = || {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0))
    };
    RunLayout {
        full,
        width: columns.or_else(terminal).map(|width| width.max(NARROWEST)),
        option: Some("--full"),
    }
}
