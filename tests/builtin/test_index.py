from __future__ import annotations

from replaylab.builtin.index import Index
from replaylab.catalogue.loader import Catalogue
from replaylab.roles.simulator import render_system
from replaylab.roles.verifier import task_block
from replaylab.schema.model import ModelSettings
from tests.builtin.playing import changed

BOUND = ModelSettings(alias="x", model="x", observations="json_schema")
FREE = ModelSettings(alias="x", model="x")


def test_every_prompt_that_the_roles_build_leads_back_to_where_it_came_from(catalogue: Catalogue) -> None:
    index = Index(catalogue)
    for environment in catalogue.environments:
        for settings in (FREE, BOUND):
            assert index.environments(render_system(environment, settings)) == (environment,)
    for task in catalogue.tasks:
        found = catalogue.task(task.id)
        assert index.tasks(task.instruction) == (found,)
        assert index.judged(task_block(found.environment, task)) == found


def test_any_other_text_leads_nowhere(catalogue: Catalogue) -> None:
    index = Index(catalogue)
    text = catalogue.tasks[0].instruction + " "
    assert (index.environments(text), index.tasks(text), index.judged(text)) == ((), (), None)


def test_tasks_of_one_instruction_are_all_found(catalogue: Catalogue) -> None:
    first, second = catalogue.tasks[:2]
    index = Index(changed(catalogue, second.id, instruction=first.instruction))
    assert [found.task.id for found in index.tasks(first.instruction)] == [first.id, second.id]
