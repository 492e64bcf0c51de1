"""Finding the app."""

import pytest

from dibs.assembly import Dibs
from dibs.cli.loading import load_app
from dibs.engine.app import App
from dibs.errors import BadInput, UnknownBackend


@pytest.fixture
def module(room):
    """Write a module with a name that no other test uses."""

    def write(name: str, text: str) -> str:
        path = room.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return name

    return write


def test_the_app_is_found_in_the_folder_where_dibs_runs(module):
    module("plain_shop", "from dibs.assembly import Dibs\napp = Dibs('memory://')\n")
    assert isinstance(load_app("plain_shop:app"), Dibs)
    assert load_app("plain_shop") is load_app("plain_shop:app")


def test_the_app_may_lie_deeper(module):
    module("deep_shop.tasks", "from dibs.assembly import Dibs\nclass jobs:\n    app = Dibs('memory://')\n")
    assert isinstance(load_app("deep_shop.tasks:jobs.app"), App)


def test_a_url_moves_the_app_to_another_store(module):
    module("moved_shop", "from dibs.assembly import Dibs\napp = Dibs('memory://')\n")
    app = load_app("moved_shop:app", url="sqlite:///other.db")
    assert isinstance(app, Dibs)
    assert app.url == "sqlite:///other.db"


@pytest.mark.parametrize("path", [None, ""])
def test_no_app_at_all_says_how_to_name_one(path):
    with pytest.raises(BadInput, match="--app module:app, or DIBS_APP"):
        load_app(path)


@pytest.mark.parametrize("path", ["a b:app", "shop.py:app", "shop/tasks.py", ":app", "shop:app()"])
def test_what_is_no_path_is_refused(path, module):
    with pytest.raises(BadInput, match=r"not of the form module:app. For the file shop/tasks.py write shop.tasks:app"):
        load_app(path)


def test_a_missing_module_tells_where_was_looked(room, module):
    with pytest.raises(BadInput, match=r"no module 'nowhere_shop'.*holds nowhere_shop\.py \(now: "):
        load_app("nowhere_shop:app")
    module("half_shop.tasks", "")
    with pytest.raises(BadInput, match=r"no module 'half_shop\.other'.*holds half_shop/other\.py"):
        load_app("half_shop.other:app")


def test_a_module_that_imports_something_missing_names_the_line(module):
    module("needy_shop", "\nimport not_installed_anywhere\n")
    with pytest.raises(BadInput, match=r"ModuleNotFoundError: No module named .*needy_shop\.py, line 2"):
        load_app("needy_shop:app")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("broken_shop", "1 / 0\n", r"ZeroDivisionError: .*broken_shop\.py, line 1"),
        ("garbled_shop", "\ndef (:\n", r"SyntaxError: .*garbled_shop\.py, line 2"),
        ("leaving_shop", "raise SystemExit(3)\n", r"SystemExit: 3 .*leaving_shop\.py, line 1"),
    ],
)
def test_a_module_that_fails_names_the_error_and_the_line(module, name, text, said):
    module(name, text)
    with pytest.raises(BadInput, match=said) as raised:
        load_app(name)
    assert raised.value.__cause__ is not None


def test_an_error_of_dibs_in_the_module_is_told_as_it_is(module):
    module("wrong_shop", "from dibs.assembly import Dibs\napp = Dibs('mysql://')\n")
    with pytest.raises(UnknownBackend, match="no backend for 'mysql'"):
        load_app("wrong_shop")


def test_a_missing_attribute_names_the_app_that_is_there(module):
    module("other_shop", "from dibs.assembly import Dibs\njobs = Dibs('memory://')\n")
    with pytest.raises(BadInput, match=r"has no 'app'\. Use --app other_shop:jobs\."):
        load_app("other_shop:app")
    module("empty_shop", "")
    with pytest.raises(BadInput, match=r"has no 'app'\. Make one there"):
        load_app("empty_shop:app")


def test_something_else_than_an_app_is_refused(module):
    module("odd_shop", "from dibs.engine.tasks.blueprint import Blueprint\napp = object()\ntasks = Blueprint()\n")
    with pytest.raises(BadInput, match=r"odd_shop:app is of type object, not dibs\.Dibs"):
        load_app("odd_shop:app")
    with pytest.raises(BadInput, match=r"odd_shop:tasks is a blueprint\. Collect it in an app"):
        load_app("odd_shop:tasks")
