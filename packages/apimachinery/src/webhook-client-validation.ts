import { fieldError } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { quote } from './go-text.ts'
import { isDNS1123Subdomain, isValidPortNum } from './name-format.ts'

const formatHint = '; desired format: https://host[/path]'
const urlPattern = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

export function validateWebhookURL(url: string, path: FieldPath): FieldErrorList {
  const syntaxError = findUrlSyntaxError(url)
  if (syntaxError !== undefined)
    return [fieldError.required(path, `url must be a valid URL: parse ${quote(url)}: ${syntaxError}${formatHint}`)]
  const [, scheme = '', authority = '', , query = '', fragment = ''] = urlPattern.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const errors: FieldErrorList = []
  const refuse = (value: string, detail: string): void => void errors.push(fieldError.invalid(path, value, detail))
  if (scheme.toLowerCase() !== 'https') refuse(scheme.toLowerCase(), `'https' is the only allowed URL scheme${formatHint}`)
  if (host === '') refuse(host, `host must be specified${formatHint}`)
  if (at >= 0) refuse(authority.slice(0, at), 'user information is not permitted in the URL')
  if (fragment !== '') refuse(fragment, 'fragments are not permitted in the URL')
  if (query !== '') refuse(query, 'query parameters are not permitted in the URL')
  return errors
}

/** Returns the error of Go's `net/url` for an invalid URL; undefined for a valid one. */
export function findUrlSyntaxError(url: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(url)) return 'net/url: invalid control character in URL'
  if (url.startsWith(':')) return 'missing protocol scheme'
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(url)?.[0]
  if (escape !== undefined) return `invalid URL escape ${quote(escape)}`
  const authority = urlPattern.exec(url)?.[2] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const port = /:([^:\]]*)$/.exec(host)
  if (port !== null && !/^[0-9]*$/.test(port[1]!)) return `invalid port ${quote(port[0])} after host`
  if (/[ "<>\\^`{|}]/.test(host)) return `invalid character ${quote(/[ "<>\\^`{|}]/.exec(host)![0])} in host name`
  return /^[^/?#:]*:/.test(url) && !urlPattern.exec(url)?.[1] ? 'first path segment in URL cannot contain colon' : undefined
}

/** The reference of a webhook to a service. */
export interface WebhookServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export function validateWebhookService(service: WebhookServiceReference, path: FieldPath): FieldErrorList {
  const { namespace, name, path: urlPath, port = 443 } = service
  const portErrors = isValidPortNum(port)
  return [
    // Like in kube-apiserver, the paths of these two errors are swapped.
    ...(namespace === '' ? [fieldError.required(path.child('name'))] : []),
    ...(name === '' ? [fieldError.required(path.child('namespace'))] : []),
    ...(portErrors.length > 0 ? [fieldError.invalid(path.child('port'), port, `port is not valid: ${portErrors.join(', ')}`)] : []),
    ...(urlPath === undefined ? [] : validatePath(urlPath, path.child('path'))),
  ]
}

function validatePath(text: string, path: FieldPath): FieldErrorList {
  const refuse = (detail: string): FieldErrorList => [fieldError.invalid(path, text, detail)]
  if (text === '' || text === '/') return []
  if (text === '//') return refuse('segment[0] may not be empty')
  const steps = text.slice(1).replace(/\/$/, '').split('/')
  return [
    ...(text.startsWith('/') ? [] : refuse("must start with a '/'")),
    ...steps.flatMap((step, i) =>
      step === ''
        ? refuse(`segment[${i}] may not be empty`)
        : isDNS1123Subdomain(step).flatMap((message) => refuse(`segment[${i}]: ${message}`)),
    ),
  ]
}
