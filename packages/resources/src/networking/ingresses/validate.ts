import type { Ingress, IngressTLS } from '@keelson/api/networking/v1'
import { fieldError, newFieldPath, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, printList } from '@keelson/resources-core'
import { validateBackend } from './validate-backend.ts'
import { validateHost, validateRules, validateRuleValue } from './validate-rules.ts'

type ReadonlyIngress = DeepReadonly<Ingress>

/** Deprecated annotation, replaced by `spec.ingressClassName`. */
export const classAnnotation = 'kubernetes.io/ingress.class'
const specPath = newFieldPath('spec')

interface RatchetingRules {
  readonly allowInvalidWildcardRules: boolean
  readonly allowInvalidSecretNames: boolean
}

export function validateIngressCreate(ingress: ReadonlyIngress): FieldErrorList {
  const errors = validateSpec(ingress, { allowInvalidWildcardRules: false, allowInvalidSecretNames: false })
  const annotation = ingress.metadata.annotations?.[classAnnotation]
  const className = ingress.spec?.ingressClassName
  if (annotation !== undefined && className !== undefined && annotation !== className) {
    const path = newFieldPath('annotations').child(classAnnotation)
    errors.push(fieldError.invalid(path, annotation, 'must match `ingressClassName` when both are specified'))
  }
  return errors
}

/**
 * Validates an update of an ingress. Stored wildcard rules and secret names that older servers did not validate stay valid (ratcheting).
 */
export function validateIngressUpdate(ingress: ReadonlyIngress, { spec = {} }: ReadonlyIngress): FieldErrorList {
  const { tls = [], rules = [] } = spec
  return validateSpec(ingress, {
    allowInvalidSecretNames: tls.some(({ secretName = '' }) => secretName !== '' && nameIsDNSSubdomain(secretName, false).length > 0),
    allowInvalidWildcardRules: rules.some((rule) => (rule.host ?? '').includes('*') && validateRuleValue(rule, newFieldPath()).length > 0),
  })
}

function validateSpec({ spec = {} }: ReadonlyIngress, ratcheting: RatchetingRules): FieldErrorList {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec
  const isEmpty = rules.length === 0 && defaultBackend === undefined
  return [
    ...(isEmpty ? [fieldError.invalid(specPath, printList(spec, 'rules'), 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, specPath.child('defaultBackend'))),
    ...validateRules(rules, specPath.child('rules'), ratcheting),
    ...validateTLS(tls, specPath.child('tls'), ratcheting),
    ...(ingressClassName === undefined
      ? []
      : createInvalidErrors(nameIsDNSSubdomain(ingressClassName, false), ingressClassName, specPath.child('ingressClassName'))),
  ]
}

function validateTLS(tls: readonly DeepReadonly<IngressTLS>[], path: FieldPath, ratcheting: RatchetingRules): FieldErrorList {
  return tls.flatMap(({ hosts = [], secretName = '' }, i) => {
    const at = path.index(i)
    const isChecked = secretName !== '' && !ratcheting.allowInvalidSecretNames
    return [
      ...hosts.flatMap((host, j) => validateHost(host, at.child('hosts').index(j))),
      ...(isChecked ? createInvalidErrors(nameIsDNSSubdomain(secretName, false), secretName, at.child('secretName')) : []),
    ]
  })
}
