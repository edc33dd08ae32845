// ai-check.mjs FILE: the real AI SDK takes these messages as they are and makes a model's prompt of them.
import { readFileSync } from "node:fs";
import { convertToModelMessages, safeValidateUIMessages } from "ai";

const messages = JSON.parse(readFileSync(process.argv[2], "utf8"));
const valid = await safeValidateUIMessages({ messages });
if (!valid.success) throw valid.error;
console.log((await convertToModelMessages(messages)).length);
