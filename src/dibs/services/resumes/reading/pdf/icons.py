"""Fonts whose letters are pictures: what a file says of them, "#" for an envelope, is nothing that a person reads."""

import re
from functools import lru_cache

ICON = "\ue000"
"""A sign for private use, as better files give it for a picture."""
_NAMES = re.compile(
    r"font-?awesome|academicons|marvosym|material.?(?:icons|symbols)|simple-?icons|ionicons|glyphicons|icomoon|typicons"
    r"|bootstrap-?icons|entypo|dripicons|fontisto|foundation-?icons|octicons|remixicon|devicon|fabric ?mdl2|feather$",
    re.IGNORECASE,
)


@lru_cache(256)
def is_icon_font(name: str) -> bool:
    """Tell by its name whether a font holds pictures."""
    return _NAMES.search(name) is not None
