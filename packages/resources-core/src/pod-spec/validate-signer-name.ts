import { byteLength, fieldError, isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

const maxDomain = 253
const maxName = 253 + 63 + 1

/** "example.com/signer". */
export function validateSignerName(signer: string, path: FieldPath): FieldErrorList {
  if (signer === '') return [fieldError.required(path)]
  const [domain = '', name, ...more] = signer.split('/')
  if (name === undefined || more.length > 0) {
    return [fieldError.invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  }
  const errors: FieldErrorList = byteLength(domain) > maxDomain ? [fieldError.tooLong(path, maxDomain)] : []
  errors.push(...validateParts(domain, isDNS1123Label, path))
  if (!domain.includes('.')) {
    errors.push(fieldError.invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  }
  errors.push(...validateParts(name, isDNS1123Subdomain, path))
  if (byteLength(name) > maxName) errors.push(fieldError.tooLong(path, maxName))
  return errors
}

/** Only the first part that is wrong is spoken of. */
function validateParts(text: string, rule: (part: string) => readonly string[], path: FieldPath): FieldErrorList {
  for (const part of text.split('.')) {
    const messages = rule(part)
    if (messages.length > 0) return messages.map((message) => fieldError.invalid(path, text, `validating label "${part}": ${message}`))
  }
  return []
}

export function isKubernetesSigner(signer: string): boolean {
  return /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signer)
}
