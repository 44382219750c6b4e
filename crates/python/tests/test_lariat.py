"""Tests of the package; `pytest` in the folder `crates/python`."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

import lariat
import pytest

ROOT = Path(__file__).resolve().parents[3]
LIGHT = """
process Light { state red, green; init red;
  trans red -> green {}, green -> red {}; }
system async;
"""


@pytest.fixture
def light():
    return lariat.Model.parse(LIGHT, format="dve", name="light.dve")


def test_models_are_read(light, tmp_path):
    assert light.name == "light.dve"
    assert light.events == ["Light:red->green", "Light:green->red"]
    path = tmp_path / "light.dve"
    path.write_text(LIGHT)
    assert lariat.Model.load(path).variables == light.variables
    with pytest.raises(lariat.LariatError, match="expected"):
        lariat.Model.parse("process")
    with pytest.raises(lariat.LariatError, match="format dve, not pnml"):
        lariat.Model.parse(LIGHT, format="pnml")
    with pytest.raises(lariat.LariatError, match="cannot read"):
        lariat.Model.load(tmp_path / "no file")


def test_reports_have_verdicts_and_traces(light):
    report = light.check("G F Light.green")
    assert (report.verdict, report.holds, report.trace) == ("holds", True, None)
    report = light.check("F G Light.red", engine="explicit")
    assert (report.verdict, report.engine) == ("violated", "explicit")
    assert report.trace.loop_start == 0
    assert [step.event for step in report.trace] == light.events
    assert [step.state["Light"] for step in report.trace.steps] == ["red", "green"]
    assert "VIOLATED" in str(report) and "violated" in repr(report)
    assert report._repr_html_().startswith("<iframe") and "Light" in report.page()
    with pytest.raises(lariat.LariatError, match="blue"):
        light.check("F Light.blue")
    with pytest.raises(lariat.LariatError, match="no engine"):
        light.check("true", engine="warp")


def test_options_are_passed(light):
    assert light.check("F G Light.red", fairness="weak").holds is False
    assert light.check("F G Light.red", fairness={"strong": light.events}).holds is False
    with pytest.raises(lariat.LariatError, match="`fair`"):
        light.check("true", fairness="fair")
    assert light.check("G F Light.red", timeout=20, threads=2, memory=10**9).holds is True
    ended = lariat.Model.parse("process P { state a, b; init a; trans a -> b {}; } system async;")
    assert ended.check("F P.b").holds is True
    assert ended.check("false", deadlock="ignore").holds is True
    assert light.check("G F Light.red", timeout=0.0).verdict == "unknown"


def test_questions_and_states(light):
    assert light.ask("deadlock").answer == "no"
    assert light.ask("reachable", "Light.green").trace is not None
    assert light.states() == 2
    mutex = lariat.Model.load(ROOT / "examples" / "mutex.pnml")
    assert mutex.ask("bound", "critical_1").value == 1


def test_simulations_step(light):
    run = light.simulate()
    assert run.state["Light"] == "red" and run.enabled == ["Light:red->green"]
    assert run.step("Light:red->green")["Light"] == "green"
    with pytest.raises(lariat.LariatError, match="not enabled"):
        run.step("Light:red->green")
    assert run.taken == ["Light:red->green"] and run.undo() and not run.undo()


def test_automata_are_exchanged():
    automaton = lariat.translate("G (p -> F q)")
    again = lariat.Automaton.from_hoa(automaton.to_hoa())
    assert again.states == automaton.states and automaton.atoms == ["p", "q"]
    assert {edge["to"] for edge in automaton.edges} == set(automaton.states)
    assert automaton.to_dot().startswith("digraph") and "<svg" in automaton._repr_svg_()
    assert "acc-name: Buchi" in lariat.translate("F G p", "ba").to_hoa()
    with pytest.raises(lariat.LariatError):
        lariat.translate("G (")


def test_automata_are_exchanged_with_spot():
    spot = pytest.importorskip("spot")
    automaton = lariat.translate("G (p -> F q)")
    assert spot.are_equivalent(automaton.to_spot(), spot.translate("G (p -> F q)"))
    assert lariat.Automaton.from_spot(spot.translate("F G p")).states


def test_traces_and_results_as_data_frames(light, tmp_path):
    path = tmp_path / "results.jsonl"
    lariat.write_results([{"engine": "slap", "seconds": 1.5}], path)
    path.write_text(path.read_text() + '{"cut')
    rows = lariat.read_results(tmp_path)
    assert len(rows) == 1
    pytest.importorskip("pandas")
    frame = light.check("F G Light.red").trace.to_pandas()
    assert list(frame["Light"]) == ["red", "green"]
    assert lariat.read_results(path)["seconds"].sum() == 1.5


class State(NamedTuple):
    turn: int
    inside: frozenset


class Mutex(lariat.Program):
    """Processes that enter a critical section by turns, or whenever they like."""

    atoms = {
        "two": lambda s: len(s.inside) > 1,
        "first": lambda s: 0 in s.inside,
    }
    action_atoms = {"enters": lambda s, a: a[0] == "enter"}
    weak_fairness = {f"process {i}": lambda s, a, i=i: a[1] == i for i in range(2)}

    def __init__(self, polite):
        self.polite = polite

    def initial(self):
        return [State(0, frozenset())]

    def actions(self, state):
        return [(what, who) for what in ("enter", "leave") for who in range(2)]

    def next(self, state, action):
        what, who = action
        if what == "enter":
            if who in state.inside or (self.polite and who != state.turn):
                return None
            return state._replace(inside=state.inside | {who})
        if who not in state.inside:
            return None
        return State(1 - who, state.inside - {who})


def test_python_classes_are_models():
    assert Mutex(True).check("G !two").holds is True
    assert Mutex(True).check("G F first").holds is True
    assert Mutex(True).check("G (enters -> X !enters)").holds is True
    assert Mutex(True).states() == 4
    report = Mutex(False).check("G !two", threads=2)
    assert report.holds is False
    states = [step.state for step in report.trace]
    assert states[0] == State(0, frozenset())
    assert any(len(state.inside) == 2 for state in states)
    for step, after in zip(report.trace, states[1:]):
        assert Mutex(False).next(step.state, step.event) == after
    assert "inside" in str(report) and "inside" in report.page()


class Endless(lariat.Program):
    """Counts without end."""

    atoms = {"far": lambda n: n > 10**9, "odd": lambda n: n % 2 == 1}

    def initial(self):
        return [0]

    def actions(self, n):
        return [1]

    def next(self, n, more):
        return n + more


def test_exceptions_boundaries_and_limits():
    class Broken(Endless):
        def next(self, n, more):
            return n + more if n < 100 else 1 // 0

    with pytest.raises(ZeroDivisionError):
        Broken().check("G !far")

    class Bounded(Endless):
        boundary = staticmethod(lambda n: n < 50)

    report = Bounded().check("G !far")
    assert report.verdict == "unknown" and "boundary" in report.reason
    assert Bounded().check("G !odd").holds is False
    assert "time" in Endless().check("G !far", timeout=0.3).reason


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_signal_stops_a_check_and_other_threads_run():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.01)

    ticking = threading.Thread(target=tick)
    ticking.start()
    alarm = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    alarm.start()
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            Endless().check("G !far")
    finally:
        stop.set()
        ticking.join()
    assert time.monotonic() - begun < 20
    assert len(ticks) > 5


def test_the_wheel_carries_the_program():
    program = os.environ.get("LARIAT_PROGRAM")
    if program is None:
        pytest.skip("LARIAT_PROGRAM does not name the program that the wheel installed")
    assert shutil.which(program)

    def run(*arguments):
        arguments = [program, *map(str, arguments)]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60)

    assert lariat.__version__ in run("--version").stdout
    done = run("check", ROOT / "examples" / "mutex.pnml", "-f", "G !(critical_1 & critical_2)")
    assert done.returncode == 0 and "HOLDS" in done.stdout


def test_the_tutorial_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert blocks
    names = {"__name__": "tutorial"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
