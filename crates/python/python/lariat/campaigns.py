"""Results of campaigns (``lariat bench``) as data frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterable, List, Union


def _lines(path: Path) -> Iterable[dict]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def read_results(path: Union[str, Path]) -> Any:
    """The results in a file, or in all files ``*.jsonl`` of a folder: one row per job.

    Returns a data frame if the package ``pandas`` is installed, else a list of dictionaries.
    An incomplete last line, which a killed campaign leaves, is skipped.
    """
    path = Path(path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    rows: List[dict] = [row for file in files for row in _lines(file)]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.json_normalize(rows, max_level=0)


def write_results(rows: Any, path: Union[str, Path]) -> None:
    """Writes rows, or a data frame, as one JSON line per job."""
    if hasattr(rows, "to_dict"):
        rows = rows.to_dict(orient="records")
    with Path(path).open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
