import { authenticationDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, createFileType, createFilesType, list, onOff, createTextType, createPatternType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { readExternalTokenOptions } from './external-tokens.ts'
import type { externalTokenFlags } from './external-tokens.ts'
import { checkFlagFile } from './flag-files.ts'
import { readFrontProxyOptions } from './front-proxy.ts'
import type { frontProxyFlags } from './front-proxy.ts'

const group = 'Authentication and authorization'

/** Flags of authentication. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const authenticationFlags = {
  'client-ca-file': {
    group,
    type: createFileType(),
    help: 'PEM file with the CAs of client certificates. The CN of a certificate is the user name, and each O is a group.',
  },
  'token-auth-file': { group, type: createFileType(), help: 'File with tokens, one per line: token,user,uid,"group1,group2".' },
  'anonymous-auth': {
    group,
    type: onOff(),
    help: 'Serve requests without credentials as system:anonymous instead of refusing them with 401. Default true, unless --authentication-config has a setting for it.',
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
    help: 'Check that the secret and the service account of a legacy token (from a secret) still exist. Objects of other tokens are always checked.',
  },
  'service-account-issuer': {
    group,
    type: list(),
    help: 'Issuer of service account tokens, an https URL. May be given several times: the first issuer is used for new tokens, and tokens of all issuers are accepted. Default https://kubernetes.default.svc.',
  },
  'service-account-signing-key-file': {
    group,
    type: createFileType(),
    help: 'PEM file with the private key that signs service account tokens. Default: a key that the server creates. Servers that share an etcd must use the same key.',
  },
  'service-account-signing-endpoint': {
    group,
    type: createTextType(),
    help: 'Unix socket of an external signer of service account tokens: a path, or @name for an abstract socket. Cannot be combined with the flags for key files.',
  },
  'service-account-key-file': {
    group,
    type: createFilesType(),
    help: 'PEM file with keys that verify service account tokens. May be given several times. Default: the key of --service-account-signing-key-file.',
  },
  'service-account-jwks-uri': {
    group,
    type: createPatternType(/^https:\/\//, 'an https URL'),
    help: 'URL of the public keys in the discovery document of the issuer (jwks_uri). Default: a URL of this server.',
  },
  'service-account-max-token-expiration': {
    group,
    type: createDurationType(),
    help: 'Maximum lifetime of a service account token. Default: that of --service-account-signing-endpoint, otherwise no limit.',
  },
  'service-account-extend-token-expiration': {
    group,
    type: onOff(),
    default: authenticationDefaults.serviceAccounts.extendTokenExpiration,
    help: 'Issue tokens that kubelets request for pods with a lifetime of one year.',
  },
  'api-audiences': {
    group,
    type: list(),
    help: 'Audiences of the API. A service account token must have one of them. Default: the issuers.',
  },
} as const

type AuthenticationValues = FlagValuesOf<typeof authenticationFlags & typeof externalTokenFlags & typeof frontProxyFlags>

export async function readAuthenticationOptions(
  values: AuthenticationValues,
  problems: Problems,
): Promise<Pick<ServerChainOptions, 'authentication'>> {
  const clientAuthorityFile = await checkFlagFile('client-ca-file', values['client-ca-file'], problems)
  const tokenFile = await checkFlagFile('token-auth-file', values['token-auth-file'], problems)
  return {
    authentication: {
      ...(clientAuthorityFile && { clientAuthorityFiles: [clientAuthorityFile] }),
      ...(tokenFile && { tokenFile }),
      ...(await readFrontProxyOptions(values, problems)),
      serviceAccounts: await createServiceAccountOptions(values, problems),
      bootstrapTokens: values['enable-bootstrap-token-auth'],
      ...(values['anonymous-auth'] !== undefined && { anonymous: values['anonymous-auth'] }),
      ...(await readExternalTokenOptions(values, problems)),
    },
  }
}

type ServiceAccounts = NonNullable<NonNullable<ServerChainOptions['authentication']>['serviceAccounts']>

async function createServiceAccountOptions(values: AuthenticationValues, problems: Problems): Promise<ServiceAccounts> {
  const signingKeyFile = await checkFlagFile('service-account-signing-key-file', values['service-account-signing-key-file'], problems)
  const keyFiles = values['service-account-key-file']
  const signingEndpoint = values['service-account-signing-endpoint']
  const issuers = values['service-account-issuer']
  const audiences = values['api-audiences']
  const keySetUri = values['service-account-jwks-uri']
  const maximum = values['service-account-max-token-expiration'] ?? 0
  if (maximum !== 0 && (maximum < 3_600_000 || maximum > 2 ** 32 * 1000)) {
    problems.usage('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  }
  for (const file of keyFiles ?? []) await checkFlagFile('service-account-key-file', file, problems)
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
