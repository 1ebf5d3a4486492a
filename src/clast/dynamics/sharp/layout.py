"""From a scene of sharp bodies to the arrays of a run; what moves is that of space."""

import math

import numpy as np

from clast.contact.sharp.polyhedra import Polyhedra, polyhedra
from clast.dynamics.bodies.layout import Layout, complete, model_of
from clast.dynamics.space.layout import arrange_with_cell, first_state
from clast.laws.overlap import OverlapLaw
from clast.scene.space import Scene3D

BALL = 3.0 / (4.0 * math.pi)
TOGETHER = 4.0  # two contacts, each with a body that gives way as well


def lay_out(scene: Scene3D) -> Layout:
    """Arrays for a `scene` of sharp solids at t = 0.

    Model.stiffness is that of the stiffest contact any body can have, the tangent stiffness Y|A|/L_c of an overlap (model §4);
    Model.ease how much of it a body may swing with, over its mass. For the time step a grain lies between two others on its
    widest face, A over L_c = twice the distance of that face: ω² = 4 k/m. A smaller contact off the middle turns the grain
    more easily, but is softer in the same measure.
    """
    found = arrange_with_cell(scene)
    tables = polyhedra(found.shapes)
    radius = np.cbrt(BALL * found.rows.of_shapes(lambda solid: solid.volume))
    laws = [law for law in scene.laws() if isinstance(law, OverlapLaw)]  # all of them: a scene of sharp solids takes no others
    shear = max(law.tangential * law.stiffer[1] if law.friction > 0.0 else 0.0 for law in laws)
    rock = max(law.stiffer[0] for law in laws)  # the radius of gyration of a face is at most that of the body it bounds
    wide = np.maximum(rock * widths(tables)[found.shape_of], 0.5 * shear * radius)  # k_n over Y, and k_t = τ Y L/4 with L = 2R
    widest = float(wide[found.counted].max())
    stiffness = max(law.stiffness(0.0, widest) for law in laws)
    model = model_of(
        scene,
        found,
        ease=(wide / widest / found.mass, 0.0),
        inverse_radius=np.where(found.big, 0.0, 1.0 / radius),
        stiffness=np.array([stiffness, stiffness]),
    )
    return complete(scene, found, model, tables, first_state(scene, found))


def widths(tables: Polyhedra) -> np.ndarray:
    """Largest area of a face over twice its distance from the centre of mass (ns,): |A|/L_c of a contact all over it."""
    found = np.zeros(len(tables.first_feature) - 1)
    for shape in range(found.size):
        for piece in range(tables.first_feature[shape], tables.first_feature[shape + 1]):
            points = tables.vertex[tables.piece_vertex[piece] : tables.piece_vertex[piece + 1]]
            edges = tables.edge[tables.piece_edge[piece] : tables.piece_edge[piece + 1]].astype(np.int64)
            for face, plane in enumerate(tables.plane[tables.piece_plane[piece] : tables.piece_plane[piece + 1]]):
                ways = np.concatenate([edges[edges[:, 2] == face][:, [0, 1]], edges[edges[:, 3] == face][:, [1, 0]]])
                swept = 0.5 * np.cross(points[ways[:, 0]], points[ways[:, 1]]).sum(axis=0)
                away = max(float(plane[3]), 1e-3 * float(tables.piece_size[piece]))
                found[shape] = max(found[shape], float(swept @ plane[:3]) / (2.0 * away))
    return found
