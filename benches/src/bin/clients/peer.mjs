// The peer's side: reads a document, then one question a line; prints swagger-client's request for each.
import { readFileSync } from "node:fs";
import SwaggerClient from "swagger-client";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { spec } = await SwaggerClient.resolve({ spec: document, baseDoc: "https://docs.example.test/openapi.json" });

const questions = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
for (const question of questions) {
  console.log(JSON.stringify(await answer(question)));
}

// Bytes are objects of the browser there.
function native(value) {
  if (Array.isArray(value)) return value.map(native);
  if (value && typeof value === "object") {
    if (typeof value.$base64 === "string") {
      const type = value.contentType ?? "";
      return new File([Buffer.from(value.$base64, "base64")], value.filename ?? "blob", { type });
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, native(member)]));
  }
  return value;
}

async function answer(question) {
  try {
    const request = SwaggerClient.buildRequest({
      spec,
      pathName: question.path,
      method: question.method,
      operationId: SwaggerClient.helpers.opId(
        spec.paths[question.path][question.method], question.path, question.method),
      parameters: question.parameters,
      ...(question.hasBody
        ? { requestBody: native(question.body), requestContentType: question.contentType ?? undefined }
        : {}),
      contextUrl: question.contextUrl,
    });
    return { method: request.method, url: request.url, headers: request.headers ?? {}, ...(await body(request.body)) };
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

async function body(value) {
  if (value === undefined) return { kind: "none" };
  if (typeof value === "string") return { kind: "text", body: value };
  if (value instanceof Blob) return { kind: "bytes", body: await base64(value) };
  const name = value?.constructor?.name;
  if (typeof value?.entries === "function" && name !== "Object" && !Array.isArray(value)) {
    const parts = [];
    for (const [key, part] of value.entries()) {
      parts.push(part instanceof Blob
        ? { name: key, base64: await base64(part) }
        : { name: key, body: String(part) });
    }
    return { kind: "multipart", body: parts };
  }
  return { kind: "json", body: value };
}

async function base64(blob) {
  return Buffer.from(await blob.arrayBuffer()).toString("base64");
}
