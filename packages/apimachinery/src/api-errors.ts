import { ApiError } from './api-error.ts'
import type { Reason } from './api-error.ts'
import { aggregateMessages, formatFieldErrorBody } from './field-error.ts'
import type { FieldErrorList } from './field-error.ts'
import { quote } from './go-text.ts'
import type { StatusCause, StatusDetails } from './meta.ts'
import type { GroupKind, GroupResource } from './names.ts'
import { groupKindString, groupResourceString } from './names.ts'

/** Builds the `details` of a Status from `name`, `group` and `kind`. Omits empty strings. */
function createDetails(gr: GroupResource, name: string, rest?: Pick<StatusDetails, 'causes' | 'retryAfterSeconds'>): StatusDetails {
  return {
    ...(name === '' ? undefined : { name }),
    ...(gr.group === '' ? undefined : { group: gr.group }),
    ...(gr.resource === '' ? undefined : { kind: gr.resource }),
    ...(rest?.causes?.length ? { causes: rest.causes } : undefined),
    ...(rest?.retryAfterSeconds ? { retryAfterSeconds: rest.retryAfterSeconds } : undefined),
  }
}

const noResource: GroupResource = { group: '', resource: '' }

export function newNotFound(gr: GroupResource, name: string): ApiError {
  return new ApiError({
    reason: 'NotFound',
    message: `${groupResourceString(gr)} ${quote(name)} not found`,
    details: createDetails(gr, name),
  })
}

export function newAlreadyExists(gr: GroupResource, name: string): ApiError {
  return new ApiError({
    reason: 'AlreadyExists',
    message: `${groupResourceString(gr)} ${quote(name)} already exists`,
    details: createDetails(gr, name),
  })
}

/** Builds the 409 for `generateName` when all generated names are already in use. */
export function newGenerateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): ApiError {
  return new ApiError({
    reason: 'AlreadyExists',
    message: `${groupResourceString(gr)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    details: createDetails(gr, name, { retryAfterSeconds }),
  })
}

export function newConflict(gr: GroupResource, name: string, message: string): ApiError {
  return new ApiError({
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${groupResourceString(gr)} ${quote(name)}: ${message}`,
    details: createDetails(gr, name),
  })
}

/** Builds the 409 for a server-side apply that would change fields of other managers. */
export function newApplyConflict(causes: readonly StatusCause[], message: string): ApiError {
  return new ApiError({ reason: 'Conflict', message, details: createDetails(noResource, '', { causes: [...causes] }) })
}

/**
 * Maximum length of a 422 message in characters. Some messages repeat a value in full. Without a limit, a response could become much larger than
 * its request.
 */
const maxInvalidLength = 1024 * 1024

/** Builds the 422 for an invalid object. Omits the errors that exceed the maximum size of a response. */
export function newInvalid(gk: GroupKind, name: string, errors: Readonly<FieldErrorList>): ApiError {
  const subject = `${groupKindString(gk)} ${quote(name)} is invalid`
  const causes: StatusCause[] = []
  const messages: string[] = []
  let length = 0
  for (const error of errors) {
    const message = formatFieldErrorBody(error)
    causes.push({ reason: error.type, message, ...(error.field === '' ? undefined : { field: error.field }) })
    messages.push(`${error.field}: ${message}`)
    length += message.length
    if (length > maxInvalidLength) break
  }
  return new ApiError({
    reason: 'Invalid',
    message: errors.length === 0 ? subject : `${subject}: ${aggregateMessages(messages)}`,
    details: createDetails({ group: gk.group, resource: gk.kind }, name, { causes }),
  })
}

export function newForbidden(gr: GroupResource, name: string, message: string): ApiError {
  const subject = groupResourceString(gr)
  const text =
    gr.group === '' && gr.resource === ''
      ? `forbidden: ${message}`
      : name === ''
        ? `${subject} is forbidden: ${message}`
        : `${subject} ${quote(name)} is forbidden: ${message}`
  return new ApiError({ reason: 'Forbidden', message: text, details: createDetails(gr, name) })
}

export function newUnauthorized(message = ''): ApiError {
  return new ApiError({ reason: 'Unauthorized', message: message === '' ? 'not authorized' : message })
}

export function newBadRequest(message: string, options?: { readonly cause?: unknown }): ApiError {
  return new ApiError({ reason: 'BadRequest', message, ...options })
}

export function newMethodNotSupported(gr: GroupResource, verb: string): ApiError {
  return new ApiError({
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind ${quote(groupResourceString(gr))}`,
    details: createDetails(gr, ''),
  })
}

export function newGone(message: string): ApiError {
  return new ApiError({ reason: 'Gone', message })
}

/** Builds the 410 for an expired resource version. Clients must list again. */
export function newResourceExpired(message: string): ApiError {
  return new ApiError({ reason: 'Expired', message })
}

export function newTimeout(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({ reason: 'Timeout', message: `Timeout: ${message}`, details: createDetails(noResource, '', { retryAfterSeconds }) })
}

export function newTooLargeResourceVersion(value: number | bigint, current: number | bigint, retryAfterSeconds: number): ApiError {
  return new ApiError({
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${value}, current: ${current}`,
    details: createDetails(noResource, '', {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds,
    }),
  })
}

export function newServerTimeout(gr: GroupResource, operation: string, retryAfterSeconds: number): ApiError {
  return new ApiError({
    reason: 'ServerTimeout',
    message: `The ${operation} operation against ${groupResourceString(gr)} could not be completed at this time, please try again.`,
    details: createDetails(gr, operation, { retryAfterSeconds }),
  })
}

export function newInternal(message: string, options?: { readonly cause?: unknown }): ApiError {
  return new ApiError({
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
    ...options,
  })
}

/** Builds an error without an API reason, by default with code 500. Its Status has only a message. */
export function newUnknownError(message: string, options?: { readonly code?: number; readonly cause?: unknown }): ApiError {
  return new ApiError({ reason: '', message, ...options })
}

export function newTooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({ reason: 'TooManyRequests', message, details: createDetails(noResource, '', { retryAfterSeconds }) })
}

export function newServiceUnavailable(message: string): ApiError {
  return new ApiError({ reason: 'ServiceUnavailable', message })
}

export function newRequestEntityTooLarge(message: string): ApiError {
  return new ApiError({ reason: 'RequestEntityTooLarge', message: `Request entity too large: ${message}` })
}

export function newNotAcceptable(supported: readonly string[]): ApiError {
  return new ApiError({ reason: 'NotAcceptable', message: `only the following media types are accepted: ${supported.join(', ')}` })
}

/** Builds the 406 for an object of a kind without a protobuf encoding, with the message that kube-apiserver uses for custom resources. */
export function newProtobufNotAcceptable(): ApiError {
  return new ApiError({
    reason: 'NotAcceptable',
    message:
      'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
  })
}

export function newUnsupportedMediaType(supported: readonly string[]): ApiError {
  return new ApiError({
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  })
}

const genericMessages: Readonly<Record<number, readonly [Reason, string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
}

export interface GenericServerResponseOptions {
  /** Plain-text body of the server's response. */
  readonly serverMessage?: string
  readonly retryAfterSeconds?: number
  /** True to add a status cause with the server's message. */
  readonly isUnexpectedResponse?: boolean
  readonly cause?: unknown
}

/** Builds an error from the HTTP status code of another server's response. `verb` is the HTTP method. */
export function newGenericServerResponse(
  code: number,
  verb: string,
  gr: GroupResource,
  name: string,
  options: GenericServerResponseOptions = {},
): ApiError {
  const { serverMessage = '', retryAfterSeconds, isUnexpectedResponse } = options
  let [reason, message] = decideGenericReason(code, verb, serverMessage)
  const resourceText = groupResourceString(gr)
  if (resourceText !== '') message = `${message} (${verb.toLowerCase()} ${resourceText}${name === '' ? '' : ` ${name}`})`
  const causes = isUnexpectedResponse ? [{ reason: 'UnexpectedServerResponse', message: serverMessage }] : []
  const details = createDetails(gr, name, { causes, ...(retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }) })
  return new ApiError({ reason, message, code, details, cause: options.cause })
}

function decideGenericReason(code: number, verb: string, serverMessage: string): [Reason | '', string] {
  if (code === 409 && verb === 'POST') return ['AlreadyExists', 'the server reported a conflict']
  const genericMessage = genericMessages[code]
  if (genericMessage !== undefined) return [...genericMessage]
  switch (code) {
    case 403:
      return ['Forbidden', serverMessage]
    case 406:
      return [
        'NotAcceptable',
        serverMessage === '' || serverMessage === 'unknown'
          ? 'the server was unable to respond with a content type that the client supports'
          : serverMessage,
      ]
    case 415:
      return ['UnsupportedMediaType', serverMessage]
  }
  if (code >= 500) return ['InternalError', `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`]
  return ['', `the server responded with the status code ${code} but did not return more information`]
}
