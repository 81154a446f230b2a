import { measureUtf8Bytes, fieldError, isCIdentifier, isDNS1123Subdomain, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateCSIDriverName } from '@keelson/resources-core'

const maxPoolLength = 253
const maxIdLength = 32
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Validates the name of a pool: DNS subdomains separated by slashes. */
export function validatePoolName(name: string, path: FieldPath): FieldErrorList {
  if (name === '') return [fieldError.required(path)]
  const errors: FieldErrorList = measureUtf8Bytes(name) > maxPoolLength ? [fieldError.tooLong(path, maxPoolLength)] : []
  return [...errors, ...name.split('/').flatMap((segment) => createInvalidErrors(isDNS1123Subdomain(segment), segment, path))]
}

/** Validates a key: "identifier" or "domain/identifier". */
export function validateDeviceKey(name: string, path: FieldPath): FieldErrorList {
  const [first = '', second, ...more] = name.split('/')
  if (second === undefined) return validateIdentifier(first, path)
  if (more.length > 0) return []
  return [
    ...(first === '' ? [fieldError.invalid(path, '', 'the domain must not be empty')] : validateCSIDriverName(first, path)),
    ...(second === '' ? [fieldError.invalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ]
}

export function validateFullyQualifiedKey(name: string, path: FieldPath): FieldErrorList {
  const errors = validateDeviceKey(name, path)
  if (name.includes('/')) return errors
  return [...errors, fieldError.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')]
}

export function validateShareID(id: string | undefined, path: FieldPath): FieldErrorList {
  if (id === undefined || uuid.test(id)) return []
  const error = findUuidFormatError(id)
  if (error !== undefined) return [fieldError.invalid(path, id, `error validating uid: ${error}`)]
  const detail = 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
  return [fieldError.invalid(path, id, detail)]
}

function validateIdentifier(id: string, path: FieldPath): FieldErrorList {
  return [
    ...(measureUtf8Bytes(id) > maxIdLength ? [fieldError.tooLong(path, maxIdLength)] : []),
    ...createInvalidErrors(isCIdentifier(id), id, path),
  ]
}

const hyphened = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const unhyphened = /^[0-9a-f]{32}$/i
const urnPrefix = 'urn:uuid:'
const invalidFormat = 'invalid UUID format'

/** Returns the error of Go's `uuid.Parse` for an invalid text; undefined for a valid one. */
export function findUuidFormatError(text: string): string | undefined {
  switch (measureUtf8Bytes(text)) {
    case 36:
      return hyphened.test(text) ? undefined : invalidFormat
    case 36 + urnPrefix.length: {
      const prefix = text.slice(0, urnPrefix.length)
      if (prefix.toLowerCase() !== urnPrefix) return `invalid urn prefix: ${quote(prefix)}`
      return hyphened.test(text.slice(urnPrefix.length)) ? undefined : invalidFormat
    }
    case 38:
      if (!text.startsWith('{') || !text.endsWith('}')) return 'invalid bracketed UUID format'
      return hyphened.test(text.slice(1, -1)) ? undefined : invalidFormat
    case 32:
      return unhyphened.test(text) ? undefined : invalidFormat
    default:
      return `invalid UUID length: ${measureUtf8Bytes(text)}`
  }
}
