"""What all refusals have in common."""

from collections.abc import Callable

import pytest


def assert_refused(make: Callable[[], object], *words: str, error: type[Exception]) -> None:
    """`make` raises `error` with one sentence, on one line and with a full stop, that has all the words."""
    with pytest.raises(error) as caught:
        make()
    message = str(caught.value)
    for each in words:
        assert each in message
    assert message.endswith(".") and "\n" not in message
