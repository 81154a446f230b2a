import { isApiError, newInternal } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly, KubeObject, UserInfo } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { allOperations } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import type { AdmissionModule, ModuleDelete, ModuleWrite, ResourceRules } from './admission-module.ts'

export interface ModulePluginOptions {
  /** Called with each error of the module that is not an API error. */
  readonly onError?: (error: unknown) => void
}

type Rules = ResourceRules<KubeObject>
type Phase = keyof Rules
/** A write or a deletion: each function reads only the members that its type has. */
type AnyWrite = ModuleWrite<KubeObject, KubeObject> & ModuleDelete<KubeObject>

/** Creates the admission plugin that runs the functions of a module. */
export function createModulePlugin(module: AdmissionModule, { onError = () => {} }: ModulePluginOptions = {}): AdmissionPlugin {
  const rules = new Map(Object.entries(module.resources as Readonly<Record<string, Rules>>))
  const wildcardRules = rules.get('*')
  const run = (phase: Phase, attributes: AdmissionAttributes): Promise<void> | void => {
    const rule = rules.get(formatKey(attributes)) ?? wildcardRules
    if (rule?.[phase] === undefined) return
    const fail = (error: unknown): never => {
      if (isApiError(error)) throw error
      attributes.context.signal.throwIfAborted()
      onError(error)
      throw newInternal(`admission module ${JSON.stringify(module.name)} failed`, { cause: error })
    }
    let pending: Promise<void> | void
    try {
      pending = rule[phase](new WriteView(attributes) as unknown as AnyWrite)
    } catch (error) {
      return fail(error)
    }
    return pending === undefined ? undefined : endWithRequest(pending, attributes.context.signal).catch(fail)
  }
  const has = (...phases: readonly Phase[]): boolean =>
    [...rules.values()].some((rule) => phases.some((phase) => rule[phase] !== undefined))
  return {
    name: module.name,
    operations: allOperations,
    ...(wildcardRules === undefined && { resources: [...rules.keys()] }),
    ...(has('admit') && {
      admit: (attributes: AdmissionAttributes) => (attributes.operation === 'DELETE' ? undefined : run('admit', attributes)),
    }),
    ...(has('validate', 'validateDelete') && {
      validate: (attributes: AdmissionAttributes) => run(attributes.operation === 'DELETE' ? 'validateDelete' : 'validate', attributes),
    }),
  }
}

function formatKey({ resource: { group, resource }, subresource }: AdmissionAttributes): string {
  const name = group === '' ? resource : `${resource}.${group}`
  return subresource === '' ? name : `${name}/${subresource}`
}

/** Waits for a function of a module, but not beyond the end of the request. */
async function endWithRequest(pending: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    await Promise.race([pending, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The view of a write for the functions of a module. Its own functions work without `this`, so that they can be destructured. */
class WriteView {
  readonly #attributes: AdmissionAttributes

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes
  }

  get operation(): AdmissionAttributes['operation'] {
    return this.#attributes.operation
  }
  get object(): KubeObject | undefined {
    return this.#attributes.object
  }
  get oldObject(): DeepReadonly<KubeObject> | undefined {
    return this.#attributes.oldObject
  }
  get context(): AdmissionAttributes['context'] {
    return this.#attributes.context
  }
  get user(): UserInfo {
    return this.#attributes.context.user
  }
  get kind(): AdmissionAttributes['kind'] {
    return this.#attributes.kind
  }
  get resource(): AdmissionAttributes['resource'] {
    return this.#attributes.resource
  }
  get subresource(): string {
    return this.#attributes.subresource
  }
  get namespace(): string {
    return this.#attributes.namespace
  }
  get name(): string {
    return this.#attributes.name
  }
  get dryRun(): boolean {
    return this.#attributes.dryRun
  }
  get options(): AdmissionAttributes['options'] {
    return this.#attributes.options
  }
  get as(): AdmissionAttributes['as'] {
    return (groupVersion) => this.#attributes.as(groupVersion)
  }
  get annotate(): (key: string, value: string) => void {
    return (key, value) => this.#attributes.annotate(key, value)
  }
  get warn(): (text: string) => void {
    return (text) => this.#attributes.context.warn(text)
  }
  get forbidden(): (reason: string) => ApiError {
    return (reason) => newForbiddenWrite(this.#attributes, reason)
  }
}
