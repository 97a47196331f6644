"""GraphQL Code Generator: TypeScript from an example's schema and operations."""

import shutil
from pathlib import Path

import pytest

from tablefold import Gateway
from tests.clients.scripts import HERE, MODULES, node, output_of
from tests.harness.examples import MODELS, OPERATIONS


def generated(example: str, project: Path) -> Path:
    """A project of `codegen/`, with what the generator makes in it."""
    gateway: Gateway = MODELS[example].gateway
    assert gateway.operations is not None
    program = node()
    shutil.copytree(HERE / "codegen", project)
    shutil.copytree(gateway.operations, project / "operations")
    (project / "schema.graphql").write_text(gateway.sdl(), encoding="utf-8")
    (project / "node_modules").symlink_to(MODULES)
    generator = MODULES / "@graphql-codegen" / "cli" / "esm" / "bin.js"
    output_of(program, str(generator), "--config", "codegen.ts", cwd=project)
    return project


def checked(project: Path) -> None:
    output_of(node(), str(MODULES / "typescript" / "bin" / "tsc"), cwd=project)


@pytest.fixture(scope="module", params=list(MODELS))
def example(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def project(example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(example, tmp_path_factory.mktemp(example) / "project")


def test_typescript_accepts_what_is_generated(project: Path, example: str):
    if example != "shop":
        (project / "use.ts").unlink()  # it uses the shop's operations
    checked(project)


def test_each_operation_has_a_document_with_types(project: Path, example: str):
    text = (project / "generated" / "graphql.ts").read_text()
    operations = [one for one in OPERATIONS if one.example == example]
    assert text.count("Document = {") == len(operations)
    assert ": any" not in text


def test_the_documents_it_writes_are_trusted_by_a_gateway(project: Path, example: str):
    written = project / "generated" / "persisted-documents.json"
    model = MODELS[example]
    gateway = Gateway(
        model.table,
        query=getattr(model, "Query", None),
        mutation=getattr(model, "Mutation", None),
        generated=True,
        documents=written,
    )
    assert len(gateway.trusted.known) == len([one for one in OPERATIONS if one.example == example])
