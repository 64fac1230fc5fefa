"""`recall service`: what it writes, runs and says, in a temporary home with a stand-in systemctl."""

from __future__ import annotations

import json
import plistlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import ConfigError, Refused
from recall.places import Places
from recall.service import launchd, record
from recall.service.systemd import quote, unquote
from recall.units import units

LOGGING = '#!/bin/sh\necho "$*" >> "$HOME/systemctl.log"\ncase "$2" in is-active) exit 3;; esac\n'
words = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30)


@pytest.fixture
def user(home: Any) -> Any:
    home.program("systemctl", LOGGING)
    home.units = home.root / "home" / ".config" / "systemd" / "user"
    home.log = home.root / "home" / "systemctl.log"
    return home


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_install_writes_the_units_and_enables_them(user: Any) -> None:
    done = user.recall("service", "install", "--json")
    assert done.returncode == 0, done.stderr
    files = set(tree(user.units))
    assert files == {
        *("recalld.service", "recalld.socket"),
        *("recalld.service.d/places.conf", "recalld.socket.d/places.conf"),
    }
    service = (user.units / "recalld.service").read_text()
    program = next(line for line in service.splitlines() if line.startswith("ExecStart="))
    assert program.removeprefix("ExecStart=").split()[0].strip('"').startswith(str(Path(sys.executable).parent))
    assert f"RECALLD_DATA_DIR={user.places.data}" in (user.units / "recalld.service.d/places.conf").read_text()
    assert f"ListenStream={user.places.socket}" in (user.units / "recalld.socket.d/places.conf").read_text()
    calls = user.log.read_text().splitlines()
    assert calls == ["--user daemon-reload", "--user enable --now recalld.socket recalld.service"]


def test_the_rendered_units_are_valid(user: Any) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    assert user.recall("service", "install").returncode == 0
    for name in ("recalld.socket", "recalld.service"):
        done = subprocess.run(
            ["systemd-analyze", "--user", "verify", str(user.units / name)],
            env=user.env | {"XDG_RUNTIME_DIR": str(user.root / "run")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_install_records_where_the_agents_are_and_keeps_comments(user: Any) -> None:
    user.places.config.write_text('# mine\n[sources.codex]\nroots = ["/other"]  # keep\n\n[index]\nbatch_bytes = 1\n')
    assert user.recall("service", "install").returncode == 0
    text = user.places.config.read_text()
    assert "# mine" in text
    assert "# keep" in text
    data = tomllib.loads(text)
    assert data["index"] == {"batch_bytes": 1}
    assert data["sources"] == {
        "codex": {"roots": ["/other", str(user.root / "codex")]},
        "claude-code": {"roots": [str(user.root / "claude")]},
        "qwen-code": {"roots": [str(user.root / "qwen")]},
    }


def test_installing_again_changes_nothing_and_uninstalling_removes_what_install_made(user: Any) -> None:
    user.units.mkdir(parents=True)
    (user.units / "other.service").write_text("[Service]\n")
    user.recall("service", "install")
    before = tree(user.root / "home" / ".config")
    config = user.places.config.read_bytes()
    done = user.recall("service", "install", "--json")
    assert json.loads(done.stdout)["written"] == []
    assert (tree(user.root / "home" / ".config"), user.places.config.read_bytes()) == (before, config)
    done = user.recall("service", "uninstall")
    assert done.returncode == 0
    assert tree(user.root / "home" / ".config") == {"systemd/user/other.service": b"[Service]\n"}
    assert not (user.units / "recalld.service.d").exists()
    assert user.places.config.read_bytes() == config
    calls = user.log.read_text().splitlines()
    assert calls[-2:] == ["--user disable --now recalld.socket recalld.service", "--user daemon-reload"]
    assert user.recall("service", "uninstall").stdout == "nothing to do\n"


def test_a_background_daemon_makes_way_for_the_service(user: Any) -> None:
    assert user.recall("start").returncode == 0
    assert user.recall("service", "install").returncode == 0
    assert user.recall("status").returncode == 3  # the stand-in for systemctl starts none


def test_without_a_user_bus_a_background_daemon_goes_on(user: Any) -> None:
    assert user.recall("start").returncode == 0
    user.program("systemctl", "#!/bin/sh\nexit 1\n")
    assert user.recall("service", "install").returncode == 4
    assert user.recall("status").returncode == 0
    assert user.recall("stop").returncode == 0


def test_a_running_service_is_restarted_only_where_something_changed(user: Any) -> None:
    user.program("systemctl", LOGGING.replace("exit 3", "exit 0"))
    assert user.recall("service", "install").returncode == 0
    user.log.unlink()
    assert user.recall("service", "install").returncode == 0
    assert "--user restart recalld.socket recalld.service" not in user.log.read_text().splitlines()
    assert user.recall("service", "install", CODEX_HOME="/other/codex").returncode == 0
    assert "--user restart recalld.socket recalld.service" in user.log.read_text().splitlines()


def test_a_dry_run_says_what_it_would_do_and_does_nothing(user: Any) -> None:
    before = tree(user.root)
    done = user.recall("service", "install", "--dry-run")
    assert "would write" in done.stdout
    assert "would run systemctl --user enable --now recalld.socket" in done.stdout
    assert tree(user.root) == before


def test_without_a_user_bus_the_files_are_written_and_status_4_says_what_to_do(user: Any) -> None:
    user.program("systemctl", "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n")
    done = user.recall("service", "install")
    assert done.returncode == 4
    assert (user.units / "recalld.socket").exists()
    assert "No medium found" in done.stderr
    assert "recall start" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    done = user.recall("service", "install", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "refused"
    done = user.recall("service", "uninstall")
    assert done.returncode == 4
    assert tree(user.units) == {}


def test_a_systemctl_that_refuses_is_told_with_its_words(user: Any) -> None:
    user.program("systemctl", "#!/bin/sh\necho 'Unit recalld.socket is masked.' >&2\nexit 1\n")
    done = user.recall("service", "install")
    assert done.returncode == 4
    assert "is masked" in done.stderr
    assert "journalctl" in done.stderr


def test_a_configuration_that_is_not_toml_is_not_touched(user: Any) -> None:
    user.places.config.write_text("[sources\n")
    done = user.recall("service", "install")
    assert done.returncode == 4
    assert user.places.config.read_text() == "[sources\n"
    assert not user.units.exists()


def test_status_tells_installed_listening_and_for_which_places(user: Any) -> None:
    def status(**env: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(user.recall("service", "status", "--json", **env).stdout)
        return found

    assert status() == {"schema": 1, "installed": False, "active": False, "serves": False}
    user.recall("service", "install")
    assert status() == {"schema": 1, "installed": True, "active": False, "serves": True}
    user.program("systemctl", "#!/bin/sh\nexit 0\n")
    assert status(RECALLD_DATA_DIR="/elsewhere") == {"schema": 1, "installed": True, "active": True, "serves": False}


@given(words)
def test_what_is_quoted_for_a_unit_is_read_back(word: str) -> None:
    quoted = quote(word)
    assert unquote(quoted) == word
    assert "%" not in quoted.replace("%%", "")


def test_control_characters_cannot_get_into_a_unit() -> None:
    with pytest.raises(Refused):
        quote("/tmp/a\nExecStart=/bin/evil")


@given(st.dictionaries(st.sampled_from(["claude-code", "codex", "qwen-code"]), words.map("/".__add__)))
def test_recorded_roots_are_there_once_however_often(wanted: dict[str, str]) -> None:
    once = record.recorded("# head\n", wanted)
    assert record.recorded(once, wanted) == once
    found = {agent: table["roots"] for agent, table in tomllib.loads(once).get("sources", {}).items()}
    assert found == {agent: [root] for agent, root in wanted.items()}
    assert once.startswith("# head\n")


def test_a_configuration_of_another_shape_is_refused() -> None:
    with pytest.raises(ConfigError):
        record.recorded("sources = 5\n", {"codex": "/c"})


def test_the_launchd_agent_is_a_valid_property_list(tmp_path: Path) -> None:
    places = Places(tmp_path / "da<ta>", tmp_path / "r&n", tmp_path / "c.toml")
    plist = plistlib.loads(launchd.render(places, [sys.executable, "-m", "recalld"]))
    assert plist["Label"] == launchd.LABEL
    assert plist["ProgramArguments"] == [sys.executable, "-m", "recalld"]
    assert (plist["KeepAlive"], plist["RunAtLoad"], plist["ProcessType"]) == (True, True, "Background")
    assert plist["Sockets"]["Listeners"]["SockPathName"] == str(places.socket)
    assert plist["Sockets"]["Listeners"]["SockPathMode"] == 0o600
    assert plist["Umask"] == 0o077
    assert plist["EnvironmentVariables"]["RECALLD_DATA_DIR"] == str(places.data)


def test_the_templates_are_found() -> None:
    assert (units("launchd") / "dev.recalld.agent.plist").is_file()
    assert (units("systemd") / "recalld.service").is_file()
    with pytest.raises(Refused):
        units("nosuch")
