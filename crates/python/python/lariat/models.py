"""Models: files, and Python classes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _lariat
from .automata import Automaton, translate
from .reports import Report, Trace

Names = Union[str, Sequence[str]]
Fairness = Union[str, Mapping[str, Names], None]


def _list(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _fairness(fairness: Fairness) -> Tuple[List[str], List[str]]:
    """The names of weakly and of strongly fair events."""
    if fairness is None:
        return [], []
    strengths = {fairness: "all"} if isinstance(fairness, str) else dict(fairness)
    weak, strong = _list(strengths.pop("weak", ())), _list(strengths.pop("strong", ()))
    if strengths:
        known = "`weak`, `strong`, or a mapping from these to events"
        raise _lariat.LariatError(f"fairness is {known}, not `{next(iter(strengths))}`")
    return weak, strong


def _options(
    engine: str = "auto",
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    threads: int = 1,
    deadlock: str = "stutter",
    fairness: Fairness = None,
) -> Any:
    weak, strong = _fairness(fairness)
    return _lariat.Options(engine, timeout, memory, threads, deadlock, weak, strong)


@dataclass(frozen=True)
class Answer:
    """The answer to a question about the reachable states."""

    #: ``yes``, ``no``, ``number``, ``unbounded`` or ``unknown``.
    answer: str
    #: The number, or the reason why the answer is unknown.
    value: Any
    #: The run that shows it, if there is one.
    trace: Optional[Trace]


class Model:
    """A model that was read from a file: a Petri net, a program or a table."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @staticmethod
    def load(path: Any) -> "Model":
        """Reads the model in a file; the format is recognised by the content."""
        return Model(_lariat.Loaded.load(str(path)))

    @staticmethod
    def parse(text: Union[str, bytes], format: str = "", name: str = "model") -> "Model":
        """Reads a model from memory; the name is used in messages and reports.

        The format is recognised by the content; if ``pnml`` (also for nets of TINA), ``dve``,
        ``etf`` or ``promela`` is given, a model in another format is an error.
        """
        data = text.encode() if isinstance(text, str) else text
        model = Model(_lariat.Loaded.parse(name, data))
        if format not in ("", model.format):
            raise _lariat.LariatError(f"{name}: a model in the format {model.format}, not {format}")
        return model

    @property
    def name(self) -> str:
        """The name of the file."""
        return self._inner.name()

    @property
    def format(self) -> str:
        """The format of the model: ``pnml``, ``dve``, ``etf`` or ``promela``."""
        return self._inner.format()

    @property
    def variables(self) -> List[str]:
        """The names of the variables: places of a net."""
        return self._inner.variables()

    @property
    def events(self) -> List[str]:
        """The names of the events: transitions of a net."""
        return self._inner.events()

    @property
    def warnings(self) -> List[str]:
        """Remarks of the reader."""
        return self._inner.warnings()

    def check(self, formula: str, **options: Any) -> Report:
        """Checks a formula of linear temporal logic.

        Options: ``engine``, ``timeout`` in seconds, ``memory`` in bytes, ``threads``,
        ``deadlock`` (``stutter`` or ``ignore``), and ``fairness``: ``weak`` or ``strong`` for all
        events, or a mapping from these words to names of events, such as
        ``{"weak": ["send", "receive"]}``.
        """
        return Report(*self._inner.check(formula, _options(**options)))

    def ask(self, kind: str, what: str = "", **options: Any) -> Answer:
        """Answers a question: ``deadlock``; ``reachable`` with an atom; ``bound`` with a variable;
        ``live`` with an event."""
        data = json.loads(self._inner.ask(kind, what, _options(**options)))
        trace = Trace(data["trace"]) if data["trace"] else None
        value = int(data["value"]) if data["answer"] == "number" else data["value"]
        return Answer(data["answer"], value, trace)

    def states(self, **options: Any) -> Optional[int]:
        """The number of reachable states; ``None`` if a limit was reached."""
        count = self._inner.states(_options(**options))
        return None if count is None else int(count)

    def translate(self, formula: str, kind: str = "tgba") -> Automaton:
        """Translates a formula to an automaton; see :func:`lariat.translate`."""
        return translate(formula, kind)

    def simulate(self) -> "Simulation":
        """A run of the model, step by step."""
        return Simulation(self._inner.simulate())

    def __repr__(self) -> str:
        return f"<Model {self.name}>"


class Simulation:
    """A run of a model, step by step."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def state(self) -> Dict[str, Any]:
        """The values of all variables."""
        return self._inner.state()

    @property
    def enabled(self) -> List[str]:
        """The events that can be taken."""
        return self._inner.enabled()

    @property
    def taken(self) -> List[str]:
        """The events taken so far."""
        return self._inner.taken()

    def step(self, event: str, choice: int = 0) -> Dict[str, Any]:
        """Takes an event; ``choice`` selects one of several successors. Returns the new state."""
        self._inner.step(event, choice)
        return self.state

    def undo(self) -> bool:
        """Takes the last step back; false if there is none."""
        return self._inner.undo()


class Program:
    """A model as a Python class.

    Subclasses define ``initial``, ``actions`` and ``next``. States must be hashable and must not
    change; actions are any objects. Predicates are given by name:

    >>> class Counter(Program):
    ...     atoms = {"even": lambda n: n % 2 == 0}
    ...     def initial(self): return [0]
    ...     def actions(self, n): return [1, 2]
    ...     def next(self, n, more): return (n + more) % 4
    >>> Counter().check("G F even").verdict
    'violated'
    """

    #: Atoms of formulas: predicates on states.
    atoms: Dict[str, Callable[[Any], bool]] = {}
    #: Atoms of formulas: predicates on a state and the action taken from it.
    action_atoms: Dict[str, Callable[[Any, Any], bool]] = {}
    #: Classes of actions that are treated weakly fairly.
    weak_fairness: Dict[str, Callable[[Any, Any], bool]] = {}
    #: Classes of actions that are treated strongly fairly.
    strong_fairness: Dict[str, Callable[[Any, Any], bool]] = {}
    #: A predicate on states; other states are omitted, and the verdict is never ``holds`` then.
    boundary: Optional[Callable[[Any], bool]] = None

    def initial(self) -> Iterable[Any]:
        """The initial states."""
        raise NotImplementedError

    def actions(self, state: Any) -> Iterable[Any]:
        """The actions that may be possible in a state."""
        raise NotImplementedError

    def next(self, state: Any, action: Any) -> Any:
        """The state after an action; ``None`` if it is not possible."""
        raise NotImplementedError

    def parts(self, state: Any) -> List[Tuple[str, str]]:
        """The parts of a state that reports show, by name."""
        if isinstance(state, dict):
            return [(str(key), repr(value)) for key, value in state.items()]
        fields = getattr(state, "_fields", None) or getattr(state, "__dataclass_fields__", None)
        if fields:
            return [(name, repr(getattr(state, name))) for name in fields]
        return [("state", repr(state))]

    def _tests(self) -> Dict[str, Dict[str, Any]]:
        kind = type(self)
        tests = {
            "atoms": dict(kind.atoms),
            "actions": dict(kind.action_atoms),
            "weak": dict(kind.weak_fairness),
            "strong": dict(kind.strong_fairness),
        }
        if kind.boundary is not None:
            boundary = kind.__dict__.get("boundary", kind.boundary)
            if isinstance(boundary, staticmethod):
                boundary = boundary.__func__
            tests["boundary"] = {"boundary": boundary}
        return tests

    def check(self, formula: str, engine: str = "explicit", **options: Any) -> Report:
        """Checks a formula; options as for :meth:`Model.check`, except that fairness is an attribute
        of the class."""
        if "fairness" in options:
            raise _lariat.LariatError("define `weak_fairness` or `strong_fairness` in the class")
        options = _options(engine, **options)
        name = type(self).__name__
        return Report(*_lariat.check_program(self, name, self._tests(), formula, options))

    def states(self, **options: Any) -> Optional[int]:
        """The number of reachable states; ``None`` if a limit was reached."""
        name = type(self).__name__
        count = _lariat.count_program(self, name, self._tests(), _options(**options))
        return None if count is None else int(count)
