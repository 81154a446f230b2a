import { statSync } from 'node:fs'
import path from 'node:path'
import {
  aggregateFieldErrors,
  aggregateMessages,
  fieldError,
  newFieldPath,
  formatDuration,
  isDNS1123Subdomain,
  createVerbatimValue,
} from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { AuthorizationConfiguration, WebhookConfiguration } from './authorization-configuration.ts'

export interface AuthorizationConfigurationRules {
  /** Types of authorizers that the server implements. */
  readonly knownTypes: readonly string[]
  /** Returns the error of an expression that cannot be a match condition; undefined if it can be one. */
  readonly checkExpression: (expression: string) => string | undefined
  /** Types of authorizers that the file must contain. On a reload, those that it had when the server started. */
  readonly requiredTypes?: readonly string[] | undefined
}

/** Returns the problems of an authorization configuration as one message; undefined if there are none. */
export function findAuthorizationConfigurationError(
  configuration: AuthorizationConfiguration,
  rules: AuthorizationConfigurationRules,
): string | undefined {
  const errors = validateAuthorizers(configuration, rules)
  if (errors.length > 0) return aggregateFieldErrors(errors)
  const builtin = configuration.authorizers.filter(({ type }) => type !== 'Webhook')
  const problems = builtin
    .filter(({ type, name }) => name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`)
  const missing = (rules.requiredTypes ?? []).filter((type) => builtin.every((other) => other.type !== type)).toSorted()
  if (missing.length > 0) problems.push(`missing required types: [${missing.join(' ')}]`)
  return problems.length === 0 ? undefined : aggregateMessages(problems)
}

function validateAuthorizers({ authorizers }: AuthorizationConfiguration, rules: AuthorizationConfigurationRules): FieldErrorList {
  if (authorizers.length === 0) return [fieldError.required(newFieldPath('authorizers'), 'at least one authorization mode must be defined')]
  const [types, names] = [new Set<string>(), new Set<string>()]
  return authorizers.flatMap(({ type, name, webhook }, i): FieldErrorList => {
    const at = newFieldPath('authorizers').index(i)
    if (type === '') return [fieldError.required(at.child('type'), '')]
    if (!rules.knownTypes.includes(type)) return [fieldError.notSupported(at.child('type'), type, rules.knownTypes.toSorted())]
    if (types.has(type) && type !== 'Webhook') return [fieldError.duplicate(at.child('type'), type)]
    types.add(type)
    const errors = validateName(name, names, at.child('name'))
    names.add(name)
    if (type !== 'Webhook') {
      if (webhook !== undefined) errors.push(fieldError.invalid(at.child('webhook'), 'non-null', 'may only be specified when type=Webhook'))
    } else if (webhook === undefined) errors.push(fieldError.required(at.child('webhook'), 'required when type=Webhook'))
    else errors.push(...validateWebhook(webhook, at, rules))
    return errors
  })
}

function validateName(name: string, visited: ReadonlySet<string>, at: FieldPath): FieldErrorList {
  if (name === '') return [fieldError.required(at, '')]
  if (visited.has(name)) return [fieldError.duplicate(at, name)]
  const problems = isDNS1123Subdomain(name)
  return problems.length === 0 ? [] : [fieldError.invalid(at, name, `authorizer name is invalid: ${problems.join(', ')}`)]
}

function validateWebhook(webhook: WebhookConfiguration, at: FieldPath, rules: AuthorizationConfigurationRules): FieldErrorList {
  const errors: FieldErrorList = []
  const { timeoutMs, authorizedTtlMs, unauthorizedTtlMs, matchConditions } = webhook
  if (timeoutMs === 0) errors.push(fieldError.required(at.child('timeout'), ''))
  else if (timeoutMs > 30_000 || timeoutMs < 0) {
    errors.push(fieldError.invalid(at.child('timeout'), formatMilliseconds(timeoutMs), 'must be > 0s and <= 30s'))
  }
  if (authorizedTtlMs < 0) errors.push(fieldError.invalid(at.child('authorizedTTL'), formatMilliseconds(authorizedTtlMs), 'must be > 0s'))
  if (unauthorizedTtlMs < 0)
    errors.push(fieldError.invalid(at.child('unauthorizedTTL'), formatMilliseconds(unauthorizedTtlMs), 'must be > 0s'))
  const version = at.child('subjectAccessReviewVersion')
  errors.push(...requireOneOf(webhook.subjectAccessReviewVersion, ['v1', 'v1beta1'], version))
  const conditionVersion = at.child('matchConditionSubjectAccessReviewVersion')
  if (webhook.matchConditionSubjectAccessReviewVersion === '') {
    if (matchConditions.length > 0) errors.push(fieldError.required(conditionVersion, 'required if match conditions are specified'))
  } else errors.push(...requireOneOf(webhook.matchConditionSubjectAccessReviewVersion, ['v1'], conditionVersion))
  errors.push(...requireOneOf(webhook.failurePolicy, ['NoOpinion', 'Deny'], at.child('failurePolicy')))
  errors.push(...validateConnection(webhook, at.child('connectionInfo')))
  errors.push(...validateConditions(matchConditions, at.child('matchConditions'), rules))
  return errors
}

function requireOneOf(value: string, values: readonly string[], at: FieldPath): FieldErrorList {
  if (value === '') return [fieldError.required(at, '')]
  return values.includes(value) ? [] : [fieldError.notSupported(at, value, [...values])]
}

const inCluster = 'InClusterConfig'
const byFile = 'KubeConfigFile'

function validateConnection({ connectionInfo: { type, kubeConfigFile } }: WebhookConfiguration, at: FieldPath): FieldErrorList {
  const file = at.child('kubeConfigFile')
  switch (type) {
    case '':
      return [fieldError.required(at.child('type'), '')]
    case inCluster:
      return kubeConfigFile === undefined ? [] : [fieldError.invalid(file, kubeConfigFile, 'can only be set when type=KubeConfigFile')]
    case byFile:
      return kubeConfigFile === undefined || kubeConfigFile === '' ? [fieldError.required(file, '')] : validateFile(kubeConfigFile, file)
    default:
      // The error shows the whole struct, as in kube-apiserver.
      return [
        fieldError.notSupported(
          at.child('type'),
          createVerbatimValue(`{"Type":${JSON.stringify(type)},"KubeConfigFile":${JSON.stringify(kubeConfigFile ?? null)}}`),
          [inCluster, byFile],
        ),
      ]
  }
}

function validateFile(file: string, at: FieldPath): FieldErrorList {
  if (!path.isAbsolute(file)) return [fieldError.invalid(at, file, 'must be an absolute path')]
  try {
    return statSync(file).isFile() ? [] : [fieldError.invalid(at, file, 'must be a regular file')]
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'no such file or directory' : message
    return [fieldError.invalid(at, file, `error loading file: stat ${file}: ${reason}`)]
  }
}

const maxConditions = 64

function validateConditions(expressions: readonly string[], at: FieldPath, rules: AuthorizationConfigurationRules): FieldErrorList {
  if (expressions.length > maxConditions) return [fieldError.tooMany(at, expressions.length, maxConditions)]
  const visited = new Set<string>()
  return expressions.flatMap((expression, i) => {
    const path = at.index(i).child('expression')
    if (expression.trim() === '') return [fieldError.required(path, '')]
    if (visited.has(expression)) return [fieldError.duplicate(path, expression)]
    visited.add(expression)
    const problem = rules.checkExpression(expression)
    return problem === undefined ? [] : [fieldError.invalid(path, expression, problem)]
  })
}

function formatMilliseconds(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)))
}
