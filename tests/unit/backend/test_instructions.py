"""What a compiled routine is made of: packed instructions, single ones, calls; on this processor and on others."""

import math
import platform
from types import SimpleNamespace

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

from clast.backend.device import device, from_python, routine, stay_whole
from clast.backend.instructions import Instructions, assembly_of, instructions_in, instructions_of

SEVERAL = numba.config.USING_SVML  # functions of several numbers at once, where Intel's library of them is installed
NUMBERS = 64  # a known number of whole groups: none are left for a loop of single ones
TRIPLES = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-darwin"]


def kernel_of(formula):
    """A kernel that applies a formula to many numbers, by a routine that is made here."""
    one = device(formula)

    @routine
    def loop(numbers):
        stay_whole()
        for k in range(NUMBERS):
            numbers[k] = one(numbers[k])

    run = from_python(loop)
    run(np.ones(NUMBERS))
    return run


def root(x):
    return x * math.sqrt(x) / (x + 1.0)


def halved(x):
    while x > 1e-3:
        x *= 0.5
    return math.sqrt(x)


def power(x):
    return 3.0 * x**1.3


@pytest.fixture(scope="module")
def kernels():
    return {formula.__name__: kernel_of(formula) for formula in (root, halved, power)}


def read_rightly(found: dict[str, Instructions]) -> None:
    """Whether these are the instructions of the formulas."""
    assert found["root"].packed >= 3
    assert found["root"].packed > found["root"].single
    assert found["halved"].packed == 0
    assert found["halved"].single >= 2
    assert found["root"].calls == found["halved"].calls == ()
    assert SEVERAL or found["power"].calls == ("pow",)


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64", "aarch64", "arm64"), reason="another processor")
def test_the_instructions_of_this_processor(kernels):
    found = {name: instructions_of(kernel, kernel_of) for name, kernel in kernels.items()}
    assert [len(each) for each in found.values()] == [1, 1, 1]
    read_rightly({name: each[0] for name, each in found.items()})


@pytest.mark.parametrize("triple", TRIPLES)
def test_the_instructions_of_other_processors(kernels, triple):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(triple).create_target_machine(opt=3, jit=True)
    except RuntimeError:
        pytest.skip(f"this llvmlite does not compile for {triple}")
    read_rightly({name: compiled_for(machine, triple, kernel) for name, kernel in kernels.items()})


def compiled_for(machine, triple: str, kernel) -> Instructions:
    """The same routine as another processor would run it."""
    (compiled,) = kernel.overloads.values()
    module = compiled.library._get_module_for_linking().clone()
    module.triple, module.data_layout = triple, str(machine.target_data)
    elsewhere = SimpleNamespace(_get_module_for_linking=lambda: module, codegen=SimpleNamespace(_tm=machine))
    (text,) = assembly_of(elsewhere, kernel_of)
    return instructions_in(text)


def test_what_was_made_elsewhere_or_never_called_or_not_compiled_is_not_looked_at(kernels):
    assert instructions_of(kernels["root"], compiled_for) == []
    assert instructions_of(from_python(device(root)), kernel_of) == []
    assert instructions_of(root, kernel_of) == []


def test_memory_that_is_copied_is_no_call_and_registers_have_names_of_instructions():
    assert instructions_in("\tmovabsq\t$memset, %rax\n\ttestb\t%al, %bl\n\tje\t.L1\n\tmovabsq\t$__svml_pow8, %rax\n").calls == ()
