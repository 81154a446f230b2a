import type { IngressClass, IngressClassParametersReference } from '@keelson/api/networking/v1'
import {
  measureUtf8Bytes,
  fieldError,
  newFieldPath,
  isDNS1123Subdomain,
  nameIsDNSLabel,
  formatRegexMessage,
  validateImmutableField,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'
import { validateReference } from '../ingresses/validate-backend.ts'

type ReadonlyClass = DeepReadonly<IngressClass>

const maxControllerLength = 250
const scopes = ['Cluster', 'Namespace']
const controllerPath = newFieldPath('spec', 'controller')
const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const pathPattern = new RegExp(`^${pathFormat}$`)

export function validateIngressClass({ spec = {} }: ReadonlyClass): FieldErrorList {
  const { controller = '', parameters } = spec
  return [
    ...(measureUtf8Bytes(controller) > maxControllerLength ? [fieldError.tooLong(controllerPath, maxControllerLength)] : []),
    ...validateDomainPrefixedPath(controller, controllerPath),
    ...(parameters === undefined ? [] : validateParameters(parameters, newFieldPath('spec', 'parameters'))),
  ]
}

export function validateIngressClassUpdate(ingressClass: ReadonlyClass, old: ReadonlyClass): FieldErrorList {
  return [
    ...validateImmutableField(ingressClass.spec?.controller ?? '', old.spec?.controller ?? '', controllerPath),
    ...validateIngressClass(ingressClass),
  ]
}

/** Validates a path with a domain, like "example.com/any/path". */
function validateDomainPrefixedPath(text: string, path: FieldPath): FieldErrorList {
  if (text === '') return [fieldError.required(path)]
  const slash = text.indexOf('/')
  const domain = text.slice(0, Math.max(0, slash))
  const name = text.slice(slash + 1)
  if (domain === '' || name === '') return [fieldError.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const errors = createInvalidErrors(isDNS1123Subdomain(domain), domain, path)
  if (!pathPattern.test(name)) errors.push(fieldError.invalid(path, name, formatRegexMessage('Invalid path', pathFormat)))
  return errors
}

function validateParameters(parameters: DeepReadonly<IngressClassParametersReference>, path: FieldPath): FieldErrorList {
  return [...validateReference(parameters, path), ...validateScope(parameters, path)]
}

function validateScope({ scope, namespace }: DeepReadonly<IngressClassParametersReference>, path: FieldPath): FieldErrorList {
  const scopePath = path.child('scope')
  const namespacePath = path.child('namespace')
  if (scope === null || scope === undefined) return [fieldError.required(scopePath)]
  if (!scopes.includes(scope)) return [fieldError.notSupported(scopePath, scope, scopes)]
  if (scope === 'Cluster')
    return namespace === undefined ? [] : [fieldError.forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'")]
  if (namespace === undefined) return [fieldError.required(namespacePath, "`parameters.scope` is set to 'Namespace'")]
  return createInvalidErrors(nameIsDNSLabel(namespace, false), namespace, namespacePath)
}
