"""Which file each stored document came from: so that two files are never taken for one, and a lost one is noticed.

A document tells by its URL, which leads to its file or to its row there. A row that names a URL of its own does not;
of those a note is kept with the collection.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from sys import intern
from urllib.parse import unquote_to_bytes, urlsplit
from urllib.request import url2pathname

from tamis.acquire.opening import shown

NOTE = "ingest.rows"
"""Under which key a collection keeps what `Origins.note` made."""
SOURCE = "file"
"""`Document.source` of what was read in files."""
_SCHEME = "file:///"


class Origins:
    """The files behind the documents of a collection, as they were before a run.

    Args:
        located: (document id, URL, source) of every document.
        noted: what `note` made of an earlier run, empty for nothing.
    """

    def __init__(self, located: Iterable[tuple[str, str, str]] = (), noted: str = "") -> None:
        self.noted = noted
        rows: dict[str, str] = {
            document_id: uri for uri, ids in json.loads(noted or "{}").items() for document_id in ids
        }
        self._uris: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self._rows: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._lost: dict[str, bool] = {}
        for document_id, url, source in located:
            if source != SOURCE:
                self._sources[document_id] = intern(source)
            elif document_id in rows:
                self._rows[document_id] = self._uris[document_id] = rows[document_id]
            elif url.startswith(_SCHEME) and "%00" not in url:
                uri = self._uris[document_id] = intern(url.partition("#")[0])
                name = _name(document_id, url)
                if name and self._owners.setdefault(name, uri) == uri:
                    self._names.setdefault(self._place(uri), name)

    def name_of(self, path: Path, wanted: str) -> str:
        """The name that a file's documents are stored under, empty where none is known.

        Args:
            path: the file.
            wanted: the name it would get; taken where it is stored under several.
        """
        place = self.place(path)
        owner = self._owners.get(wanted)
        return wanted if owner is not None and self._place(owner) == place else self._names.get(place, "")

    def free(self, name: str, path: Path) -> bool:
        """Whether a file may be stored under a name: nothing is, or it is the file's own, or that of a lost one."""
        if name in self._sources:
            return False
        owner = self._owners.get(name) or self._uris.get(name)
        return owner is None or self._gone(owner) or self._place(owner) == self.place(path)

    def moved(self, document_id: str, path: Path) -> bool:
        """Whether a stored document came from another file than this one."""
        owner = self._uris.get(document_id)
        return owner is not None and self._place(owner) != self.place(path)

    def refusal(self, document_id: str, among: Collection[str]) -> str:
        """Why a document of a file may not be stored under its id, empty where it may.

        Args:
            document_id: its own id, which cannot be changed.
            among: places of the files of this run, its own too; of those, the first one read has the id.
        """
        if source := self._sources.get(document_id, ""):
            return f"a document of another source ({source}) has this id and is kept"
        owner = self._uris.get(document_id)
        if owner is None or self._gone(owner) or self._place(owner) in among:
            return ""
        return f"a document of {shown(Path(_path(owner)))} has this id and is kept"

    def vanished(self, roots: Sequence[Path], whole: Collection[str], read: Collection[str]) -> list[str]:
        """Documents that are no longer where they came from, ascending.

        Args:
            roots: folders that were searched.
            whole: places of files that were read without a problem.
            read: ids that were read in this run.
        """
        inside = [_prefix(spelling) for root in roots for spelling in (str(root.absolute()), os.path.realpath(root))]

        def lost(uri: str) -> bool:
            place = self._place(uri)
            if place in whole:
                return True
            return any(place.startswith(p) or _path(uri).startswith(p) for p in inside) and self._gone(uri)

        return sorted(document_id for document_id, uri in self._uris.items() if document_id not in read and lost(uri))

    def lost(self, read: Collection[str]) -> list[str]:
        """Documents whose file is gone, wherever it lay, and that were not read in this run, ascending."""
        return sorted(
            document_id for document_id, uri in self._uris.items() if document_id not in read and self._gone(uri)
        )

    def note(self, rows: Mapping[str, str], read: Collection[str], removed: Collection[str]) -> str:
        """What to keep for the next run.

        Args:
            rows: document id → URI of its file, of the rows of this run that name a URL of their own.
            read: ids that were read in this run.
            removed: ids that were removed.
        """
        kept = {key: uri for key, uri in self._rows.items() if key not in read and key not in removed}
        files: dict[str, list[str]] = {}
        for document_id, uri in sorted({**kept, **rows}.items()):
            files.setdefault(uri, []).append(document_id)
        return json.dumps(files, ensure_ascii=False, sort_keys=True) if files else ""

    def place(self, path: Path) -> str:
        """Where a file really lies, links among its folders followed."""
        folder, name = os.path.split(path.absolute())
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        return _prefix(real) + name

    def _place(self, uri: str) -> str:
        return self.place(Path(_path(uri)))

    def _gone(self, uri: str) -> bool:
        if uri not in self._lost:
            self._lost[uri] = _gone(_path(uri))
        return self._lost[uri]


def _gone(path: str) -> bool:
    """Whether there is no file any more; one that cannot be looked at may well be there."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _path(uri: str) -> str:
    path = urlsplit(uri).path
    return url2pathname(path) if os.name == "nt" else os.fsdecode(unquote_to_bytes(path))


def _name(document_id: str, url: str) -> str:
    """The name of a document's file, empty where its id does not tell."""
    _, _, fragment = url.partition("#")
    number = f"#{fragment.removeprefix('row=')}"
    if not fragment:
        return document_id
    return document_id.removesuffix(number) if document_id.endswith(number) else ""


def _prefix(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


def below(paths: Iterable[str], folder: Path) -> bool:
    """Whether one of some places is below a folder."""
    prefix = _prefix(os.path.realpath(folder))
    return any(path.startswith(prefix) for path in paths)
