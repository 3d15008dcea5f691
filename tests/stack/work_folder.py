"""The folder in which the tool `toil` records its beats, by which a test watches the work and ends it."""

from pathlib import Path

from tests.timeout import until


class WorkFolder:
    """The folder; the tool finds it by the argument `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self._folder = folder

    def process(self, attempt: int = 1) -> int:
        """Return the process of an attempt, once it works."""
        return until(lambda: self.processes().get(attempt, 0))

    def processes(self) -> dict[int, int]:
        """Return the process of each attempt that worked so far."""
        beats = [line.split() for line in self._lines("beats")]
        return {int(attempt): int(process) for process, attempt in beats}

    def beats(self) -> int:
        """Return how many beats the work has recorded so far."""
        return len(self._lines("beats"))

    def left(self) -> int:
        """Return how many attempts have returned or raised."""
        return len(self._lines("left"))

    def enough(self) -> None:
        """Let the tool return."""
        (self._folder / "enough").touch()

    def _lines(self, name: str) -> list[str]:
        file = self._folder / name
        # The last piece is empty, or a line that is being written.
        return file.read_text().split("\n")[:-1] if file.exists() else []
