"""LTL model checking: models, counterexamples and automata.

Models are files (Petri nets in PNML, DVE programs, ETF tables) or Python classes:

>>> import lariat
>>> model = lariat.Model.parse("process P { state a, b; init a; trans a -> b {}; } system async;")
>>> model.check("F P.b").verdict
'holds'
"""

from ._lariat import LariatError, __version__
from .automata import Automaton, translate
from .campaigns import read_results, write_results
from .models import Answer, Model, Program, Simulation
from .reports import Report, Step, Trace

__all__ = [
    "Answer",
    "Automaton",
    "LariatError",
    "Model",
    "Program",
    "Report",
    "Simulation",
    "Step",
    "Trace",
    "__version__",
    "read_results",
    "translate",
    "write_results",
]
