import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from '@keelson/api/admissionregistration/v1'
import {
  fieldError,
  newFieldPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  repeatCheck,
  equalsSemantically,
  validateLabelSelector,
  validateWebhookService,
  validateWebhookURL,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { createInvalidErrors, validateSupported } from '@keelson/resources-core'
import { failurePolicies, matchPolicies, reinvocationPolicies } from './policies.ts'
import { validateMatchConditions } from './validate-match-conditions.ts'
import { validateRuleWithOperations } from './validate-rule.ts'

/** A validating or mutating webhook. */
export type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>
type Webhooks = readonly DeepReadonly<Webhook>[]

const webhooksPath = newFieldPath('webhooks')
const harmlessSideEffects = ['None', 'NoneOnDryRun']
const sideEffectClasses = ['None', 'NoneOnDryRun', 'Some', 'Unknown']
const reviewVersions = ['v1', 'v1beta1']

export function setWebhookDefaults(webhooks: readonly Webhook[]): void {
  for (const webhook of webhooks) {
    webhook.failurePolicy ??= 'Fail'
    webhook.matchPolicy ??= 'Equivalent'
    webhook.namespaceSelector ??= {}
    webhook.objectSelector ??= {}
    webhook.timeoutSeconds ??= 10
    setRuleDefaults(webhook.rules)
    const { service } = webhook.clientConfig
    if (service !== undefined) service.port ??= 443
  }
}

export function setRuleDefaults(rules: readonly RuleWithOperations[] = []): void {
  for (const rule of rules) rule.scope ??= '*'
}

/** Validates webhooks. On an update, values that `old` already had stay valid, even if a create would reject them (ratcheting). */
export function validateWebhooks(
  webhooks: Webhooks,
  { old, steps }: { readonly old?: Webhooks; readonly steps?: ValidationSteps | undefined } = {},
): FieldErrorList {
  const rules: WebhookRules = {
    sideEffects: (old ?? []).every(({ sideEffects }) => harmlessSideEffects.includes(sideEffects ?? ''))
      ? harmlessSideEffects
      : sideEffectClasses,
    requireKnownVersion: (old ?? []).every(({ admissionReviewVersions }) => hasKnownVersion(admissionReviewVersions ?? [])),
    allowInvalidLabelValue: (old ?? []).some(hasInvalidSelector),
    checkConditions: old === undefined || !haveSameConditions(webhooks, old),
    steps,
  }
  const oldNamesAreUnique = new Set((old ?? []).map(({ name }) => name)).size === (old ?? []).length
  const isRepeated = repeatCheck<string>()
  const errors: FieldErrorList = []
  for (const [i, webhook] of webhooks.entries()) {
    const path = webhooksPath.index(i)
    const { name, admissionReviewVersions } = webhook
    errors.push(...validateWebhook(webhook, rules, path))
    errors.push(...validateReviewVersions(admissionReviewVersions ?? [], rules, path.child('admissionReviewVersions')))
    if (oldNamesAreUnique && name !== '' && isRepeated(name)) errors.push(fieldError.duplicate(path.child('name'), name))
  }
  return errors
}

interface WebhookRules {
  readonly sideEffects: readonly string[]
  readonly requireKnownVersion: boolean
  readonly allowInvalidLabelValue: boolean
  readonly checkConditions: boolean
  readonly steps: ValidationSteps | undefined
}

function validateWebhook(webhook: DeepReadonly<Webhook>, rules: WebhookRules, path: FieldPath): FieldErrorList {
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds = 10, reinvocationPolicy, matchConditions = [] } = webhook
  const effectsPath = path.child('sideEffects')
  const isMissing = sideEffects === null || sideEffects === undefined
  const isValidTimeout = timeoutSeconds >= 1 && timeoutSeconds <= 30
  return [
    ...validateFullyQualifiedName(webhook.name, path.child('name')),
    ...(webhook.rules ?? []).flatMap((rule, i) => validateRuleWithOperations(rule, path.child('rules').index(i))),
    ...validateSupported(failurePolicy, failurePolicies, path.child('failurePolicy')),
    ...validateSupported(matchPolicy, matchPolicies, path.child('matchPolicy')),
    ...(isMissing
      ? [fieldError.required(effectsPath, `must specify one of ${rules.sideEffects.join(', ')}`)]
      : validateSupported(sideEffects, rules.sideEffects, effectsPath)),
    ...(isValidTimeout
      ? []
      : [fieldError.invalid(path.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'), rules),
    ...validateLabelSelector(webhook.objectSelector, path.child('objectSelector'), rules),
    ...validateSupported(reinvocationPolicy, reinvocationPolicies, path.child('reinvocationPolicy')),
    ...validateClientConfig(webhook, path.child('clientConfig')),
    ...(rules.checkConditions
      ? validateMatchConditions(matchConditions, { hasParams: false, steps: rules.steps }, path.child('matchConditions'))
      : []),
  ]
}

function validateClientConfig({ clientConfig: { url, service } }: DeepReadonly<Webhook>, path: FieldPath): FieldErrorList {
  if ((url === undefined) === (service === undefined)) return [fieldError.required(path, 'exactly one of url or service is required')]
  return url === undefined ? validateWebhookService(service!, path.child('service')) : validateWebhookURL(url, path.child('url'))
}

function validateFullyQualifiedName(name: string, path: FieldPath): FieldErrorList {
  if (name === '') return [fieldError.required(path)]
  const messages = isDNS1123Subdomain(name)
  if (messages.length > 0) return [fieldError.invalid(path, name, messages.join(','))]
  if (name.split('.').length >= 3) return []
  return [fieldError.invalid(path, name, 'should be a domain with at least three segments separated by dots')]
}

function validateReviewVersions(versions: readonly string[], { requireKnownVersion }: WebhookRules, path: FieldPath): FieldErrorList {
  const supported = reviewVersions.join(', ')
  if (versions.length === 0) return [fieldError.required(path, `must specify one of ${supported}`)]
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, version] of versions.entries()) {
    if (isRepeated(version)) errors.push(fieldError.invalid(path.index(i), version, 'duplicate version'))
    else errors.push(...createInvalidErrors(isDNS1035Label(version), version, path.index(i)))
  }
  if (requireKnownVersion && !hasKnownVersion(versions))
    errors.push(fieldError.invalid(path, versions, `must include at least one of ${supported}`))
  return errors
}

function hasKnownVersion(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version))
}

function hasInvalidSelector({ namespaceSelector, objectSelector }: DeepReadonly<Webhook>): boolean {
  return [namespaceSelector, objectSelector].some((selector) => validateLabelSelector(selector, newFieldPath()).length > 0)
}

function haveSameConditions(webhooks: Webhooks, old: Webhooks): boolean {
  return (
    webhooks.length === old.length && webhooks.every((webhook, i) => equalsSemantically(webhook.matchConditions, old[i]?.matchConditions))
  )
}
