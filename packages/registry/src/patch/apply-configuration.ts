import { isJsonObject, runAfter, getErrorMessage, newBadRequest, refuseTooManyValues, pauseIfLong } from '@keelson/apimachinery'
import type { FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { ParsedYaml } from '@keelson/apimachinery/yaml'
import type { DecodedBody } from '../decode/body.ts'
import { splitIntoWarnings } from '../decode/document.ts'
import type { CborDecoder } from '../decode/document.ts'
import type { WriteOptions } from '../write/admission.ts'
import type { Configuration } from '../write/change.ts'
import type { WriteRoute } from '../write/route.ts'
import { newUnsupportedPatchError } from './apply-patch.ts'

interface AppliedWrite {
  readonly route: WriteRoute
  readonly context: RequestContext
  readonly options: WriteOptions
}

/**
 * Merges the configuration of a server-side apply into `live`, and records the owner of each field. Then converts and defaults the result.
 * Returns a promise only if the work takes long.
 */
export function applyConfiguration(
  { route, context, options }: AppliedWrite,
  configuration: Configuration,
  live: KubeObject | undefined,
): DecodedBody | Promise<DecodedBody> {
  const { fieldManager } = route
  if (fieldManager === undefined) throw newUnsupportedPatchError()
  const startTime = performance.now()
  const { config, check } = readConfiguration(configuration)
  return runAfter(pauseIfLong(startTime), () =>
    runAfter(fieldManager.applyInSteps(live, config, options.fieldManager, options.force), (object) => {
      check(options.fieldValidation, (text) => context.warn(text))
      return { object, withEmptyLists: undefined }
    }),
  )
}

interface AppliedConfiguration {
  readonly config: JsonObject
  /** Reports strict decoding errors. Called after the merge, because all other errors are reported first. */
  readonly check: (validation: FieldValidation, warn: (text: string) => void) => void
}

function readConfiguration(configuration: Configuration): AppliedConfiguration {
  if ('config' in configuration) return { config: configuration.config, check() {} }
  const { form, bytes, cbor, yaml } = configuration
  return form === 'cbor'
    ? decodeCborConfiguration(bytes, cbor!)
    : parseYamlConfiguration(yaml ?? (() => parseYaml(bytes)), bytes.byteLength)
}

/** Parses a YAML configuration. `length` is the size of the text in bytes. Throws 400 if the text is invalid. */
function parseYamlConfiguration(read: () => ParsedYaml, length: number): AppliedConfiguration {
  let parsed: ParsedYaml
  try {
    parsed = read()
  } catch (error) {
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${getErrorMessage(error)}`, { cause: error })
  }
  const { value, duplicates } = parsed
  refuseTooManyValues(value, length)
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number'
    const reason = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`
    throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${reason}`)
  }
  return {
    config: value ?? {},
    check(validation, warn) {
      for (const duplicate of validation === 'Ignore' ? [] : duplicates) {
        const message = `error converting YAML to JSON: ${duplicate}`
        if (validation === 'Strict') throw newBadRequest(`error strict decoding YAML: ${message}`)
        splitIntoWarnings(duplicate).forEach(warn)
      }
    },
  }
}

/**
 * Decodes a CBOR configuration. No strict decoding errors remain, because the decoder refuses duplicate keys. Throws 400 if the document is
 * invalid.
 */
function decodeCborConfiguration(body: Uint8Array, cbor: CborDecoder): AppliedConfiguration {
  let value: JsonValue
  try {
    value = cbor.decodeCbor(body)
  } catch (error) {
    throw newBadRequest(`error decoding CBOR: ${getErrorMessage(error)}`, { cause: error })
  }
  refuseTooManyValues(value, body.byteLength)
  if (isJsonObject(value)) return { config: value, check: () => {} }
  throw newBadRequest('error decoding CBOR: the document is not a map')
}
