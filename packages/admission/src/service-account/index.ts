import type { Pod, PodSpec, ServiceAccount } from '@keelson/api/core/v1'
import { generateName, mapList, runAfter, getErrorMessage, newUnknownError, quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { AccountFinder } from './account-finder.ts'
import { checkMirrorPod, isMirrorPod } from './mirror-pod.ts'
import { mountToken } from './mount-token.ts'
import { enforcesMountableSecrets, findUnmountableEphemeralSecret, findUnmountableSecret } from './mountable-secrets.ts'

type Account = DeepReadonly<ServiceAccount>

/**
 * Creates the plugin ServiceAccount. It sets the service account of a pod and mounts its token. It adds the account's pull secrets to pods
 * without any, and rejects pods whose account is missing.
 */
export function createServiceAccountPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return new ServiceAccountPlugin(dependencies)
}

class ServiceAccountPlugin implements AdmissionPlugin {
  readonly name = 'ServiceAccount'
  readonly operations = ['CREATE', 'UPDATE'] as const
  readonly resources = ['pods', 'pods/ephemeralcontainers'] as const
  readonly #accounts: AccountFinder
  readonly #random: (() => number) | undefined

  constructor(dependencies: PluginDependencies) {
    this.#accounts = new AccountFinder(dependencies)
    this.#random = dependencies.random
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    if (attributes.operation !== 'CREATE' || attributes.subresource !== '') return
    const pod = attributes.object as Pod
    const spec = (pod.spec ??= { containers: null })
    // A mirror pod must stay unchanged, because the kubelet would otherwise delete it.
    if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod)
    spec.serviceAccountName ||= 'default'
    return runAfter(this.#find(attributes, spec.serviceAccountName), (account) => {
      if (account === undefined) return
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, (base) => this.#newName(base))
      const secrets = account.imagePullSecrets ?? []
      if ((spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0)
        spec.imagePullSecrets = mapList(secrets, ({ name }) => ({ name: name ?? '' }))
      checkSecrets(attributes, spec, account)
    })
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const addsContainers = attributes.subresource === 'ephemeralcontainers'
    if ((attributes.operation === 'UPDATE') !== addsContainers) return
    const pod = attributes.object as Pod
    const spec = pod.spec ?? { containers: null }
    if (!addsContainers && isMirrorPod(pod)) return checkMirrorPod(attributes, pod)
    if (!spec.serviceAccountName) {
      if (!this.#accounts.isServed()) return
      throw newForbiddenWrite(attributes, `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`)
    }
    return runAfter(this.#find(attributes, spec.serviceAccountName), (account) => {
      if (account === undefined) return
      if (addsContainers) checkEphemeralSecrets(spec, account)
      else checkSecrets(attributes, spec, account)
    })
  }

  #newName(base: string): string {
    return this.#random === undefined ? generateName(base) : generateName(base, this.#random)
  }

  /** Finds the service account. Rejects the pod if it does not exist. Returns undefined if service accounts are not served. */
  #find(attributes: AdmissionAttributes, name: string): Account | undefined | Promise<Account | undefined> {
    const { namespace, context } = attributes
    if (!this.#accounts.isServed()) return undefined
    const found = this.#accounts.find(context, namespace, name)
    if (!(found instanceof Promise)) return found
    const createFailure = (why: string): unknown =>
      newForbiddenWrite(attributes, `error looking up service account ${namespace}/${name}: ${why}`)
    return found.then(
      (account) => {
        if (account === undefined) throw createFailure(`serviceaccount ${quote(name)} not found`)
        return account
      },
      (error: unknown) => {
        throw createFailure(getErrorMessage(error))
      },
    )
  }
}

function checkSecrets(attributes: AdmissionAttributes, spec: PodSpec, account: Account): void {
  if (!enforcesMountableSecrets(account)) return
  const refusal = findUnmountableSecret(spec, account)
  if (refusal !== undefined) throw newForbiddenWrite(attributes, refusal)
}

function checkEphemeralSecrets(spec: PodSpec, account: Account): void {
  if (!enforcesMountableSecrets(account)) return
  const refusal = findUnmountableEphemeralSecret(spec, account)
  // kube-apiserver returns an untyped error in this case, which becomes 500.
  if (refusal !== undefined) throw newUnknownError(refusal, { code: 500 })
}
