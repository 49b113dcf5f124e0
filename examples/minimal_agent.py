"""The smallest agent of one's own: it asks an LLM what to do next, and does it."""

import json


def act(task, tools, call):
    client = task.client()
    messages = [{"role": "system", "content": task.system}, {"role": "user", "content": task.instruction}]
    while True:
        said = client.chat.completions.create(model="scripted:careful", messages=messages, tools=tools)
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for one in message.tool_calls:
            seen = call(one.function.name, one.function.arguments)
            messages.append({"role": "tool", "tool_call_id": one.id, "content": json.dumps(seen)})
