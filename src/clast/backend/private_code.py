"""Why a process runs the same machine code whether it has just compiled a kernel or loads it from disk.

Numba compiles every function into a library of its own and links copies of the inner ones into the kernel that calls them, where
they are optimised once more. The copies are weak symbols: a process that has compiled the inner functions itself runs their
first version, one that loads the kernel from disk runs the copies, and where a product and a sum become one instruction may
differ between the two. Here the copies become private to the kernel, so it always runs its own.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NoPythonSupportedFeatureValidation

WEAK = "linkonce_odr"


class PrivateLibrary(JITCodeLibrary):
    """Machine code of a kernel whose inner functions no other library can replace."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == WEAK:
                function.linkage = "internal"
        super()._optimize_final_module()


@register_pass(mutates_CFG=False, analysis_only=False)
class TakePrivateLibrary(FunctionPass):
    """Lets the lowering that follows write into a `PrivateLibrary`."""

    _name = "take_private_library"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = PrivateLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class PrivateCompiler(Compiler):
    """Numba's own pipeline with a `PrivateLibrary`."""

    def define_pipelines(self) -> list[Any]:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(TakePrivateLibrary, NoPythonSupportedFeatureValidation)
            pipeline.finalize()
        return pipelines
