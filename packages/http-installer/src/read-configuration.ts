import { isJsonObject, newBadRequest, refuseTooManyValues } from '@keelson/apimachinery'
import type { FieldValidation, JsonObject, JsonValue } from '@keelson/apimachinery'
import type { ParsedYaml } from '@keelson/apimachinery/yaml'
import type { CborCodec } from './cbor/cbor-codec.ts'
import { messageOf, warningsOf } from './decode-document.ts'

export interface AppliedConfiguration {
  readonly config: JsonObject
  /** What a strict reader has against the document; after all else that may be wrong with it. */
  readonly check: (validation: FieldValidation, warn: (text: string) => void) => void
}

/** The body of server-side apply, of `length` bytes, which `read` reads. Throws 400. */
export function readConfiguration(read: () => ParsedYaml, length: number): AppliedConfiguration {
  let parsed: ParsedYaml
  try {
    parsed = read()
  } catch (error) {
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`, { cause: error })
  }
  const { value, duplicates } = parsed
  refuseTooManyValues(value, length)
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const given = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number'
    const why = `json: cannot unmarshal ${given} into Go value of type map[string]interface {}`
    throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
  }
  return {
    config: value ?? {},
    check(validation, warn) {
      for (const duplicate of validation === 'Ignore' ? [] : duplicates) {
        const message = `error converting YAML to JSON: ${duplicate}`
        if (validation === 'Strict') throw newBadRequest(`error strict decoding YAML: ${message}`)
        warningsOf(duplicate).forEach(warn)
      }
    },
  }
}

/** The same in CBOR. Keys that are set twice are refused by the codec, so that there is nothing left to check. */
export function cborConfiguration(body: Uint8Array, cbor: CborCodec): AppliedConfiguration {
  let value: JsonValue
  try {
    value = cbor.decodeCbor(body)
  } catch (error) {
    throw newBadRequest(`error decoding CBOR: ${messageOf(error)}`, { cause: error })
  }
  refuseTooManyValues(value, body.byteLength)
  if (isJsonObject(value)) return { config: value, check: () => {} }
  throw newBadRequest('error decoding CBOR: the document is not a map')
}
