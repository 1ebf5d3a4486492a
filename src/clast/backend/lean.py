"""A leaner way through numba for inner functions: what compiled code calls, never Python.

A kernel is two hundred small functions that hand records of numbers to each other, and most of the time of compiling it went into
the calls between them and into looking for things that are not there. So for an inner function:

- *passes* that treat closures, `with`, lists, literals, array expressions or reference counts are left out (`LeanCompiler`);
- *a record is handed over by its address*, where numba takes it apart and builds it anew, number by number (`ByAddress`);
- *a call is not checked for failure*, unless its function can fail (`call_of`);
- *variables* get room and nothing else: numba fills them with zeros, and again when they are no longer used (`LeanLower`);
- *names* of machine code do not spell out the kinds of all arguments.

All of this is made of numba's internals, hence the narrow range of versions in pyproject.toml.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from llvmlite import ir
from llvmlite.ir.instructions import Ret
from numba.core import cgutils, itanium_mangler, types
from numba.core.callconv import RETCODE_OK, CPUCallConv
from numba.core.compiler import CompilerBase, _LowerResult
from numba.core.compiler_machinery import FunctionPass, LoweringPass, PassManager, register_pass
from numba.core.errors import NumbaWarning, WarningsFixer  # type: ignore[attr-defined]
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.lowering import Lower
from numba.core.typed_passes import AnnotateTypes, NoPythonBackend, PreLowerStripPhis
from numba.core.typeinfer import TypeInferer
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)
from numba.core.utils import OPERATORS_TO_BUILTINS


def room(builder: Any, kind: Any, name: str = "") -> Any:
    """Memory of this function for one value, as it happens to be."""
    with builder.goto_entry_block():
        return builder.alloca(kind, name=name)


class Held(types.Type):
    """The address of a record in memory; see `clast.backend.held`."""

    def __init__(self, record: Any) -> None:
        self.record = record
        super().__init__(name=f"Held{_NUMBERS.setdefault(record, len(_NUMBERS))}")


_NUMBERS: dict[Any, int] = {}  # of records: a short name, which numba compares and hashes all the time


def copied(context: Any, builder: Any, held: Held, address: Any) -> Any:
    """A held record once more, in the memory of this function."""
    kind = context.get_value_type(held.record)
    place = room(builder, kind)
    size = ir.Constant(cgutils.intp_t, context.get_abi_sizeof(kind))
    place = builder.bitcast(place, address.type)
    cgutils.raw_memcpy(builder, place, address, size, 1)
    return place


def leaves(kinds: Any) -> list[Any]:
    """The numbers and pointers of which an argument consists."""
    return [leaf for each in kinds for leaf in leaves(each)] if isinstance(kinds, (tuple, list)) else [kinds]


class ByAddress:
    """Arguments of a call: numbers as they are, records by the address of a copy. Stands for numba's ArgPacker."""

    def __init__(self, models: Any, kinds: Iterable[Any]) -> None:
        self._models = [models.lookup(kind) for kind in kinds]
        self._leaves = [leaves(model.get_argument_type()) for model in self._models]

    @property
    def argument_types(self) -> list[Any]:
        """Kinds of the arguments of the machine code."""
        several = zip(self._models, self._leaves, strict=True)
        return [kind for model, flat in several for kind in ([model.get_value_type().as_pointer()] if len(flat) > 1 else flat)]

    def as_arguments(self, builder: Any, values: Sequence[Any]) -> list[Any]:
        """What a caller hands over."""
        given = []
        for model, flat, value in zip(self._models, self._leaves, values, strict=True):
            if len(flat) > 1:
                given.append(room(builder, value.type))
                builder.store(value, given[-1])
            else:
                given.extend(leaves(model.as_argument(builder, value)))
        return given

    def from_arguments(self, builder: Any, arguments: Iterable[Any]) -> list[Any]:
        """What the function makes of it."""
        values, rest = [], iter(arguments)
        for model, flat in zip(self._models, self._leaves, strict=True):
            if len(flat) > 1:
                values.append(builder.load(next(rest)))
            else:
                values.append(model.from_argument(builder, rebuilt(model.get_argument_type(), rest)))
        return values

    def assign_names(self, arguments: Iterable[Any], names: Iterable[str]) -> None:
        """Arguments keep the names they have: numbers."""


def rebuilt(pattern: Any, values: Any) -> Any:
    """Values in the nested order of a pattern."""
    return [rebuilt(each, values) for each in pattern] if isinstance(pattern, (tuple, list)) else next(values)


class InnerConvention(CPUCallConv):
    """How inner functions are called."""

    def _get_arg_packer(self, argtypes: Iterable[Any]) -> ByAddress:
        return ByAddress(self.context.data_model_manager, argtypes)

    def apart(self, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """The same arguments, with copies of held records: no function that is not inlined knows where those of others are."""
        several = zip(kinds, values, strict=True)
        return [copied(self.context, builder, kind, each) if isinstance(kind, Held) else each for kind, each in several]

    def declare(self, module: Any, description: Any) -> Any:
        """The function in a module, to be called or to be written."""
        if description.mangled_name in module.globals:
            return module.globals[description.mangled_name]
        kind = self.get_function_type(description.restype, description.argtypes)
        function = ir.Function(module, kind, description.mangled_name)
        self.decorate_function(function, description.args, description.argtypes)
        if description.inline:
            function.attributes.add("alwaysinline")
        return function


def call_of(description: Any, libraries: Sequence[Any], fails: bool) -> Callable[..., Any]:
    """What writes a call of an inner function into its caller."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention = InnerConvention(context)
        function = convention.declare(builder.module, description)
        result = room(builder, convention.get_return_type(description.restype).pointee)
        error = room(builder, function.args[1].type.pointee)
        arguments = arguments if description.inline else convention.apart(builder, description.argtypes, arguments)
        given = convention._get_arg_packer(description.argtypes).as_arguments(builder, arguments)
        code = builder.call(function, [result, error, *given])
        if fails:
            with builder.if_then(builder.icmp_signed("!=", code, RETCODE_OK), likely=False):
                status = convention._get_return_status(builder, code, builder.load(error))
                context.call_conv.return_status_propagate(builder, status)
        return context.get_returned_value(builder, description.restype, builder.load(result))

    call.signature = description.argtypes  # type: ignore[attr-defined]
    call.libs = tuple(libraries)  # type: ignore[attr-defined]
    return call


def is_plain(kinds: Iterable[Any]) -> bool:
    """Whether all of these are numbers."""
    return all(isinstance(kind, (types.Number, types.Boolean, types.Literal)) for kind in kinds)


class LeanInferer(TypeInferer):
    """Finds the kinds of all variables. The result type of an operator on numbers comes from a table: numba goes through all
    definitions of the operator, several times for each use in the source."""

    def resolve_call(self, fnty: Any, pos_args: Any, kw_args: Any) -> Any:
        if kw_args or getattr(fnty, "typing_key", None) not in OPERATORS_TO_BUILTINS or not is_plain(pos_args):
            return super().resolve_call(fnty, pos_args, kw_args)
        key = fnty.typing_key, pos_args
        if key not in _MADE:
            _MADE[key] = super().resolve_call(fnty, pos_args, kw_args)
        return _MADE[key]


_MADE: dict[Any, Any] = {}  # (operator, kinds) → signature


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanInference(FunctionPass):
    """Gives every variable of an inner function its kind."""

    _name = "lean_inference"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """The same as numba's NopythonTypeInference."""
        function, context, warnings = state.func_ir, state.typingctx, WarningsFixer(NumbaWarning)
        infer = LeanInferer(context, function, warnings)
        with context.callstack.register(state.targetctx.target, infer, function.func_id, state.args), warnings:
            for index, (name, kind) in enumerate(zip(function.arg_names, state.args, strict=True)):
                infer.seed_argument(name, index, kind)
            if state.return_type is not None:
                infer.seed_return(state.return_type)
            infer.build_constraint()
            infer.propagate(raise_errors=True)
            state.typemap, state.return_type, state.calltypes = infer.unify(raise_errors=True)
        state.typing_errors = []
        return True


class LeanLower(Lower):
    """From numba's instructions to those of LLVM, for an inner function."""

    @property
    def call_conv(self) -> InnerConvention:
        return InnerConvention(self.context)

    def setup_function(self, fndesc: Any) -> None:
        self.function = self.call_conv.declare(self.module, fndesc)
        self.function.linkage = "linkonce_odr"  # as numba would make it in a copy
        self.entry_block = self.function.append_basic_block("entry")
        self.builder = ir.IRBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def extract_function_arguments(self) -> Any:
        values = super().extract_function_arguments()
        if not self.fndesc.inline:
            self.fnargs = values = self.call_conv.apart(self.builder, self.fndesc.argtypes, values)
        return values

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        return room(self.builder, lltype, name)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Numba first looks for code made for this very number, which there is for powers."""
        signature = self.fndesc.calltypes[expr]
        if op in (operator.pow, operator.ipow) or not is_plain(signature.args):
            return super().lower_binop(resty, expr, op)
        values = []
        for side, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True):
            values.append(self.context.cast(self.builder, self.loadvar(side.name), self.typeof(side.name), kind))
        function = self.context.typing_context.resolve_value_type(op)
        if signature.args not in function._impl_keys:
            function.get_call_type(self.context.typing_context, signature.args, {})
        made = self.context.get_function(function, signature)
        return self.context.cast(self.builder, made(self.builder, values), signature.return_type, resty)

    def delvar(self, name: str) -> None:
        """There is nothing to give back."""


def short_name(name: str, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """A name for machine code; `uid` is of one function compiled for one choice of arguments."""
    return itanium_mangler.mangle(name, (), uid=uid)


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanLowering(LoweringPass):
    """Writes an inner function into its library and tells numba how it is called."""

    _name = "lean_lowering"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """The same as numba's NativeLowering, less what Python would need."""
        target, library = state.targetctx, state.library
        library._reload_init.update(state.reload_init)
        description = PythonFunctionDescriptor.from_specialized_function(
            state.func_ir, state.typemap, state.return_type, state.calltypes,
            mangler=short_name, inline=state.flags.forceinline, noalias=False, abi_tags=(),
        )  # fmt: skip
        with target.push_code_library(library):
            lower = LeanLower(target, library, description, state.func_ir, metadata=state.metadata)
            lower.lower()
        entry = target.get_executable(library, description, lower.env)
        if isinstance(description.restype, types.Optional):
            raise TypeError(f"{description.qualname} returns a value or None: an inner function must always return the same kind")
        ends = (block.terminator for block in lower.function.blocks)
        fails = any(isinstance(end, Ret) and getattr(end.operands[0], "constant", None) != 0 for end in ends)
        target._defns[entry].append(call_of(description, [library], fails), description.argtypes)
        state.reload_init.extend(library._reload_init)
        state["cr"] = _LowerResult(description, lower.call_helper, cfunc=entry, env=lower.env)
        return True


UNTYPED = (
    TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, DeadBranchPrune, GenericRewrites, ReconstructSSA
)  # fmt: skip
TYPED = (LeanInference, PreLowerStripPhis)


class LeanCompiler(CompilerBase):
    """Numba's compiler with the passes an inner function needs."""

    take_library: Any  # a pass that makes the library

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("inner")
        for each in (*UNTYPED, *TYPED, self.take_library, AnnotateTypes, LeanLowering, NoPythonBackend):
            passes.add_pass(each, each._name)
        passes.finalize()
        return [passes]
