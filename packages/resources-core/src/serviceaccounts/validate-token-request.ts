import type { TokenRequest } from '@keelson/api/authentication/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'

const minTokenAgeSeconds = 10 * 60
const defaultTokenAgeSeconds = 3600

export function setTokenRequestDefaults({ spec }: TokenRequest): void {
  spec.expirationSeconds ??= defaultTokenAgeSeconds
}

export function validateTokenRequest({ spec }: DeepReadonly<TokenRequest>): FieldErrorList {
  const seconds = spec.expirationSeconds ?? 0
  const path = newFieldPath('spec').child('expirationSeconds')
  if (seconds < minTokenAgeSeconds) return [fieldError.invalid(path, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > 2 ** 32) return [fieldError.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}
