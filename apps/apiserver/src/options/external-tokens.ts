import type { ServerChainOptions } from '@keelson/control-plane'
import { duration, file, list, oneOf, pairs, text } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { existing } from './flag-files.ts'

const group = 'Tokens of other servers'
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** Names and defaults are kube-apiserver's. */
export const externalTokenFlags = {
  'authentication-config': {
    group,
    type: file(),
    help: 'File with an AuthenticationConfiguration: identity providers in place of --oidc-*, and who may be anonymous. Identity providers are reloaded when it changes.',
  },
  'oidc-issuer-url': { group, type: text(), help: 'URL of an OpenID Connect provider, https only. Its tokens authenticate users.' },
  'oidc-client-id': { group, type: text(), help: 'Client ID that tokens of the provider must be for. Needed with --oidc-issuer-url.' },
  'oidc-ca-file': { group, type: file(), help: 'File with the authorities of the provider, PEM. Default: those of the system.' },
  'oidc-username-claim': { group, type: text(), help: 'Claim with the user name. Default sub.' },
  'oidc-username-prefix': {
    group,
    type: text(),
    help: 'Prefix of user names. "-" for none. Default: the URL of the issuer and "#", and none for the claim email.',
  },
  'oidc-groups-claim': { group, type: text(), help: 'Claim with the groups, a string or a list of strings.' },
  'oidc-groups-prefix': { group, type: text(), help: 'Prefix of groups.' },
  'oidc-signing-algs': {
    group,
    type: list(),
    help: `Algorithms that sign tokens of the provider: ${algorithms.join(', ')}. Default RS256.`,
  },
  'oidc-required-claim': {
    group,
    type: pairs(),
    help: 'Claim that tokens must have, and its value: key=value. May be given several times.',
  },
  'authentication-token-webhook-config-file': {
    group,
    type: file(),
    help: 'File with the address and credentials of a webhook that reviews tokens, a kubeconfig.',
  },
  'authentication-token-webhook-version': {
    group,
    type: oneOf('v1', 'v1beta1'),
    help: 'Version of TokenReview that the webhook gets. Default v1beta1.',
  },
  'authentication-token-webhook-cache-ttl': {
    group,
    type: duration(),
    help: 'How long answers of the webhook are kept. 0 keeps none. Default 2m.',
  },
} as const

type Values = FlagValuesOf<typeof externalTokenFlags>
type Authentication = NonNullable<ServerChainOptions['authentication']>

export async function externalTokenOptions(
  values: Values,
  problems: Problems,
): Promise<Pick<Authentication, 'configFile' | 'oidc' | 'tokenWebhook'>> {
  const configFile = await existing('authentication-config', values['authentication-config'], problems)
  const kubeconfigFile = await existing(
    'authentication-token-webhook-config-file',
    values['authentication-token-webhook-config-file'],
    problems,
  )
  const version = values['authentication-token-webhook-version']
  const cacheTtlMs = values['authentication-token-webhook-cache-ttl']
  const oidc = await oidcOptions(values, problems)
  return {
    ...(configFile && { configFile }),
    ...(oidc && { oidc }),
    ...(kubeconfigFile && {
      tokenWebhook: { kubeconfigFile, ...(version && { version }), ...(cacheTtlMs !== undefined && { cacheTtlMs }) },
    }),
  }
}

async function oidcOptions(values: Values, problems: Problems): Promise<Authentication['oidc']> {
  const given = Object.entries(values).some(([name, value]) => name.startsWith('oidc-') && value !== undefined)
  if (!given) return undefined
  if (values['authentication-config'] !== undefined) {
    problems.usage('authentication-config file and oidc-* flags are mutually exclusive')
    return undefined
  }
  const { 'oidc-issuer-url': issuerUrl = '', 'oidc-client-id': clientId = '', 'oidc-signing-algs': signingAlgorithms } = values
  if (issuerUrl === '' || clientId === '') {
    problems.usage('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set')
    return undefined
  }
  for (const algorithm of signingAlgorithms ?? []) {
    if (!algorithms.includes(algorithm)) problems.usage(`oidc: unsupported signing alg: ${JSON.stringify(algorithm)}`)
  }
  const authorityFile = await existing('oidc-ca-file', values['oidc-ca-file'], problems)
  const optional = {
    usernameClaim: values['oidc-username-claim'],
    usernamePrefix: values['oidc-username-prefix'],
    groupsClaim: values['oidc-groups-claim'],
    groupsPrefix: values['oidc-groups-prefix'],
    signingAlgorithms,
    requiredClaims: values['oidc-required-claim'] && Object.fromEntries(values['oidc-required-claim']),
    authorityFile,
  }
  return { issuerUrl, clientId, ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) }
}
