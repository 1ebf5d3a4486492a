"""The bodies of a scene: a table with a row for each and a column for each of their numbers; a body is a view of its row.

Shapes, materials, names and tags stand in the table as numbers of a register, so that a million bodies take 100 MB.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, MutableSequence, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

import numpy as np

from clast.scene.checks import name_or_none, numbers
from clast.scene.tags import Tag

Value = TypeVar("Value")
Kind = TypeVar("Kind", bound="Member")
GROWTH = 1.5  # of the rows there is room for, when more are needed


class Register:
    """Objects that differ, each with a number.

    key   what tells two of them apart
    """

    def __init__(self, key: Callable[[Any], Hashable], objects: Iterable[Any] = ()) -> None:
        self.key = key
        self.objects: list[Any] = []
        self._numbers: dict[Hashable, int] = {}
        for each in objects:
            self.number(each)

    def __reduce__(self) -> tuple[Any, ...]:
        return Register, (self.key, self.objects)  # keys are ids, and a copy's objects have others

    def known(self, value: Any) -> int:
        """The number of an object, −1 for one that is not there."""
        return self._numbers.get(self.key(value), -1)

    def number(self, value: Any) -> int:
        """The number of an object, a new one for one that was not there."""
        found = self._numbers.setdefault(self.key(value), len(self.objects))
        if found == len(self.objects):
            self.objects.append(value)
        return found


def itself(value: Any) -> Any:
    """The key of a text: two that are equal are one."""
    return value


def each_id(tags: Iterable[Tag]) -> tuple[int, ...]:
    """The key of tags: those of two bodies are the same if they are the same objects."""
    return tuple(map(id, tags))


# --- what a body has -------------------------------------------------------------------------------------------------


class Column(Generic[Value]):
    """What each body has one of: an attribute of the body, kept in the table.

    stored  type in the table and, of several numbers, how many: numpy's words
    key     of objects, which are kept in a register
    """

    def __init__(self, stored: tuple[Any, ...] = (np.int32,), key: Callable[[Any], Hashable] | None = None) -> None:
        self.stored, self.key = stored, key

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, body: Member | None, owner: type) -> Value:
        return self if body is None else self.seen(body)  # type: ignore[return-value]

    def __set__(self, body: Member, value: Value) -> None:
        body.table.write(self.name, body.row, self.checked(f"body {body.row}: {self.name}", value))

    def seen(self, body: Member) -> Any:
        """The value of a body."""
        return body.table.read(self.name, body.row)

    def checked(self, what: str, value: Any) -> Any:
        """A value as it is kept; SceneError for one that cannot be."""
        return value


class Numbers(Column[Value]):
    """A number, or a tuple of several."""

    def __init__(self, count: int = 1) -> None:
        super().__init__((float,) if count == 1 else (float, (count,)))
        self.count = count

    def seen(self, body: Member) -> Any:
        found = super().seen(body).tolist()
        return tuple(found) if self.count > 1 else found

    def checked(self, what: str, value: Any) -> Any:
        return numbers(what, value, self.count) if self.count > 1 else numbers(what, [value], 1)[0]


class Flag(Column[bool]):
    """Yes or no."""

    def __init__(self) -> None:
        super().__init__((bool,))

    def seen(self, body: Member) -> bool:
        return bool(super().seen(body))

    def checked(self, what: str, value: Any) -> bool:
        return bool(value)


class Thing(Column[Value]):
    """An object, which other bodies may have as well."""

    def __init__(self) -> None:
        super().__init__(key=id)


class Text(Column[Value]):
    """A text, or None."""

    def __init__(self) -> None:
        super().__init__(key=itself)

    def checked(self, what: str, value: Any) -> Any:
        name_or_none(what, value)
        return value


class TagColumn(Column["Tagged"]):
    """Tags, as a list that can be changed."""

    def __init__(self) -> None:
        super().__init__(key=each_id)

    def __set__(self, body: Member, value: Iterable[Tag]) -> None:
        body.table.write(self.name, body.row, tuple(value))

    def seen(self, body: Member) -> Tagged:
        return Tagged(body.table, body.row)


class Tagged(MutableSequence[Tag]):
    """The tags of a body; what is changed here is changed in the scene."""

    def __init__(self, table: Bodies[Any], row: int) -> None:
        self._table, self._row = table, row

    def _now(self) -> tuple[Tag, ...]:
        return self._table.read("tags", self._row)

    def __len__(self) -> int:
        return len(self._now())

    def __getitem__(self, index: Any) -> Any:
        return [*self._now()][index]

    def __setitem__(self, index: Any, value: Any) -> None:
        changed = [*self._now()]
        changed[index] = value
        self._table.write("tags", self._row, tuple(changed))

    def __delitem__(self, index: Any) -> None:
        changed = [*self._now()]
        del changed[index]
        self._table.write("tags", self._row, tuple(changed))

    def insert(self, index: int, value: Tag) -> None:
        """Put a tag before the one at `index`."""
        self[index:index] = [value]

    def __eq__(self, other: object) -> bool:
        return [*self] == [*other] if isinstance(other, list | Tagged) else NotImplemented

    def __repr__(self) -> str:
        return repr([*self])


class Member:
    """One body as far as plane and space agree about it: row `row` of a `table`."""

    __slots__ = ("row", "table")
    columns: ClassVar[dict[str, Column[Any]]] = {}  # by name, in the order in which a body shows them

    material = Text[str]()
    big = Flag()
    name = Text["str | None"]()
    weighed = Flag()  # whether the user gave mass or density; a free wall without gets one from the grains
    tags = TagColumn()

    def __init_subclass__(cls) -> None:
        cls.columns = {name: each for owner in (cls, Member) for name, each in vars(owner).items() if isinstance(each, Column)}

    def __init__(self, table: Bodies[Any], row: int) -> None:
        self.table, self.row = table, row

    def values(self) -> tuple[Any, ...]:
        """All it has, in the order of `columns`."""
        return tuple(getattr(self, name) for name in self.columns)

    def __eq__(self, other: object) -> bool:
        return self.values() == other.values() if isinstance(other, type(self)) else NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.columns)})"


# --- the table -------------------------------------------------------------------------------------------------------


class Bodies(Sequence[Kind]):
    """The bodies of a scene by id. `bodies[k]` is a view: what is set there is set here, and holds until a body is taken out.

    What is done with many at once goes by columns, with the names of a body's attributes.
    """

    def __init__(self, kind: type[Kind]) -> None:
        self._kind, self._count = kind, 0
        named = [(name, *column.stored) for name, column in kind.columns.items()]
        self._rows = np.zeros(0, np.dtype(named, align=True))
        self._registers = {name: Register(column.key) for name, column in kind.columns.items() if column.key is not None}
        self.revision = 0  # grows with every change
        self.changes: Counter[str] = Counter()  # how often something was set in each column, or "rows" were taken out

    def _note(self, name: str) -> None:
        self.changes[name] += 1
        self.revision += 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Kind: ...

    @overload
    def __getitem__(self, index: slice) -> list[Kind]: ...

    def __getitem__(self, index: int | slice) -> Kind | list[Kind]:
        if isinstance(index, slice):
            return [self._kind(self, row) for row in range(*index.indices(self._count))]
        row = operator.index(index)
        if not -self._count <= row < self._count:
            raise IndexError(f"there is no body {row}: there are {self._count}")
        return self._kind(self, row % self._count)

    def __delitem__(self, index: int | slice) -> None:
        self._rows = np.delete(self._rows[: self._count], index)
        self._count = len(self._rows)
        self._note("rows")

    def __iter__(self) -> Iterator[Kind]:
        return (self._kind(self, row) for row in range(self._count))

    def __repr__(self) -> str:
        return repr([*self])

    # --- one body ----------------------------------------------------------------------------------------------------

    def read(self, name: str, row: int) -> Any:
        """What a body has in a column."""
        found = self._rows[name][row]
        return self._registers[name].objects[found] if name in self._registers else found

    def write(self, name: str, row: int, value: Any) -> None:
        """Set what a body has in a column."""
        self._rows[name][row] = self._registers[name].number(value) if name in self._registers else value
        self._note(name)

    def append(self, *values: Any) -> None:
        """Add a body, given by all it has in the order of `Member.columns`."""
        self._make_room(1)
        row = (
            self._registers[name].number(value) if name in self._registers else value
            for name, value in zip(self._kind.columns, values, strict=True)
        )  # fmt: skip
        self._rows[self._count] = tuple(row)
        self._count += 1
        self.revision += 1

    # --- many bodies -------------------------------------------------------------------------------------------------

    def extend(self, count: int, columns: dict[str, Any]) -> None:
        """Add `count` bodies, given by a value for all or a row for each (n, …) of every column; objects by their numbers."""
        self._make_room(count)
        new = self._rows[self._count : self._count + count]
        for name in self._kind.columns:
            new[name] = columns[name]
        self._count += count
        self.revision += 1

    def numbered(self, name: str, values: Sequence[Any]) -> np.ndarray:
        """Numbers (n,) of objects in the register of a column; those that are new are put there."""
        register = self._registers[name]
        keys = [*map(register.key, values)]
        number = {key: register.number(value) for key, value in dict(zip(keys, values, strict=True)).items()}
        return np.fromiter(map(number.__getitem__, keys), np.int32, len(keys))

    def column(self, name: str) -> np.ndarray:
        """A copy of a column of numbers (n,) or (n, k)."""
        return self._rows[name][: self._count].copy()

    def put(self, name: str, values: Any, rows: Any = slice(None)) -> None:
        """Set a column of numbers, of some bodies where `rows` are given."""
        self._rows[name][: self._count][rows] = values
        self._note(name)

    def distinct(self, name: str) -> tuple[list[Any], np.ndarray]:
        """The different objects of a column, in the order in which they come first, and which of these each body has (n,)."""
        objects, numbers = self._registers[name].objects, self._rows[name][: self._count]
        first, which = firsts(numbers, len(objects))
        return [objects[number] for number in numbers[first].tolist()], which

    def of_shapes(self, what: Callable[[Any], Any]) -> np.ndarray:
        """`what` of the shape of each body (n, …), worked out once for each shape."""
        shapes, which = self.distinct("shape")
        return np.array([what(shape) for shape in shapes])[which]

    def objects(self, name: str, rows: Any = slice(None)) -> list[Any]:
        """The object in a column of each body, or of some."""
        found = self._registers[name].objects
        return [found[number] for number in self._rows[name][: self._count][rows].tolist()]

    def with_object(self, name: str, value: Any) -> np.ndarray:
        """Ids of the bodies that have an object in a column."""
        return np.flatnonzero(self._rows[name][: self._count] == self._registers[name].known(value))

    def add_tag(self, rows: np.ndarray, tag: Tag) -> None:
        """Put a tag on bodies, each named once."""
        register, numbers = self._registers["tags"], self._rows["tags"]
        old, which = np.unique(numbers[rows], return_inverse=True)
        new = [register.number((*register.objects[number], tag)) for number in old.tolist()]
        numbers[rows] = np.array(new, np.int32)[which]
        self._note("tags")

    def taken(self, rows: np.ndarray) -> Bodies[Kind]:
        """A table of its own with these rows, in their order."""
        found: Bodies[Kind] = Bodies(self._kind)
        found._rows, found._count, found._registers = self._rows[: self._count][rows], len(rows), self._registers
        return found

    def saved(self) -> dict[str, Any]:
        """The table as it is, to be put back; registers only grow."""
        return vars(self) | {"_rows": self._rows[: self._count].copy(), "changes": self.changes.copy()}

    def put_back(self, saved: dict[str, Any]) -> None:
        """Let the table be as it was when it was saved."""
        vars(self).update(saved)

    def _make_room(self, count: int) -> None:
        """Make the table long enough for some more."""
        needed = self._count + count
        if needed > len(self._rows):
            longer = np.zeros(max(needed, int(GROWTH * len(self._rows))), self._rows.dtype)
            longer[: self._count] = self._rows[: self._count]
            self._rows = longer


def firsts(numbers: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k,) at which one of the numbers 0 … `count` − 1 stands in `numbers` (n,) for the first time, and at which of these
    that of each row did (n,)."""
    row = np.full(count, len(numbers))
    row[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # of several the last holds
    used = np.argsort(row)[: np.count_nonzero(row < len(numbers))]
    place = np.zeros(count, np.int64)
    place[used] = np.arange(used.size)
    return row[used], place[numbers]
