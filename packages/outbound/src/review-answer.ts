import {
  createApiErrorFromStatus,
  isJsonObject,
  getErrorMessage,
  newGenericServerResponse,
  parseGroupVersion,
  parseJson,
} from '@keelson/apimachinery'
import type { JsonObject, JsonValue, Status } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { OutboundAnswer } from './outbound-request.ts'

/**
 * Returns the error of a request to a webhook, like that of client-go: the request failed, or the response is not a success or empty. Returns
 * undefined for a success.
 */
export function findAnswerError(answer: OutboundAnswer): Error | undefined {
  if (answer.failed) return new Error(describeFailure(answer), { cause: answer.error })
  const { status: code, body } = answer
  const contentType = answer.headers['content-type'] ?? ''
  if (code >= 200 && code <= 206) {
    if (body.length > 0) return undefined
    return new Error(`0-length response with status code: ${code} and content type: ${contentType || 'application/json'}`)
  }
  const text = body.toString('utf8')
  const status = parseStatus(text)
  if (status !== undefined) return createApiErrorFromStatus(status)
  // Bodies of other types are not meant for people. Like client-go, messages do not repeat them.
  const isText = (contentType === '' || contentType.startsWith('text/')) && text.trim() !== ''
  return newGenericServerResponse(code, 'POST', { group: '', resource: '' }, '', {
    serverMessage: isText ? text.trim().slice(0, 2048) : 'unknown',
    isUnexpectedResponse: true,
  })
}

function describeFailure({ error, message, partial = false }: OutboundAnswer & { failed: true }): string {
  if (!partial) return message
  return error.message.startsWith('stream error')
    ? `stream error when reading response body, may be caused by closed connection. Please retry. Original error: ${error.message}`
    : `unexpected error when reading response body. Please retry. Original error: ${error.message}`
}

function parseStatus(text: string): Status | undefined {
  if (!text.includes('"Status"')) return undefined
  try {
    const { value } = parseJson(text)
    return isJsonObject(value) && value['kind'] === 'Status' && value['status'] !== 'Success' ? (value as unknown as Status) : undefined
  } catch {
    return undefined
  }
}

/** The kind of review that a webhook has to return. */
export interface ExpectedReview {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Versions and kinds of the group that kube-apiserver knows in responses. Other kinds have another error message. */
  readonly versions: readonly string[]
  readonly kinds: readonly string[]
}

export type ParsedReview =
  | { readonly review: JsonObject; readonly problem?: undefined }
  /** kube-apiserver's error message. */
  | { readonly review?: undefined; readonly problem: string }

/** Parses the response of a webhook. An absent apiVersion or kind counts as the expected one. Does not check the members. */
export function parseReview(body: Buffer, expected: ExpectedReview): ParsedReview {
  let value: JsonValue
  try {
    value = parseBody(body.toString('utf8'))
  } catch (error) {
    return { problem: `couldn't get version/kind; json parse error: ${getErrorMessage(error)}` }
  }
  const review = value ?? {}
  if (!isJsonObject(review)) return { problem: describeTypeMetaProblem(formatJsonTypeProblem(value, '', typeMeta)) }
  for (const member of ['apiVersion', 'kind']) {
    const sent = review[member] ?? ''
    if (typeof sent !== 'string') return { problem: describeTypeMetaProblem(formatJsonTypeProblem(sent, `.${member}`, 'string')) }
  }
  const foreign = findForeignType(review, expected)
  return foreign === undefined ? { review } : { problem: foreign }
}

/** Maximum size of a response in YAML, in bytes. Parsing YAML takes much longer than parsing JSON. */
const maxYamlBytes = 64 * 1024

/** Parses the text. kube-apiserver also accepts YAML, so it reads a text that is not JSON, such as HTML, as YAML. */
function parseBody(text: string): JsonValue {
  if (/^\s*[[{"0-9tfn-]/.test(text)) return parseJson(text).value
  return text.length > maxYamlBytes ? text : parseYaml(text).value
}

function findForeignType(review: JsonObject, { group, version, kind, versions, kinds }: ExpectedReview): string | undefined {
  const expected = `${group}/${version}`
  const sent = { apiVersion: (review['apiVersion'] as string) || expected, kind: (review['kind'] as string) || kind }
  if (sent.apiVersion === expected && sent.kind === kind) return undefined
  const isKnown =
    sent.apiVersion === 'v1'
      ? sent.kind === 'Status'
      : versions.some((each) => sent.apiVersion === `${group}/${each}`) && kinds.includes(sent.kind)
  return isKnown
    ? `converting (${parseGroupVersion(sent.apiVersion).version}.${sent.kind}) to (${version}.${kind}): unknown conversion`
    : `no kind ${JSON.stringify(sent.kind)} is registered for version ${JSON.stringify(sent.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
}

/** The Go type in which kube-apiserver reads kind and apiVersion. */
const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function describeTypeMetaProblem(problem: string): string {
  return `couldn't get version/kind; json parse error: ${problem}`
}

/** Returns Go's message for a JSON value of the wrong type. `field` is "" for the whole value. */
export function formatJsonTypeProblem(value: JsonValue, field: string, goType: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
  const place = field === '' ? 'Go value' : `Go struct field ${field}`
  return `json: cannot unmarshal ${kind} into ${place} of type ${goType}`
}
