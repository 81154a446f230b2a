import { fieldError, isDNS1123Subdomain, regexMessage } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { invalidEach } from '@keelson/resources-core'

const maxLength = 63
const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const pathPattern = new RegExp(`^${pathFormat}$`)

/** Validates the name of the controller in charge of the job, such as "example.com/controller". */
export function validateManagedBy(managedBy: string, path: FieldPath): FieldErrorList {
  const errors = validatePrefixedPath(managedBy, path)
  return Buffer.byteLength(managedBy) > maxLength ? [...errors, fieldError.tooLong(path, maxLength)] : errors
}

function validatePrefixedPath(text: string, path: FieldPath): FieldErrorList {
  if (text === '') return [fieldError.required(path)]
  const slash = text.indexOf('/')
  const [host, rest] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)]
  if (host === '' || rest === '') return [fieldError.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const errors = invalidEach(isDNS1123Subdomain(host), host, path)
  if (!pathPattern.test(rest)) errors.push(fieldError.invalid(path, rest, regexMessage('Invalid path', pathFormat)))
  return errors
}
