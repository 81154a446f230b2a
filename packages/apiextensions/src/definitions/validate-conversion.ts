import { X509Certificate } from 'node:crypto'
import { fieldError, isDNS1035Label, parsePemBlocks, validateWebhookService, validateWebhookURL } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { Definition } from './hub-spec.ts'

type Conversion = NonNullable<Definition['spec']['conversion']>

/** The rules that a stored definition already violates are not applied to its updates. */
export interface ConversionRules {
  /** Whether the webhook must support a version of ConversionReview that the server supports. */
  readonly requiresKnownReviewVersion: boolean
  readonly allowsInvalidCABundle: boolean
}

/** Validates how objects are converted. Error messages use the field names of kube-apiserver's internal type. */
export function validateConversion(conversion: Conversion, path: FieldPath, rules: ConversionRules): FieldErrorList {
  const { strategy, webhook } = conversion
  const errors = validateStrategy(strategy, path.child('strategy'))
  const clientPath = path.child('webhookClientConfig')
  const versionsPath = path.child('conversionReviewVersions')
  const versions = webhook?.conversionReviewVersions ?? []
  if (strategy === 'Webhook') {
    return [
      ...errors,
      ...validateClient(webhook?.clientConfig, clientPath, rules.allowsInvalidCABundle),
      ...validateReviewVersions(versions, versionsPath, rules.requiresKnownReviewVersion),
    ]
  }
  const detail = 'should not be set when strategy is not set to Webhook'
  if (webhook?.clientConfig !== undefined) errors.push(fieldError.forbidden(clientPath, detail))
  if (versions.length > 0) errors.push(fieldError.forbidden(versionsPath, detail))
  return errors
}

function validateStrategy(strategy: string, path: FieldPath): FieldErrorList {
  if (strategy === '') return [fieldError.required(path)]
  return strategy === 'None' || strategy === 'Webhook' ? [] : [fieldError.notSupported(path, strategy, ['None', 'Webhook'])]
}

function validateClient(
  client: NonNullable<Conversion['webhook']>['clientConfig'],
  path: FieldPath,
  allowsInvalidCABundle: boolean,
): FieldErrorList {
  if (client === undefined) return [fieldError.required(path, 'required when strategy is set to Webhook')]
  const { url, service, caBundle = '' } = client
  const errors: FieldErrorList = []
  if ((url === undefined) === (service === undefined)) errors.push(fieldError.required(path, 'exactly one of url or service is required'))
  else if (url !== undefined) errors.push(...validateWebhookURL(url, path.child('url')))
  else if (service !== undefined) errors.push(...validateWebhookService(service, path.child('service')))
  const problem = caBundle === '' || allowsInvalidCABundle ? undefined : findCABundleProblem(caBundle)
  if (problem !== undefined) errors.push(fieldError.invalid(path.child('caBundle'), caBundle, problem))
  return errors
}

const knownReviewVersions = ['v1', 'v1beta1']

export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => knownReviewVersions.includes(version))
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, requiresKnown: boolean): FieldErrorList {
  if (versions.length === 0) return [fieldError.required(path)]
  const errors: FieldErrorList = []
  const visited = new Set<string>()
  for (const [i, version] of versions.entries()) {
    const at = path.index(i)
    if (visited.has(version)) errors.push(fieldError.invalid(at, version, 'duplicate version'))
    else for (const message of isDNS1035Label(version)) errors.push(fieldError.invalid(at, version, message))
    visited.add(version)
  }
  if (requiresKnown && !hasKnownReviewVersion(versions)) {
    errors.push(fieldError.invalid(path, versions, `must include at least one of ${knownReviewVersions.join(', ')}`))
  }
  return errors
}

/** Returns the error of client-go for a CA bundle in Base64 without a valid certificate; undefined for a valid bundle. */
export function findCABundleProblem(caBundle: string): string | undefined {
  const blocks = parsePemBlocks(Buffer.from(caBundle, 'base64').toString('latin1')).filter(({ label }) => label === 'CERTIFICATE')
  if (blocks.some(({ text }) => isCertificate(text))) return undefined
  const reason = blocks.length === 0 ? 'unable to parse bytes as PEM block' : 'failed to parse certificate: x509: malformed certificate'
  return `unable to load root certificates: ${reason}`
}

function isCertificate(pem: string): boolean {
  try {
    void new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}
