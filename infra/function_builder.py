"""Builds the functions of a server, which share their code, their defaults and their metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from aws_cdk import Duration
from constructs import Construct

from .function import TaskServerFunction
from .function_defaults import FunctionDefaults
from .function_metrics import publish_records

F = TypeVar("F", bound=TaskServerFunction)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionBuilder(Generic[F]):
    """Builds functions of a kind in a scope; `namespace` is that of their metrics."""

    kind: type[F]
    scope: Construct
    defaults: FunctionDefaults
    namespace: str

    def build(
        self,
        construct_id: str,
        environment: Mapping[str, str],
        *,
        seconds: int,
        memory: int,
        reserved: int | None = None,
        signals: Sequence[str] = (),
    ) -> F:
        """Build one function, with the metrics of its log records.

        `signals` are the names of errors that state machines expect of it: its failures are counted without them.
        """
        function = self.kind(
            self.scope,
            construct_id,
            defaults=self.defaults,
            handler=self.defaults.code.handler(construct_id),
            environment=environment,
            timeout=Duration.seconds(seconds),
            memory=memory,
            reserved=reserved,
        )
        publish_records(function.function, construct_id, namespace=self.namespace, signals=signals)
        return function
