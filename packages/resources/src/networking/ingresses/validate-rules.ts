import type { HTTPIngressPath, IngressRule, IngressRuleValue } from '@keelson/api/networking/v1'
import { fieldError, isDNS1123Subdomain, isWildcardDNS1123Subdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'
import { validateBackend } from './validate-backend.ts'
import { rejectIPAddress } from './validate-status.ts'

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F']
const forbiddenSuffixes = ['/..', '/.']

/** Validates a host: a DNS name, optionally with a leading `*.`. */
export function validateHost(host: string, path: FieldPath): FieldErrorList {
  return createInvalidErrors(host.includes('*') ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host), host, path)
}

export function validateRules(
  rules: readonly DeepReadonly<IngressRule>[],
  path: FieldPath,
  { allowInvalidWildcardRules }: { readonly allowInvalidWildcardRules: boolean },
): FieldErrorList {
  return rules.flatMap((rule, i) => {
    const { host = '' } = rule
    const at = path.index(i)
    return [
      ...(host === '' ? [] : [...rejectIPAddress(host, at.child('host')), ...validateHost(host, at.child('host'))]),
      ...(allowInvalidWildcardRules && host.includes('*') ? [] : validateRuleValue(rule, at)),
    ]
  })
}

export function validateRuleValue({ http }: DeepReadonly<IngressRuleValue>, path: FieldPath): FieldErrorList {
  if (http === undefined) return []
  const paths = http.paths ?? []
  const pathsPath = path.child('http', 'paths')
  return [
    ...(paths.length === 0 ? [fieldError.required(pathsPath)] : []),
    ...paths.flatMap((httpPath, i) => validatePath(httpPath, pathsPath.index(i))),
  ]
}

function validatePath({ path = '', pathType, backend }: DeepReadonly<HTTPIngressPath>, at: FieldPath): FieldErrorList {
  if (pathType === null || pathType === undefined) return [fieldError.required(at.child('pathType'), 'pathType must be specified')]
  return [...validatePathText(path, pathType, at), ...validateBackend(backend, at.child('backend'))]
}

function validatePathText(path: string, pathType: string, at: FieldPath): FieldErrorList {
  if (!pathTypes.includes(pathType)) return [fieldError.notSupported(at.child('pathType'), pathType, pathTypes)]
  const textPath = at.child('path')
  const reportInvalid = (detail: string): FieldErrorList => [fieldError.invalid(textPath, path, detail)]
  const notAbsolute = path.startsWith('/') ? [] : reportInvalid('must be an absolute path')
  if (pathType === 'ImplementationSpecific') return path === '' ? [] : notAbsolute
  return [
    ...notAbsolute,
    ...forbiddenSequences.flatMap((part) => (path.includes(part) ? reportInvalid(`must not contain '${part}'`) : [])),
    ...forbiddenSuffixes.flatMap((end) => (path.endsWith(end) ? reportInvalid(`cannot end with '${end}'`) : [])),
  ]
}
