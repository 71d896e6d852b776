"""What can go wrong, as exceptions."""


class Error(Exception):
    """The base of all errors of this package."""


class ModelError(Error):
    """A file is no model or artefact that can be used here, or an input does not exist or has another element type."""


class CompileError(ModelError):
    """A file is no model, or one that can't be compiled; the text names the nodes and says why."""


class PredicateError(Error, ValueError):
    """A question about sizes is no predicate over the symbols there are, or facts contradict each other."""


class ShapeError(Error):
    """Sizes, or indices in data, that a model does not allow; the text names input, dim, symbol and values."""
