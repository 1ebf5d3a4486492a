"""The geometry of one feature contact: carry a probe into the other body's frame, and fill the contact record (model §3)."""

import math

import numpy as np

from clast.backend.device import device


@device
def unsigned(index):
    """An index the compiler knows not to be negative, so that it leaves out the test for counting from the end."""
    return np.int64(np.uint32(index))


@device
def present_cell(cell, model, body):
    """Lengths of the moving periodic cell and their rates, from the row it has among the bodies; zeros where none moves."""
    if cell:
        row = 8 * model.cell[0]
        return (body[row], body[row + 1]), (body[row + 4], body[row + 5])
    return (0.0, 0.0), (0.0, 0.0)


@device
def image_shift(image_x, image_y, size, growth):
    """How far the image of a body lies from it, and how fast it moves away as the cell grows: x, y, velocity x, y."""
    return image_x * size[0], image_y * size[1], image_x * growth[0], image_y * growth[1]


@device
def carry(x, y, cosine, sine, shift_x, shift_y):
    """Turn (x, y) and shift it: from one body's frame into another's."""
    return cosine * x - sine * y + shift_x, sine * x + cosine * y + shift_y


@device
def probe_arms(vx, vy, a_cos, a_sin, branch_x, branch_y):
    """World vectors from both centres to a probe of a, given in a's frame."""
    arm_x = a_cos * vx - a_sin * vy
    arm_y = a_sin * vx + a_cos * vy
    return arm_x, arm_y, arm_x - branch_x, arm_y - branch_y


@device
def contact_record(
    qx, qy, square, reach, a_r, b_cos, b_sin, a_arm_x, a_arm_y, b_arm_x, b_arm_y, a_vx, a_vy, a_spin, b_vx, b_vy, b_spin
):  # fmt: skip
    """What a law may know of a contact (model §3), from the arms to a's probe X and the way q from X to b's feature.

    Returns depth, normal N from a to b, the distance from X to the contact point R = X + offset N, one over the distance of
    the skeletons, and v·N and v·T with v = v_a − v_b at X. All that needs no square root is worked out at X, so that the
    processor need not wait for it: v(R) = v(X) + (ω_a − ω_b) offset T, and a force −P N + S T has the moment
    arm(X) × F + offset S.
    """
    speed_x = a_vx - a_spin * a_arm_y - (b_vx - b_spin * b_arm_y)
    speed_y = a_vy + a_spin * a_arm_x - (b_vy + b_spin * b_arm_x)
    way_x = b_cos * qx - b_sin * qy
    way_y = b_sin * qx + b_cos * qy
    distance = math.sqrt(square)
    inverse = distance * (1.0 / square)  # root and quotient side by side instead of one after the other
    normal_x = way_x * inverse
    normal_y = way_y * inverse
    depth = reach - distance
    offset = a_r - 0.5 * depth
    closing = speed_x * normal_x + speed_y * normal_y
    across = speed_y * normal_x - speed_x * normal_y
    return depth, normal_x, normal_y, offset, inverse, closing, across
