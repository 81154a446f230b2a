import { authenticationDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { duration, file, files, list, onOff, text, textLike } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { externalTokenOptions } from './external-tokens.ts'
import type { externalTokenFlags } from './external-tokens.ts'
import { existing } from './flag-files.ts'
import { frontProxyOptions } from './front-proxy.ts'
import type { frontProxyFlags } from './front-proxy.ts'

const group = 'Authentication and authorization'

/** The flags of authentication and authorization. Names and defaults are kube-apiserver's where it has the flag. */
export const authenticationFlags = {
  'client-ca-file': {
    group,
    type: file(),
    help: 'File with the authorities of client certificates, PEM. The CN of a certificate is the user, each O a group.',
  },
  'token-auth-file': { group, type: file(), help: 'File with tokens, one per line: token,user,uid,"group1,group2".' },
  'anonymous-auth': {
    group,
    type: onOff(),
    help: 'Serve requests without credentials as system:anonymous instead of refusing them with 401. Default true, or what --authentication-config says.',
  },
  'enable-bootstrap-token-auth': {
    group,
    type: onOff(),
    default: authenticationDefaults.bootstrapTokens,
    help: 'Accept the tokens of secrets of type bootstrap.kubernetes.io/token in the namespace kube-system, with which nodes join.',
  },
  'service-account-lookup': {
    group,
    type: onOff(),
    default: authenticationDefaults.serviceAccounts.lookUpLegacyTokens,
    help: 'Look up the secret and the service account of tokens from secrets. Others are always looked up.',
  },
  'service-account-issuer': {
    group,
    type: list(),
    help: 'Issuer of service account tokens, an https URL. The first one issues new tokens; tokens of all are accepted. Default https://kubernetes.default.svc.',
  },
  'service-account-signing-key-file': {
    group,
    type: file(),
    help: 'File with the private key that signs service account tokens, PEM. Default: a key that the server creates. Servers that share an etcd must share a key.',
  },
  'service-account-signing-endpoint': {
    group,
    type: text(),
    help: 'Unix socket of an external signer of service account tokens: a path, or @name for an abstract one. Excludes the two files of keys.',
  },
  'service-account-key-file': {
    group,
    type: files(),
    help: 'File with keys that verify service account tokens, PEM. May be given several times. Default: the key of --service-account-signing-key-file.',
  },
  'service-account-jwks-uri': {
    group,
    type: textLike(/^https:\/\//, 'an https URL'),
    help: 'URL of the keys in the discovery document of the issuer. Default: at this server.',
  },
  'service-account-max-token-expiration': {
    group,
    type: duration(),
    help: 'Maximum lifetime of a service account token. Default: no limit.',
  },
  'service-account-extend-token-expiration': {
    group,
    type: onOff(),
    default: authenticationDefaults.serviceAccounts.extendTokenExpiration,
    help: 'Extend tokens that kubelets request for pods to a year.',
  },
  'api-audiences': {
    group,
    type: list(),
    help: 'Audiences of the API. A service account token must have one of them. Default: the issuers.',
  },
} as const

type AuthenticationValues = FlagValuesOf<typeof authenticationFlags & typeof externalTokenFlags & typeof frontProxyFlags>

export async function authenticationOptions(
  values: AuthenticationValues,
  problems: Problems,
): Promise<Pick<ServerChainOptions, 'authentication'>> {
  const clientAuthorityFile = await existing('client-ca-file', values['client-ca-file'], problems)
  const tokenFile = await existing('token-auth-file', values['token-auth-file'], problems)
  return {
    authentication: {
      ...(clientAuthorityFile && { clientAuthorityFiles: [clientAuthorityFile] }),
      ...(tokenFile && { tokenFile }),
      ...(await frontProxyOptions(values, problems)),
      serviceAccounts: await serviceAccountOptions(values, problems),
      bootstrapTokens: values['enable-bootstrap-token-auth'],
      ...(values['anonymous-auth'] !== undefined && { anonymous: values['anonymous-auth'] }),
      ...(await externalTokenOptions(values, problems)),
    },
  }
}

type ServiceAccounts = NonNullable<NonNullable<ServerChainOptions['authentication']>['serviceAccounts']>

async function serviceAccountOptions(values: AuthenticationValues, problems: Problems): Promise<ServiceAccounts> {
  const signingKeyFile = await existing('service-account-signing-key-file', values['service-account-signing-key-file'], problems)
  const keyFiles = values['service-account-key-file']
  const signingEndpoint = values['service-account-signing-endpoint']
  const issuers = values['service-account-issuer']
  const audiences = values['api-audiences']
  const keySetUri = values['service-account-jwks-uri']
  const maximum = values['service-account-max-token-expiration'] ?? 0
  if (maximum !== 0 && (maximum < 3_600_000 || maximum > 2 ** 32 * 1000)) {
    problems.usage('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  }
  for (const file of keyFiles ?? []) await existing('service-account-key-file', file, problems)
  return {
    ...(issuers && { issuers }),
    ...(signingKeyFile && { signingKeyFile }),
    ...(signingEndpoint && { signingEndpoint }),
    ...(keyFiles && { keyFiles }),
    ...(audiences && { audiences }),
    ...(keySetUri && { keySetUri }),
    ...(maximum !== 0 && { maxTokenExpirationSeconds: Math.floor(maximum / 1000) }),
    extendTokenExpiration: values['service-account-extend-token-expiration'],
    lookUpLegacyTokens: values['service-account-lookup'],
  }
}
