"""What goes on in a thread of its own, beside the crowd, until it is told to end."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from threading import Event, Thread


@dataclass(slots=True, kw_only=True)
class Background(ABC):
    """`run` goes on until `ends` is set."""

    ends: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def begin(self) -> None:
        """Begin."""
        self._thread = Thread(target=self.run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Let it finish what it is at."""
        self.ends.set()
        assert self._thread is not None
        self._thread.join()

    @abstractmethod
    def run(self) -> None:
        """Go on until `ends` is set."""
