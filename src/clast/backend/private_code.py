"""How machine code comes to be: inner functions stay unoptimised until a kernel takes them in, and a kernel runs its own copies.

Numba compiles every function into a library of its own, optimises it, and links a copy into each function that calls it, where it
is optimised once more. Two things are wrong with that here.

*Time.* A step is a hundred small functions, eight deep; each level would optimise all that is below it again. So the library of
an inner function is linked and left as it is (`InnerLibrary`): only kernels are optimised, once, as one whole.

*Bits.* The copies are weak symbols: a process that has compiled the inner functions itself would run their first version, one
that loads the kernel from disk runs the copies, and where a product and a sum become one instruction may differ between the
two. So the copies in a kernel become its own (`KernelLibrary`), and fresh or loaded it runs the same instructions.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NoPythonSupportedFeatureValidation

from clast.backend.lean import LeanCompiler

WEAK = "linkonce_odr"


class _WithoutEngine:
    """The code generator of an inner library: nothing of it is ever executed, so nothing needs an address."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Skip what an executed library needs."""


class InnerLibrary(JITCodeLibrary):
    """Code that only other code takes in: one function, neither optimised nor linked with what it calls."""

    @property
    def codegen(self) -> Any:
        return _WithoutEngine(self._codegen)

    def add_llvm_module(self, ll_module: Any) -> None:
        """The function is all there is; to optimise it is left to the kernel."""
        ll_module.data_layout = self._codegen._data_layout
        self._final_module = ll_module

    def finalize(self) -> None:
        require_global_compiler_lock()
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        """The function alone."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The function with all that it calls, for a library that is no kernel: that of a law, which Python may call."""
        whole = self.own_module().clone()
        link_all(whole, called_by(self))
        return whole

    def get_pointer_to_function(self, name: str) -> int:
        return 0


def called_by(library: Any) -> list[Any]:
    """All that a library calls, directly or not, callers first; what a finished library calls is part of it."""
    found: dict[Any, None] = {}
    waiting = list(reversed(library._linking_libraries))
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each] = None
            if isinstance(each, InnerLibrary):
                waiting.extend(reversed(each._linking_libraries))
    return list(found)


def link_all(module: Any, libraries: list[Any]) -> None:
    """Take the code of these into a module, each once."""
    for each in libraries:
        taken = each.own_module() if isinstance(each, InnerLibrary) else each._get_module_for_linking()
        module.link_in(taken, preserve=True)


class KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel whose inner functions no other library can replace."""

    def finalize(self) -> None:
        libraries = called_by(self)
        for each in libraries:
            self._reload_init.update(each._reload_init)
        link_all(self._final_module, libraries)
        self._linking_libraries = []
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        """Left to the end, when all is together."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == WEAK:
                function.linkage = "internal"
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)  # numba runs another before, to find reference counts: here are none


@contextmanager
def without_collection() -> Iterator[None]:
    """Python looks for unreachable objects whenever many are made. While compiling nearly all are in use: it costs a tenth."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def take(library: type[JITCodeLibrary]) -> type[FunctionPass]:
    """A pass that has the function written into a library of this kind."""

    @register_pass(mutates_CFG=False, analysis_only=False)
    class TakeLibrary(FunctionPass):
        _name = f"take_{library.__name__}"

        def __init__(self) -> None:
            FunctionPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return False

    return TakeLibrary


class InnerCompiler(LeanCompiler):
    """For functions that only compiled code calls."""

    take_library = take(InnerLibrary)


class KernelCompiler(Compiler):
    """Numba's own compiler, for functions that Python calls."""

    take_library = take(KernelLibrary)

    def compile_extra(self, func: Any) -> Any:
        with without_collection():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(self.take_library, NoPythonSupportedFeatureValidation)
            pipeline.finalize()
        return pipelines
