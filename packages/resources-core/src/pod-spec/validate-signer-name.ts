import { measureUtf8Bytes, fieldError, isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

const maxDomain = 253
const maxName = 253 + 63 + 1

/** Validates the name of a certificate signer, like "example.com/signer". */
export function validateSignerName(signer: string, path: FieldPath): FieldErrorList {
  if (signer === '') return [fieldError.required(path)]
  const [domain = '', name, ...more] = signer.split('/')
  if (name === undefined || more.length > 0) {
    return [fieldError.invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  }
  const errors: FieldErrorList = measureUtf8Bytes(domain) > maxDomain ? [fieldError.tooLong(path, maxDomain)] : []
  errors.push(...validateSegments(domain, isDNS1123Label, path))
  if (!domain.includes('.')) {
    errors.push(fieldError.invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  }
  errors.push(...validateSegments(name, isDNS1123Subdomain, path))
  if (measureUtf8Bytes(name) > maxName) errors.push(fieldError.tooLong(path, maxName))
  return errors
}

/** Validates each segment of a dotted name. Reports only the first invalid segment. */
function validateSegments(text: string, rule: (segment: string) => readonly string[], path: FieldPath): FieldErrorList {
  for (const segment of text.split('.')) {
    const messages = rule(segment)
    if (messages.length > 0) return messages.map((message) => fieldError.invalid(path, text, `validating label "${segment}": ${message}`))
  }
  return []
}

export function isKubernetesSigner(signer: string): boolean {
  return /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signer)
}
