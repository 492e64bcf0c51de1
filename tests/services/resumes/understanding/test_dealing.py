"""Labels dealt to the places of an entry's head."""

from dibs.services.resumes.understanding.fields.slots import Part, _choose_order
from dibs.services.resumes.understanding.sections.rows import Piece


def test_of_equal_ways_to_deal_the_first_wins():
    places = [(line, turn) for line in range(3) for turn in range(3)]
    parts = [Part(Piece(f"{0.02 * sum(place)}", ()), place) for place in places]
    assert _choose_order([parts], places, {"position": float})[0] == {(0, 0): "position"}
