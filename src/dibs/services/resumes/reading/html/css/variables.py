"""Variables: each element has those of the element around it, and its own."""

from typing import Any

from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.html.css.declarations import Declarations, fill

MOST_VARIABLES = 1_000_000


class Variables:
    """The variables of all elements of a page."""

    def __init__(self) -> None:
        self._own: dict[int, Declarations] = {}
        self._known: dict[int, Declarations] = {}
        self._left = MOST_VARIABLES

    def add(self, node: Any, found: Declarations) -> None:
        """Note what a rule sets for an element, over what weaker rules have set."""
        self._own.setdefault(node.mem_id, {}).update(found)

    def find(self, node: Any) -> Declarations:
        """Give the variables of an element. Elements without own ones share those of their parents."""
        path = []
        while node is not None and node.mem_id not in self._known:
            path.append(node)
            node = node.parent
        found = self._known[node.mem_id] if node is not None else {}
        for one in reversed(path):
            found = self._known[one.mem_id] = self._inherit(self._own.get(one.mem_id, {}), found)
        return found

    def _inherit(self, own: Declarations, outer: Declarations) -> Declarations:
        inner = {**outer, **own} if own else outer
        filled = {name: fill(text, inner) if "var(" in text else text for name, text in own.items()}
        if all(outer.get(name) == text for name, text in filled.items()):
            return outer
        self._left -= len(inner)
        if self._left < 0:
            raise refuse(Refusal.UNSAFE, what="style sheets with a million variables")
        return inner | filled
