// Uses the openai package of Node in the usual ways; prints what it got. Its address is OPENAI_BASE_URL.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.env.CLIENTS_NODE + "/"));
const { OpenAI, toFile } = require("openai");

const client = new OpenAI();
const say = (text) => ({ model: "m-1", messages: [{ role: "user", content: text }] });
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
const all = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};
const streamed = async (text, more = {}) =>
  all(await client.chat.completions.create({ ...say(text), stream: true, ...more }));

const found = [await client.chat.completions.create(say("one"))];
found.push(await streamed("two"), await streamed("tools", { tools }));
found.push(await client.chat.completions.create({ ...say("tools"), tools }));
found.push(await client.chat.completions.create(say("again")));
found.push(await client.responses.create({ model: "m-1", input: "three" }));
found.push(await all(await client.responses.create({ model: "m-1", input: "four", stream: true })));
found.push(await client.embeddings.create({ model: "e", input: "five" }));
found.push((await client.models.list()).data);
const file = await toFile(Buffer.from([...Array(256).keys()]), "a.bin");
found.push(await client.files.create({ file, purpose: "batch" }));
found.push(await Promise.all([...Array(8).keys()].map((number) => streamed(`n ${number}`))));
console.log(JSON.stringify(found));
