import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, createFileType, list, createChoiceType, createPairsType, createTextType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

const group = 'Tokens of other servers'
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** Flags for tokens of other systems: OpenID Connect and webhooks. Names and defaults are the same as in kube-apiserver. */
export const externalTokenFlags = {
  'authentication-config': {
    group,
    type: createFileType(),
    help: 'AuthenticationConfiguration file: identity providers, which replace --oidc-*, and settings for anonymous requests. Identity providers are reloaded when the file changes.',
  },
  'oidc-issuer-url': {
    group,
    type: createTextType(),
    help: 'URL of an OpenID Connect provider whose tokens authenticate users. It must start with https://.',
  },
  'oidc-client-id': {
    group,
    type: createTextType(),
    help: 'Client ID that must be in the audience of tokens of the provider. Required with --oidc-issuer-url.',
  },
  'oidc-ca-file': { group, type: createFileType(), help: 'PEM file with the CAs of the provider. Default: the CAs of the system.' },
  'oidc-username-claim': { group, type: createTextType(), help: 'Claim that contains the user name. Default sub.' },
  'oidc-username-prefix': {
    group,
    type: createTextType(),
    help: 'Prefix of user names. "-" means no prefix. Default: the URL of the issuer and "#", but no prefix if the claim is email.',
  },
  'oidc-groups-claim': { group, type: createTextType(), help: 'Claim that contains the groups, as a string or a list of strings.' },
  'oidc-groups-prefix': { group, type: createTextType(), help: 'Prefix of groups.' },
  'oidc-signing-algs': {
    group,
    type: list(),
    help: `Accepted signature algorithms of tokens of the provider: ${algorithms.join(', ')}. Default RS256.`,
  },
  'oidc-required-claim': {
    group,
    type: createPairsType(),
    help: 'Claim that tokens must have, with its value: key=value. May be given several times.',
  },
  'authentication-token-webhook-config-file': {
    group,
    type: createFileType(),
    help: 'Kubeconfig with the address and the credentials of a webhook that authenticates tokens.',
  },
  'authentication-token-webhook-version': {
    group,
    type: createChoiceType('v1', 'v1beta1'),
    help: 'API version of the TokenReview objects that are sent to the webhook. Default v1beta1.',
  },
  'authentication-token-webhook-cache-ttl': {
    group,
    type: createDurationType(),
    help: 'How long responses of the webhook are cached. 0 disables caching. Default 2m.',
  },
} as const

type Values = FlagValuesOf<typeof externalTokenFlags>
type Authentication = NonNullable<ServerChainOptions['authentication']>

export async function readExternalTokenOptions(
  values: Values,
  problems: Problems,
): Promise<Pick<Authentication, 'configFile' | 'oidc' | 'tokenWebhook'>> {
  const configFile = await checkFlagFile('authentication-config', values['authentication-config'], problems)
  const kubeconfigFile = await checkFlagFile(
    'authentication-token-webhook-config-file',
    values['authentication-token-webhook-config-file'],
    problems,
  )
  const version = values['authentication-token-webhook-version']
  const cacheTtlMs = values['authentication-token-webhook-cache-ttl']
  const oidc = await createOidcOptions(values, problems)
  return {
    ...(configFile && { configFile }),
    ...(oidc && { oidc }),
    ...(kubeconfigFile && {
      tokenWebhook: { kubeconfigFile, ...(version && { version }), ...(cacheTtlMs !== undefined && { cacheTtlMs }) },
    }),
  }
}

async function createOidcOptions(values: Values, problems: Problems): Promise<Authentication['oidc']> {
  const hasOidcFlag = Object.entries(values).some(([name, value]) => name.startsWith('oidc-') && value !== undefined)
  if (!hasOidcFlag) return undefined
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
  const authorityFile = await checkFlagFile('oidc-ca-file', values['oidc-ca-file'], problems)
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
