import { isApiError, maybeThen, newBadRequest, restAfter, strictDecodingMessage } from '@keelson/apimachinery'
import type { FieldValidation, KubeObject } from '@keelson/apimachinery'
import { decodeDocument, messageOf, notRegistered, warningsOf } from './decode-document.ts'
import type { SentBody, TypedDocument } from './decode-document.ts'
import { internalTypeName } from './internal-type-name.ts'
import { apiVersionOf } from './scope.ts'
import type { ResourceScope } from './scope.ts'

export interface DecodedBody {
  readonly object: KubeObject
  /** The same once more where lists that were sent empty still are, for who asks what was sent: storage cannot tell. */
  readonly sent: KubeObject | undefined
}

/** A body as an object of the scope's hub version: checked, defaulted and converted. Throws 400. */
export function decodeBody(scope: ResourceScope, body: SentBody, validation: FieldValidation, warn: (text: string) => void): DecodedBody {
  return bothToHub(scope, decodeTyped(scope, readDocument(scope, body), validation, warn))
}

/** The same, resting between steps that take long. */
export function decodeBodyInSteps(
  scope: ResourceScope,
  body: SentBody,
  validation: FieldValidation,
  warn: (text: string) => void,
): DecodedBody | Promise<DecodedBody> {
  const reading = performance.now()
  const document = readDocument(scope, body)
  return maybeThen(restAfter(reading), () => {
    const decoding = performance.now()
    const decoded = decodeTyped(scope, document, validation, warn)
    return maybeThen(restAfter(decoding), () => bothToHub(scope, decoded))
  })
}

function readDocument(scope: ResourceScope, body: SentBody): TypedDocument {
  try {
    return decodeDocument(body, scope.gvk)
  } catch (error) {
    if (isApiError(error)) throw error
    throw newBadRequest(
      `the object provided is unrecognized (must be of type ${scope.gvk.kind}): ${messageOf(error)} (${summarize(body.bytes)})`,
    )
  }
}

function bothToHub(scope: ResourceScope, { object, sent }: DecodedBody): DecodedBody {
  return { object: toHub(scope, object), sent: sent && toHub(scope, sent) }
}

/** Defaults are those of the version that was sent. */
export function toHub(scope: ResourceScope, object: KubeObject): KubeObject {
  object.metadata ??= {}
  scope.info.scheme.setDefaults(scope.gvk, object)
  return scope.info.scheme.toHub(scope.gvk, object)
}

function decodeTyped(
  scope: ResourceScope,
  document: TypedDocument,
  validation: FieldValidation,
  warn: (text: string) => void,
): DecodedBody {
  const { gvk } = document
  const fail = (message: string): Error =>
    newBadRequest(`${gvk.kind} in version ${JSON.stringify(gvk.version)} cannot be handled as a ${scope.gvk.kind}: ${message}`)
  const { scheme, types } = scope.info
  const type = types.kind(gvk)
  if (type === undefined) {
    throw fail(notRegistered(gvk))
  }
  let decoded: ReturnType<TypedDocument['decode']>
  try {
    decoded = document.decode(type, validation)
  } catch (error) {
    throw isApiError(error) ? error : fail(messageOf(error))
  }
  const hub = scheme.hubOf(gvk)
  if (gvk.kind !== scope.gvk.kind || (hub !== undefined && (hub.group !== scope.hub.group || hub.kind !== scope.hub.kind))) {
    throw fail(`converting (${gvk.version}.${gvk.kind}) to (${internalTypeName(scope)}): unknown conversion`)
  }
  if (decoded.strictErrors.length > 0) {
    if (validation === 'Strict') throw fail(strictDecodingMessage(decoded.strictErrors))
    if (validation === 'Warn') for (const error of decoded.strictErrors) for (const text of warningsOf(error)) warn(text)
  }
  const accepted = [scope.gvk, ...(scope.storage.alsoAccepts ?? [])]
  if (!accepted.some(({ group, version }) => gvk.group === group && gvk.version === version)) {
    throw newBadRequest(`the API version in the data (${apiVersionOf(gvk)}) does not match the expected API version (${scope.apiVersion})`)
  }
  const sent = decoded.emptied === true ? document.decode(type, 'Ignore', { keepEmptyLists: true }).object : undefined
  return { object: decoded.object, sent }
}

/** The beginning of a body: text when it looks like JSON, else hexadecimal. */
function summarize(body: Uint8Array): string {
  if (body.byteLength === 0) return '<empty>'
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(30, body.byteLength))
  return start.toString(body[0] === 0x7b ? 'latin1' : 'hex') + (body.byteLength > 30 ? ' ...' : '')
}
