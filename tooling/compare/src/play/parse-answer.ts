import type { JsonValue } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { decodeProtobuf, protobuf } from '@keelson/tooling-e2e/encode-body'

/** An answer's body as a value, if it is one; else as text. */
export async function parseAnswer(type: string, bytes: Buffer): Promise<JsonValue> {
  if (type === protobuf) return fromProtobuf(bytes)
  const text = bytes.toString()
  // The words of its columns' descriptions are each server's own.
  if (type.includes('yaml') && /^kind: Table$/m.test(text)) return parseYaml(bytes).value
  if (!type.includes('json') && !text.startsWith('{')) return text
  return jsonOf(text) ?? linesOf(text) ?? text
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function linesOf(text: string): JsonValue | undefined {
  const stream = text
    .split('\n')
    .filter(Boolean)
    .map((line) => jsonOf(line))
  return stream.every((line) => line !== undefined) ? { stream } : undefined
}

async function fromProtobuf(bytes: Buffer): Promise<JsonValue> {
  try {
    return await decodeProtobuf(bytes)
  } catch {
    return bytes.toString('hex')
  }
}
