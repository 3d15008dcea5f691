"""Values that are no data: within a result, however deep, they are refused instead of being written out."""

from typing import Any, ClassVar


class _Serializer:
    """Makes what pydantic writes the values of a class by, when pydantic looks for it."""

    def __get__(self, value: object, owner: type) -> Any:
        # Saves 10 ms of every cold start that writes no result.
        from pydantic_core import SchemaSerializer, core_schema

        return SchemaSerializer(core_schema.any_schema(serialization=_refusing()))


class NoData:
    """A class whose values are no data.

    They are dataclasses, which pydantic writes out: a picture as a text, the claims of the caller.
    """

    __slots__ = ()

    INSTEAD: ClassVar[str] = "is no result"
    """The end of the sentence in which an error names a value and its type."""

    __pydantic_serializer__: ClassVar[Any] = _Serializer()
    """Refuses a value in a field of any type."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Return pydantic's schema of a field of this type; writing it is refused."""
        return {**handler(source), "serialization": _refusing()}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        """Raise `TypeError` for a field of a result."""
        if handler.mode == "serialization":
            raise TypeError(f"a field of the result is of type {cls.__name__}, which {cls._instead()}")
        return handler(schema)

    def refusal(self, where: str) -> str:
        """Return why the value cannot be an item of a result."""
        return f"{where} is of type {type(self).__name__}, which {self._instead()}"

    @classmethod
    def _instead(cls) -> str:
        return cls.INSTEAD.format(kind=cls.__name__)


def _refusing() -> Any:
    # Saves 10 ms, as above.
    from pydantic_core import core_schema

    return core_schema.plain_serializer_function_ser_schema(_refuse)


def _refuse(value: NoData) -> None:
    raise ValueError(value.refusal("it"))
