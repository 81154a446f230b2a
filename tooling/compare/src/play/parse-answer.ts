import type { JsonValue } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { decodeProtobuf, protobuf } from '@keelson/tooling-e2e/encode-body'

/** Parses the body of a response. Returns text if the body is neither JSON nor protobuf of a known kind. */
export async function parseAnswer(type: string, bytes: Buffer): Promise<JsonValue> {
  if (type === protobuf) return fromProtobuf(bytes)
  const text = bytes.toString()
  // Parse YAML tables, so that the normalizer can ignore the descriptions of their columns.
  if (type.includes('yaml') && /^kind: Table$/m.test(text)) return parseYaml(bytes).value
  if (!type.includes('json') && !text.startsWith('{')) return text
  return parseJson(text) ?? parseLines(text) ?? text
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function parseLines(text: string): JsonValue | undefined {
  const stream = text
    .split('\n')
    .filter(Boolean)
    .map((line) => parseJson(line))
  return stream.every((line) => line !== undefined) ? { stream } : undefined
}

async function fromProtobuf(bytes: Buffer): Promise<JsonValue> {
  try {
    return await decodeProtobuf(bytes)
  } catch {
    return bytes.toString('hex')
  }
}
