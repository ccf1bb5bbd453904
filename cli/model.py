"""A match function of one's own: `dxmatch suggest`, `label` and `labels` get labels of pairs, `train` learns from them, `audit` says what it relies on, `model` what a folder is."""

from typing import Annotated, Any

from .. import Loading, load
from ..auditing.result import check_folder
from ..features.compute import coverage_words
from ..labelling.suggestion import check_new_folder
from ..models.folder import check_target
from ..options import File
from ..training.card import print_training
from .command import Call, Output, Place, command, group


@command(given="pool")
def suggest(call: Call, *, output: Annotated[Output, check_new_folder]) -> dict[str, Any]:
    """Pick the pairs whose labels would teach most.

    Each expert gets a sheet to label blind. The folder holds sheets/ and, the same for Label Studio, label_studio/; key.csv, with the probabilities, is yours and not for the experts. dxmatch labels reads the filled sheets.

    Parameters
    ----------
    output : path
        The new folder for the sheets and their key.

    Examples
    --------
    dxmatch suggest pool.csv -n 200 -o round-1 --expert anna --expert ben --expert carl
    """
    found = call()
    found.save(output)
    print("\n".join(found.words()))
    print("Give each expert sheets/NAME.xlsx and sheets/INSTRUCTIONS.md; key.csv stays with you.")
    return {"folder": str(output), "pairs": len(found), **found.made_with}


@command(given="pairs")
def label(call: Call) -> None:
    """Label pairs here, one at a time.

    y, n, u (unsure), s (skip), b (back), ? (the criteria), q (quit), each with Enter. No model says anything. Every answer is kept at once; the same command goes on where you stopped.

    Examples
    --------
    dxmatch label pairs.csv -o labelled.csv --expert anna
    dxmatch label round-1 -o labelled.csv --expert anna
    """
    done = call()
    then = f"To train: dxmatch train {done.output} -o my-model"
    print(f"\n{done.words()}\n{'The same command goes on with what is open.' if done.open else then}")


@command(given="given", prints=".csv")
def labels(call: Call) -> None:
    """Read experts' filled sheets back, and say how far they agree.

    What they say becomes pairs that dxmatch train takes.

    Examples
    --------
    dxmatch labels round-1 -o labelled.csv --open-pairs ties.xlsx
    dxmatch labels anna.csv ben.csv -o labelled.csv
    """
    print("\n".join(call().words()))


@command(given="pairs")
def train(call: Call, *, output: Output, overwrite: bool = False) -> dict[str, Any]:
    """Train a match function on pairs that experts labelled.

    No reference diagnosis is on both sides of a split.

    Parameters
    ----------
    output : path
        The model folder to make.
    overwrite : bool
        Replace the model that stands there.

    Examples
    --------
    dxmatch train labelled.csv -o my-model --held-out held_out.csv
    """
    check_target(output, overwrite=overwrite)
    m = call(about={"name": output.resolve().name, **call.given.get("about", {})})
    m.save(output, overwrite=overwrite)
    print_training(m, output)
    print(coverage_words(m.data["coverage"]))
    return {"model": output, "identity": m.identity, "threshold": m.threshold, "metrics": m.metrics, "data": m.data}


@command(given="pairs")
def audit(call: Call, *, output: Annotated[Output, check_folder], charts: Place = None) -> None:
    """Say what a match function relies on.

    SHAP values, importance, correlation, each feature alone, errors by kind: one page and its tables.

    Parameters
    ----------
    output : path
        The folder for audit.html, audit.json and CSV files.
    charts : path
        A folder for each chart as PNG and SVG.

    Examples
    --------
    dxmatch audit held_out.csv --matcher my-model -o audit
    """
    call.deliver(call())
    print(f"Open the page: {(output / 'audit.html').resolve()}")


@group
def model() -> None:
    """A model folder: what it is, what it would open, the Hugging Face hub."""


@command(given="model", of=model)
def show(call: Call, model: str | None = None, *, allow_download: bool = False) -> None:
    """Verify a folder's hashes, and say what it is and what it would open beside itself; nothing of that is opened.

    Parameters
    ----------
    model : str
        A model folder, or OWNER/NAME@COMMIT of the Hugging Face hub; the shipped model if not given.
    allow_download : bool
        The hub may be asked for it.

    Examples
    --------
    dxmatch model show my-model
    """
    m = load(model, loading=Loading(allow_download=allow_download))
    print(f"{m.identity}   as reports name it")
    print(f"{m.identities[-1]}   the whole folder (SHA-256 of model.json)")
    if m.fetched_from is not None:
        print(f"{m.fetched_from}   on the Hugging Face hub")
    print("".join(f"{line}\n" for line in m.features.opens()), end="")


@command(given="folder name", of=model)
def push(
    call: Call, folder: File, name: str, *, public: bool = False, branch: str | None = None, message: str | None = None
) -> None:
    """Write a model folder, once its hashes fit, to the Hugging Face hub; private unless told otherwise.

    You must be logged in there: hf auth login, or the variable HF_TOKEN.

    Parameters
    ----------
    folder : path
        A model folder.
    name : str
        The repository, OWNER/NAME; it is made where it is absent.
    public : bool
        Everybody may read it. A card and its warnings may quote what the model was trained on.
    branch : str
        A branch that is there; main if not given.
    message : str
        Of the commit.

    Examples
    --------
    dxmatch model push my-model my-clinic/my-model
    """
    made = load(folder).push_to_hub(name, private=not public, branch=branch, message=message)
    print(f"{folder} is on the hub. It is loaded as --matcher {made}, or dxmatch.load({made!r}).")
