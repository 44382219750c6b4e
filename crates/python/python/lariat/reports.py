"""Reports on properties, and their runs."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional


@dataclass(frozen=True)
class Step:
    """A position of a run: a state, and the event taken from it."""

    position: int
    #: The values of variables; of a net, the places that are marked. For Python classes, the state.
    state: Any
    #: The event or action; ``None`` in a deadlock, which repeats, and at the end of a prefix.
    event: Any
    #: Whether the position belongs to the loop.
    in_loop: bool


class Trace:
    """A run that was replayed on the model: a prefix, then a loop unless the prefix decides."""

    def __init__(self, run: Dict[str, Any], objects: Optional[list] = None) -> None:
        self._run = run
        prefix = len(run["prefix"])
        #: The position at which the loop begins; ``None`` if every continuation violates the
        #: property.
        self.loop_start: Optional[int] = prefix if run["loop"] else None
        #: The position after which every continuation violates the property, if there is one.
        self.violated_at: Optional[int] = run.get("bad")
        self._steps = list(_steps(run, objects))

    @property
    def steps(self) -> List[Step]:
        """The positions in order; the last state of a prefix is a position without event."""
        return list(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def __getitem__(self, index: int) -> Step:
        return self._steps[index]

    def to_dict(self) -> Dict[str, Any]:
        """The run as in the JSON of the command line."""
        return self._run

    def to_pandas(self):
        """The run as a data frame: one row per position. Needs the package ``pandas``."""
        import pandas

        def row(step: Step) -> Dict[str, Any]:
            values = step.state if isinstance(step.state, dict) else {"state": step.state}
            return {**values, "event": step.event, "in_loop": step.in_loop}

        frame = pandas.DataFrame([row(step) for step in self._steps])
        frame.index.name = "position"
        return frame

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} positions, loop from {self.loop_start}>"


def _steps(run: Dict[str, Any], objects: Optional[list]) -> Iterator[Step]:
    all_steps = run["prefix"] + run["loop"]
    states = [run["initial"]]
    for step in all_steps:
        changed = step.get("marking")
        if changed is None:
            changed = {**states[-1], **step["changes"]}
        states.append(changed)
    events = [step["fire"] for step in all_steps]
    if objects is not None:
        states = [state for state, _ in objects]
        events = [action for _, action in objects[:-1]]
    start = len(run["prefix"]) if run["loop"] else None
    for position, event in enumerate(events):
        in_loop = start is not None and position >= start
        yield Step(position, states[position], event, in_loop)
    if start is None:
        yield Step(len(events), states[-1], None, False)


class Report:
    """The report on one property."""

    def __init__(self, data: str, text: str, page: str, objects: Optional[list] = None) -> None:
        self._json: Dict[str, Any] = json.loads(data)
        self._text = text
        self._page = page
        run = self._json.get("counterexample") or self._json.get("witness")
        #: The counterexample; of ``EF p`` that holds, the witness; else ``None``.
        self.trace: Optional[Trace] = Trace(run, objects or None) if run else None

    @property
    def verdict(self) -> str:
        """``holds``, ``violated`` or ``unknown``."""
        return self._json["verdict"]

    @property
    def holds(self) -> Optional[bool]:
        """Whether the property holds; ``None`` if that is unknown."""
        return {"holds": True, "violated": False}.get(self.verdict)

    @property
    def reason(self) -> Optional[str]:
        """Why the verdict is unknown."""
        return self._json.get("reason")

    @property
    def formula(self) -> str:
        """The formula with all parentheses."""
        return self._json["formula"]

    @property
    def engine(self) -> str:
        """The engine that decided."""
        return self._json["engine"]

    @property
    def seconds(self) -> float:
        """The time of the check."""
        return self._json["seconds"]

    @property
    def statistics(self) -> Dict[str, Any]:
        """The statistics of the engine."""
        return self._json["stats"]

    def to_dict(self) -> Dict[str, Any]:
        """The report as in the JSON of the command line."""
        return self._json

    def page(self) -> str:
        """A self-contained page in HTML with the time line of the run."""
        return self._page

    def _repr_html_(self) -> str:
        source = html.escape(self._page, quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width:100%;height:560px;border:0" '
            'sandbox="allow-scripts"></iframe>'
        )

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Report {self.verdict}: {self.formula}>"
