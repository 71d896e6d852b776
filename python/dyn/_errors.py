"""What can go wrong, as exceptions."""


class Error(Exception):
    """The base of all errors of this package."""


class ModelError(Error):
    """A file is no model or artefact that can be used here, or an input does not exist or has another element type."""


class CompileError(Error):
    """A model can't be compiled; the text names the nodes and says why."""


class ShapeError(Error):
    """Sizes, or indices in data, that a model does not allow; the text names input, dim, symbol and values."""
