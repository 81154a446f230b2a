import { authorizationDefaults, authorizationModes } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, createFileType, list, listFrom, createChoiceType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

const group = 'Authorization'

/** Flags of authorization. Names and defaults are the same as in kube-apiserver, except for the default mode. */
export const authorizationFlags = {
  'authorization-mode': {
    group,
    type: listFrom(...authorizationModes),
    help: `Authorization modes in the order in which they are asked. Members of system:masters and always-allowed paths are allowed before. The first authorizer that allows or denies a request decides. Default: ${authorizationDefaults.modes.join(',')}, unless --authorization-config is given.`,
  },
  'authorization-always-allow-paths': {
    group,
    type: list(),
    help: 'Paths that every user may request. A trailing * is a wildcard. Default: none; built-in roles allow everyone to read the health checks.',
  },
  'authorization-config': {
    group,
    type: createFileType(),
    help: 'AuthorizationConfiguration file, which replaces --authorization-mode and --authorization-webhook-*. Reloaded when it changes.',
  },
  'authorization-policy-file': { group, type: createFileType(), help: 'Policy file of the mode ABAC, with one JSON object per line.' },
  'authorization-webhook-config-file': {
    group,
    type: createFileType(),
    help: 'Kubeconfig with the address and the credentials of the webhook for the mode Webhook.',
  },
  'authorization-webhook-version': {
    group,
    type: createChoiceType('v1', 'v1beta1'),
    help: 'API version of the SubjectAccessReview objects that are sent to the webhook. Default v1beta1.',
  },
  'authorization-webhook-cache-authorized-ttl': {
    group,
    type: createDurationType(),
    help: 'How long "allowed" decisions of the webhook are cached. 0 disables caching. Default 5m.',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    group,
    type: createDurationType(),
    help: 'How long other decisions of the webhook are cached. 0 disables caching. Default 30s.',
  },
} as const

type Authorization = NonNullable<ServerChainOptions['authorization']>

export async function readAuthorizationOptions(
  values: FlagValuesOf<typeof authorizationFlags>,
  problems: Problems,
): Promise<Authorization> {
  const modes = values['authorization-mode']
  const alwaysAllowPaths = values['authorization-always-allow-paths']
  const configFile = await checkFlagFile('authorization-config', values['authorization-config'], problems)
  const policyFile = await checkFlagFile('authorization-policy-file', values['authorization-policy-file'], problems)
  const kubeconfigFile = await checkFlagFile('authorization-webhook-config-file', values['authorization-webhook-config-file'], problems)
  const version = values['authorization-webhook-version']
  const authorizedTtlMs = values['authorization-webhook-cache-authorized-ttl']
  const unauthorizedTtlMs = values['authorization-webhook-cache-unauthorized-ttl']
  if (configFile !== undefined && [version, authorizedTtlMs, unauthorizedTtlMs].some((value) => value !== undefined)) {
    problems.usage('--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined')
  }
  return {
    ...(modes && { modes }),
    ...(alwaysAllowPaths && { alwaysAllowPaths }),
    ...(configFile && { configFile }),
    ...(policyFile && { policyFile }),
    ...(kubeconfigFile && {
      webhook: {
        kubeconfigFile,
        ...(version && { version }),
        ...(authorizedTtlMs !== undefined && { authorizedTtlMs }),
        ...(unauthorizedTtlMs !== undefined && { unauthorizedTtlMs }),
      },
    }),
  }
}
