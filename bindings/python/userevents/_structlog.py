# SPDX-License-Identifier: MIT
"""A processor of structlog. It does not import structlog, so that is not needed."""
import sys
from typing import Any, Dict, MutableMapping, Optional

from ._fit import text_of
from ._logging import MESSAGE, Cuts, exception_of, level_of
from ._session import Level, Session

_NUMBERS = {"critical": 50, "fatal": 50, "exception": 40, "error": 40, "warning": 30, "warn": 30,
            "info": 20, "msg": 20, "debug": 10, "notset": 0}


class StructlogProcessor:
    """Writes each event dictionary of structlog as an event "Log" of a provider.

        structlog.configure(processors=[userevents.StructlogProcessor("MyCompany_Shop"),
                                        structlog.dev.ConsoleRenderer()])

    Levels are tracepoints, as those of Handler. Values become fields as they are; "event"
    becomes the field message. The dictionary goes on to the next processor as it came. Put it
    before processors that make text of values, and after those that add some.
    """

    def __init__(self, provider: str, keyword: int = 0x1,
                 session: Optional[Session] = None) -> None:
        self.session = session or Session()
        self.tracepoints = {each: self.session.tracepoint(provider, each, keyword)
                            for each in Level}

    def __call__(self, logger: Any, method: str,
                 event_dict: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        tracepoint = self.tracepoints[level_of(_NUMBERS.get(method, 20))]
        if tracepoint.enabled:
            cuts = Cuts()
            fields = fields_of(event_dict, cuts)
            tracepoint._count(cuts.altered)
            tracepoint.write("Log", **fields)
        return event_dict


def fields_of(event_dict: MutableMapping[str, Any], cuts: Cuts) -> Dict[str, Any]:
    fields = {name if isinstance(name, str) else text_of(name): value
              for name, value in event_dict.items()}
    message = fields.pop("event", None)
    exception = _exception_of(fields.get("exc_info"))
    if exception:
        del fields["exc_info"]
        fields["exception"] = exception_of(cuts, type(exception), exception,
                                           exception.__traceback__)
    if isinstance(message, str):
        message = cuts.end(message, MESSAGE)
    return {"message": message, **fields}


def _exception_of(given: Any) -> Optional[BaseException]:
    """structlog takes an exception, a tuple as of sys.exc_info(), or True for the current one."""
    found = sys.exc_info()[1] if given is True else given
    found = found[1] if isinstance(found, tuple) and len(found) == 3 else found
    return found if isinstance(found, BaseException) else None
