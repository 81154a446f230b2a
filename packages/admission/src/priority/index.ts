import type { Pod } from '@keelson/api/core/v1'
import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { runAfter } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObjectLenient, listObjects } from '../find-object.ts'
import { newForbiddenWrite } from '../forbidden.ts'

const group = 'scheduling.k8s.io'
const priorityClasses = { group, resource: 'priorityclasses' }

interface Priority {
  readonly className: string
  readonly value: number
  readonly preemptionPolicy: string | undefined
}
const withoutClass: Priority = { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }

/**
 * Creates the plugin Priority. It sets the priority of a pod from its class or from the default class, and rejects other values. It also
 * ensures that there is at most one default class.
 */
export function createPriorityPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  const listClasses = (attributes: AdmissionAttributes) => listObjects<PriorityClass>(dependencies, priorityClasses, attributes)
  return {
    name: 'Priority',
    resources: ['pods', `priorityclasses.${group}`],
    admit(attributes: AdmissionAttributes) {
      if (attributes.operation === 'DELETE' || attributes.resource.resource !== 'pods') return
      const pod = attributes.object as Pod
      if (attributes.operation === 'UPDATE') return restorePriority(pod, attributes.oldObject as DeepReadonly<Pod>)
      const name = pod.spec?.priorityClassName ?? ''
      if (name === '') return runAfter(listClasses(attributes), (classes) => set(attributes, pod, selectPriority(defaultClass(classes))))
      return runAfter(findObjectLenient<PriorityClass>(dependencies, priorityClasses, { name }), (found) => {
        if (found === undefined) throw newForbiddenWrite(attributes, `no PriorityClass with name ${name} was found`)
        set(attributes, pod, selectPriority(found))
      })
    },
    validate(attributes: AdmissionAttributes) {
      if (attributes.operation === 'DELETE' || attributes.resource.resource !== priorityClasses.resource) return
      const created = attributes.object as PriorityClass
      if (created.globalDefault !== true) return
      return runAfter(listClasses(attributes), (classes) => {
        const present = defaultClass(classes)?.metadata.name
        if (present === undefined || (attributes.operation === 'UPDATE' && present === created.metadata.name)) return
        throw newForbiddenWrite(attributes, `PriorityClass ${present} is already marked as default. Only one default can exist`)
      })
    },
  }
}

/** Returns the default PriorityClass. If concurrent writes have created several, returns the one with the lowest value. */
function defaultClass(classes: readonly DeepReadonly<PriorityClass>[]): DeepReadonly<PriorityClass> | undefined {
  let lowest: DeepReadonly<PriorityClass> | undefined
  for (const candidate of classes) {
    if (candidate.globalDefault === true && (lowest === undefined || candidate.value < lowest.value)) lowest = candidate
  }
  return lowest
}

function selectPriority(found: DeepReadonly<PriorityClass> | undefined): Priority {
  if (found === undefined) return withoutClass
  return { className: found.metadata.name ?? '', value: found.value, preemptionPolicy: found.preemptionPolicy }
}

function set(attributes: AdmissionAttributes, pod: Pod, { className, value, preemptionPolicy }: Priority): void {
  const spec = (pod.spec ??= { containers: null })
  if (className !== '') spec.priorityClassName = className
  if (spec.priority !== undefined && spec.priority !== value) {
    throw newForbiddenWrite(attributes, `the integer value of priority (${spec.priority}) ${formatComputed(String(value))}`)
  }
  spec.priority = value
  if (preemptionPolicy === undefined) return
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw newForbiddenWrite(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${formatComputed(preemptionPolicy)}`,
    )
  }
  spec.preemptionPolicy = preemptionPolicy
}

function formatComputed(value: string): string {
  return `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`
}

/** Restores the priority fields if an update omits them. */
function restorePriority(pod: Pod, old: DeepReadonly<Pod>): void {
  const spec = (pod.spec ??= { containers: null })
  if (spec.priority === undefined && old.spec?.priority !== undefined) spec.priority = old.spec.priority
  if (spec.preemptionPolicy === undefined && old.spec?.preemptionPolicy !== undefined) spec.preemptionPolicy = old.spec.preemptionPolicy
}
