"""Automata of formulas, and their exchange with other tools."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

from . import _lariat


class Automaton:
    """A Büchi automaton with acceptance marks on edges."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._json: Optional[Dict[str, Any]] = None

    @staticmethod
    def from_hoa(text: str) -> "Automaton":
        """Reads an automaton in the HOA format."""
        return Automaton(_lariat.Automaton.from_hoa(text))

    @staticmethod
    def from_spot(automaton: Any) -> "Automaton":
        """Converts an automaton of the package ``spot``."""
        return Automaton.from_hoa(automaton.to_str("hoa"))

    def to_hoa(self) -> str:
        """The automaton in the HOA format."""
        return self._inner.to_hoa()

    def to_dot(self) -> str:
        """The automaton in the DOT language."""
        return self._inner.to_dot()

    def to_spot(self) -> Any:
        """The automaton as one of the package ``spot``, which must be installed."""
        import spot

        return spot.automaton(self.to_hoa())

    def to_dict(self) -> Dict[str, Any]:
        """The automaton as in the JSON of the command line."""
        if self._json is None:
            self._json = json.loads(self._inner.to_json())
        return self._json

    @property
    def states(self) -> List[int]:
        """The numbers of the states."""
        return list(range(len(self.to_dict()["states"])))

    @property
    def atoms(self) -> List[str]:
        """The atoms that guards refer to."""
        return self.to_dict()["atoms"]

    @property
    def edges(self) -> List[Dict[str, Any]]:
        """The edges: ``from`` and ``to``, the ``marks``, and the ``guard`` as a list of
        conjunctions, each a list of numbers of atoms, counted from 1 and negative if negated."""
        states = enumerate(self.to_dict()["states"])
        return [{"from": number, **edge} for number, edges in states for edge in edges]

    def _repr_svg_(self) -> str:
        return self._inner.to_svg()

    def __repr__(self) -> str:
        return f"<Automaton of {self._inner.title()}>"


def translate(formula: str, kind: str = "tgba", timeout: Optional[float] = None) -> Automaton:
    """Translates a formula, whose atoms may be any words, to an automaton.

    ``kind`` is ``tgba`` (several marks, on edges) or ``ba`` (one mark, on states).
    """
    return Automaton(_lariat.Automaton.translate(formula, kind, timeout))
