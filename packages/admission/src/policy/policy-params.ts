import type { ParamKind, ParamRef } from '@keelson/api/admissionregistration/v1'
import { formatGroupVersion, labelSelectorAsSelector, parseGroupVersion, pause, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { Informer, ServedKind } from '@keelson/loopback'
import type { PluginDependencies } from '../admission-plugins.ts'
import { compareNames } from './policy-source.ts'

/** A parameter. Null for a policy or a binding that uses none. */
export type Param = object | null

/** The resource whose objects are the parameters of a policy, or the reason why there is none. */
export type ParamResource = { readonly resource: ServedKind } | { readonly problem: string }

const syncTimeout = 1000

export interface PolicyParamsOptions {
  /** Whether parameters of built-in kinds have kind and apiVersion. As in kube-apiserver, validating policies see them and mutating ones do not. */
  readonly hasBuiltinKinds: boolean
}

/** Finds the parameters of policies. They come from the informers that all plugins share. */
export class PolicyParams {
  readonly #dependencies: PluginDependencies
  readonly #options: PolicyParamsOptions
  /** The served resources for which `#foundByName` is valid. */
  #served: readonly ServedKind[] | undefined
  readonly #foundByName = new Map<string, ParamResource>()
  readonly #selectors = new WeakMap<object, LabelsSelector>()
  /** The parameters by the object of the informer. */
  readonly #params = new WeakMap<object, { readonly apiVersion: string; readonly param: object }>()

  constructor(dependencies: PluginDependencies, options: PolicyParamsOptions) {
    this.#dependencies = dependencies
    this.#options = options
  }

  /** Starts the informer of the parameters, so that the first request does not have to wait for it. */
  prepare(kind: DeepReadonly<ParamKind> | undefined): void {
    const foundParamResource = kind && this.getResource(kind)
    if (foundParamResource !== undefined && 'resource' in foundParamResource) this.#dependencies.informers.of(foundParamResource.resource)
  }

  /** Returns the resource of the parameters. The result changes when a custom resource is defined later. */
  getResource(kind: DeepReadonly<ParamKind>): ParamResource {
    const served = this.#dependencies.client.listServedKinds()
    if (served !== this.#served) {
      this.#served = served
      this.#foundByName.clear()
    }
    const key = `${kind.apiVersion}, ${kind.kind}`
    let foundParamResource = this.#foundByName.get(key)
    if (foundParamResource === undefined) this.#foundByName.set(key, (foundParamResource = findResource(served, kind)))
    return foundParamResource
  }

  /**
   * Returns the parameters that a binding refers to, for a request in a namespace. An empty list means that the policy is not evaluated.
   * Throws an error if there are none and the binding requires one. Returns a promise only if the informer has no initial list yet.
   */
  collect(
    kind: DeepReadonly<ParamKind> | undefined,
    reference: DeepReadonly<ParamRef> | undefined,
    namespace: string,
  ): readonly Param[] | Promise<readonly Param[]> {
    if (kind === undefined || reference === undefined) return noParams
    const foundParamResource = this.getResource(kind)
    if ('problem' in foundParamResource) throw new Error(foundParamResource.problem)
    const { resource } = foundParamResource
    const from = selectNamespace(resource, reference, namespace)
    const informer = this.#dependencies.informers.of(resource)
    if (informer === undefined) throw new Error(`paramKind kind \`${describe(kind)}\` not known`)
    if (informer.hasSynced) return this.#select(informer, resource, reference, from)
    return this.#waitForSync(informer, kind).then(() => this.#select(informer, resource, reference, from))
  }

  #select(informer: Informer<KubeObject>, resource: ServedKind, reference: DeepReadonly<ParamRef>, namespace: string): readonly Param[] {
    const objects = this.#find(informer, reference, namespace)
    if (objects.length === 0 && reference.parameterNotFoundAction === 'Deny') {
      throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction')
    }
    return objects.map((object) => this.#read(object, resource))
  }

  /** Returns an object in the version of the parameters. Objects of informers stay the same until they change. */
  #read(object: DeepReadonly<KubeObject>, { hub, group, version, kind, isCustom }: ServedKind): object {
    const apiVersion = formatGroupVersion({ group, version })
    const known = this.#params.get(object)
    if (known?.apiVersion === apiVersion) return known.param
    const { scheme } = this.#dependencies
    const isHub = hub.group === group && hub.version === version
    const converted = isHub || scheme === undefined ? object : scheme.fromHub({ group, version, kind }, object as KubeObject)
    const param = { ...converted, ...((isCustom || this.#options.hasBuiltinKinds) && { apiVersion, kind }) }
    this.#params.set(object, { apiVersion, param })
    return param
  }

  #find(
    informer: Informer<KubeObject>,
    { name = '', selector }: DeepReadonly<ParamRef>,
    namespace: string,
  ): readonly DeepReadonly<KubeObject>[] {
    if (name !== '') {
      const object = informer.get(namespace, name)
      return object === undefined ? [] : [object]
    }
    if (selector === undefined) throw new Error('one of name or selector must be provided')
    let labels = this.#selectors.get(selector)
    if (labels === undefined) this.#selectors.set(selector, (labels = labelSelectorAsSelector(selector)))
    const matches = labels
    return informer
      .list(namespace)
      .filter(({ metadata }) => matches.matches(metadata.labels))
      .toSorted(compareNames)
  }

  async #waitForSync(informer: Informer<KubeObject>, kind: DeepReadonly<ParamKind>): Promise<void> {
    const { clock = systemClock } = this.#dependencies
    const timeout = new AbortController()
    await Promise.race([informer.synced, pause(clock, syncTimeout, { signal: timeout.signal })])
    timeout.abort()
    if (!informer.hasSynced) throw new Error(`paramKind kind \`${describe(kind)}\` not yet synced to use for admission`)
  }
}

const noParams: readonly Param[] = [null]

/** Returns the namespace from which a binding takes parameters; "" for parameters without a namespace. */
function selectNamespace({ namespaced }: ServedKind, { namespace = '' }: DeepReadonly<ParamRef>, requestNamespace: string): string {
  if (!namespaced) {
    if (namespace !== '') throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
    return ''
  }
  const from = namespace === '' ? requestNamespace : namespace
  if (from === '') throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  return from
}

function findResource(served: readonly ServedKind[], { apiVersion = '', kind = '' }: DeepReadonly<ParamKind>): ParamResource {
  const paramKind: GroupVersionKind = { ...parseGroupVersion(apiVersion), kind }
  const resource = served.find((each) => each.group === paramKind.group && each.version === paramKind.version && each.kind === kind)
  if (resource !== undefined) return { resource }
  return { problem: `failed to find resource referenced by paramKind: '${paramKind.group}/${paramKind.version}, Kind=${kind}'` }
}

/** Formats a kind like kube-apiserver in error messages. */
function describe({ apiVersion = '', kind = '' }: DeepReadonly<ParamKind>): string {
  return `&ParamKind{APIVersion:${apiVersion},Kind:${kind},}`
}
