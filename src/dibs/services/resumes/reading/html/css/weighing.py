"""Which of several rules wins: by its layer, by its selector."""

import re

from dibs.services.resumes.reading.html.css.splitting import split_outside

Weight = tuple[int, int, int, int]
MOST_LAYERS, DEEPEST = 1_000, 50
_LISTS = re.compile(r":(where|is|not|has|matches|-webkit-any)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\[[^\]]*\]")
_TAG = re.compile(r"(?:^|[\s>+~])[a-z]", re.IGNORECASE)


class Layers:
    """The layers of a page as it names them, the weakest first; rules outside of all are stronger."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def add(self, name: str) -> str:
        """Note a layer; what stands inside another one is weaker than the rest of that."""
        outer = name.rpartition(".")[0]
        if outer and name.count(".") < DEEPEST:
            self.add(outer)
        if name not in self._names and len(self._names) < MOST_LAYERS:
            self._names.insert(self._names.index(outer) if outer in self._names else len(self._names), name)
        return name

    def add_nameless(self, outer: str) -> str:
        """Note a layer without a name, which nothing can be added to."""
        return self.add(f"{outer}.{len(self._names)}#" if outer else f"{len(self._names)}#")

    def weigh(self, layer: str, selector: str, *, order: int, important: bool) -> Weight:
        """Give the weight of a rule; among important ones the first layer is the strongest."""
        rank = self._names.index(layer) if layer in self._names else len(self._names)
        return (int(important), -rank if important else rank, specificity(selector), order)

    def weigh_own(self, *, important: bool) -> Weight:
        """Give the weight of what an element says itself."""
        return (int(important), 1 if important else len(self._names) + 1, 0, 0)


def specificity(selector: str) -> int:
    """Give how closely a selector names what it means; a list in brackets counts as its closest part, or not at all."""
    lists = [inside for name, inside in _LISTS.findall(selector) if name.lower() != "where"]
    inner = sum(max(specificity(one.strip()) for one in split_outside(inside, ",")) for inside in lists)
    plain = _LISTS.sub("", selector)
    attributes = len(_ATTRIBUTE.findall(plain))
    plain = _ATTRIBUTE.sub("", plain)
    classes = plain.count(".") + plain.count(":") + attributes
    return inner + plain.count("#") * 10_000 + classes * 100 + len(_TAG.findall(plain))
