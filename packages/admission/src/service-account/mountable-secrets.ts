import type { Container, EphemeralContainer, PodSpec, ServiceAccount } from '@keelson/api/core/v1'
import { parseBoolean } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

type Account = DeepReadonly<ServiceAccount>

/** Returns whether pods may use only those secrets that their service account lists. */
export function enforcesMountableSecrets(account: Account): boolean {
  return parseBoolean(account.metadata.annotations?.['kubernetes.io/enforce-mountable-secrets'] ?? '') === true
}

/** Returns an error message for the first secret in the pod that the service account does not list. */
export function findUnmountableSecret(spec: PodSpec, account: Account): string | undefined {
  const mountable = listMountableNames(account)
  for (const { secret } of spec.volumes ?? []) {
    if (secret !== undefined && !mountable.has(secret.secretName ?? '')) {
      return formatNotReferenced(`volume with secret.secretName="${secret.secretName ?? ''}"`, account)
    }
  }
  const inContainers =
    listUsed(spec.initContainers, 'init container', mountable, account) ?? listUsed(spec.containers, 'container', mountable, account)
  if (inContainers !== undefined) return inContainers
  const pullSecrets = new Set((account.imagePullSecrets ?? []).map(({ name }) => name ?? ''))
  for (const [i, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pullSecrets.has(name)) return formatNotReferenced(`imagePullSecrets[${i}].name="${name}"`, account, 'imagePullSecret')
  }
  return undefined
}

/** Returns an error message for the first secret of an ephemeral container that the service account does not list. */
export function findUnmountableEphemeralSecret(spec: PodSpec, account: Account): string | undefined {
  return listUsed(spec.ephemeralContainers, 'ephemeral container', listMountableNames(account), account)
}

function listMountableNames(account: Account): ReadonlySet<string> {
  return new Set((account.secrets ?? []).map(({ name }) => name ?? ''))
}

function listUsed(
  containers: readonly (Container | EphemeralContainer)[] | null | undefined,
  subject: string,
  mountable: ReadonlySet<string>,
  account: Account,
): string | undefined {
  for (const { name, env, envFrom } of containers ?? []) {
    for (const variable of env ?? []) {
      const secret = variable.valueFrom?.secretKeyRef
      if (secret === undefined || mountable.has(secret.name ?? '')) continue
      return formatNotReferenced(
        `${subject} ${name} with envVar ${variable.name} referencing secret.secretName="${secret.name ?? ''}"`,
        account,
      )
    }
    for (const { secretRef } of envFrom ?? []) {
      if (secretRef === undefined || mountable.has(secretRef.name ?? '')) continue
      return formatNotReferenced(`${subject} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ''}"`, account)
    }
  }
  return undefined
}

function formatNotReferenced(subject: string, account: Account, kind = 'secret'): string {
  return `${subject} is not allowed because service account ${account.metadata.name ?? ''} does not reference that ${kind}`
}
