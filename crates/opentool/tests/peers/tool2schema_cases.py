"""What tool2schema 2.2.0 (PyPI) writes for the functions whose Rust counterparts are in tests/it/tool2schema/functions.rs.

    python tool2schema_cases.py FOLDER

writes one file a function: three lines, for OPENAI_API, OPENAI_TUNE and ANTHROPIC_CLAUDE, as json.dumps writes them.
"""

import datetime
import enum
import json
import pathlib
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Set, Tuple, Union

from tool2schema import EnableTool, SchemaType


class Answer(enum.Enum):
    YES = "y"
    NO = "n"


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Way(str, enum.Enum):
    ONE_WAY = "one-way"
    RETURN = "return"
    BOTH = "both"


@dataclass
class Place:
    city: str


CASES = {}


def case(function=None, **settings):
    def enable(function):
        tool = EnableTool(**settings)(function) if settings else EnableTool(function)
        CASES[function.__name__] = tool
        return tool

    return enable(function) if function else enable


@case
def plain(a: int, b: float, c: str, d: bool, e: None):
    """Plain types."""


@case
def lists(a: list[int], b: List[str], c: list[list[float]], d: list[bool]):
    """Lists."""


@case
def objects(
    a: Dict[str, int], b: Tuple[int, str], c: Set[int], d: Place, e: datetime.date, f: Any, g: list[Place], h: list[Any]
):
    """Types that are objects."""


@case
def optional(a: Optional[int] = None, b: Optional[str] = None, c: Optional[list[int]] = None, d: Optional[Place] = None):
    """Optional parameters."""


@case
def union(a: Union[int, str], b: list[Union[bool, float]], c: Optional[Union[int, str]] = None):
    """Unions."""


@case
def literals(a: Literal["red", "green"], b: Literal[1, 2, 3], c: Optional[Literal["x", "y"]] = None, d: Literal["on"] = "on"):
    """Literals."""


@case
def enums(a: Answer, b: Level, c: Way):
    """Enums."""


@case
def enums_inside(a: list[Answer], b: Optional[Level] = None, c: Optional[list[Way]] = None):
    """Enums inside of types."""


@case
def enum_defaults(
    a: Answer = Answer.NO,
    b: list[Answer] = [Answer.YES, Answer.NO],
    c: Union[Level, str] = Level.HIGH,
    d: Optional[Way] = Way.ONE_WAY,
):
    """Defaults that are members."""


@case
def defaults(
    a: int = 1,
    b: float = 1.5,
    c: str = "x",
    d: bool = True,
    e: list[int] = [1, 2],
    f: Optional[int] = 7,
    g: int = -3,
    h: float = 2.0,
    i: float = 1e-07,
    j: str = "",
):
    """Defaults."""


@case
def mixed(a: int, c: str, b: int = 1, d: Optional[bool] = None):
    """Some are required."""


@case
def documented(city: str, days: int = 1):
    """
    Current weather
    for a city.

    :param city: The name of
        the city: as people write it.
    :param days: How many days ahead; see https://example.com/a:b.
    :return: The weather.
    """


@case
def partly_documented(a: int, b: int, c: int):
    """
    Some.

    :param a: First.
    :type a: int
    :param int b: Second.
    :param c: Third.
    :raises ValueError: Never.
    """


@case
def only_parameters(a: int):
    """
    :param a: First.
    """


@case
def no_docs(a: int):
    pass


@case
def returns_without_parameters() -> str:
    """
    Now.

    :return: The time.
    """


@case
def nothing():
    """Nothing to give."""


@case
def nothing_at_all():
    pass


@case
def unicode(größe: str = "Ä", ort: Literal["Köln", "大阪", "🗼"] = "Köln"):
    """Größe – "quoted" \\ and 🗼."""


@case(ignore_parameters=["b"])
def ignores_one(a: int, b: int = 1):
    """
    One is left out.

    :param a: First.
    :param b: Second.
    """


@case
def ignores_by_default(a: int, args: int = 1, kwargs: int = 2):
    """Names that are left out."""


@case(ignore_parameters=[])
def ignores_none(a: int, args: int = 1):
    """None is left out."""


@case(ignore_all_parameters=True)
def ignores_all(a: int = 1, b: int = 2):
    """All are left out."""


@case(ignore_function_description=True)
def ignores_description(a: int):
    """
    Left out.

    :param a: First.
    """


@case(ignore_parameter_descriptions=True)
def ignores_parameter_descriptions(a: int):
    """
    What it does.

    :param a: First.
    """


@case(ignore_all_parameters=True, ignore_function_description=True)
def ignores_everything(a: int = 1):
    """
    Left out.

    :param a: First.
    """


@case
def added(a: str, b: int = 2):
    """
    Values that were added.

    :param a: First.
    """


added.schema.add_enum("a", ["yes", "no"]).add_enum("b", [1, 2])


@case
def added_mixed(a: str):
    """Values of several types."""


added_mixed.schema.add_enum("a", [1, 2, "three"])


@case(tags=["travel"])
def tagged(a: int):
    """Tags do not show."""


@case
async def waits(a: int):
    """Async."""


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    types = [SchemaType.OPENAI_API, SchemaType.OPENAI_TUNE, SchemaType.ANTHROPIC_CLAUDE]
    for name, tool in CASES.items():
        lines = "".join(json.dumps(tool.to_json(schema_type)) + "\n" for schema_type in types)
        (folder / f"{name}.jsonl").write_text(lines)
