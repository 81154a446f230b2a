import { newBadRequest } from '@keelson/apimachinery'
import type { FieldValidation, JsonObject } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { messageOf, warningsOf } from './decode-document.ts'

export interface AppliedConfiguration {
  readonly config: JsonObject
  /** What a strict reader has against the document; after all else that may be wrong with it. */
  readonly check: (validation: FieldValidation, warn: (text: string) => void) => void
}

/** The body of server-side apply. Throws 400. */
export function readConfiguration(body: Uint8Array): AppliedConfiguration {
  let parsed: ReturnType<typeof parseYaml>
  try {
    parsed = parseYaml(body)
  } catch (error) {
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`, { cause: error })
  }
  const { value, duplicates } = parsed
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
