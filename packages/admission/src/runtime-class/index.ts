import type { Pod, PodSpec } from '@keelson/api/core/v1'
import type { RuntimeClass, Scheduling } from '@keelson/api/node/v1'
import { runAfter, parseQuantity, quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObject } from '../find-object.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { mergeTolerations } from '../merge-tolerations.ts'

const runtimeClasses = { group: 'node.k8s.io', resource: 'runtimeclasses' }
const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

type Found = DeepReadonly<RuntimeClass> | undefined

/** Creates the plugin RuntimeClass. It sets the overhead, node selector and tolerations of a pod from its RuntimeClass. */
export function createRuntimeClassPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  const withClass = (attributes: AdmissionAttributes, next: (spec: PodSpec, found: Found) => void): Promise<void> | void => {
    const spec = ((attributes.object as Pod).spec ??= { containers: null })
    const name = spec.runtimeClassName
    if (name === undefined) return next(spec, undefined)
    return runAfter(findObject<RuntimeClass>(dependencies, runtimeClasses, { name }), (found) => {
      if (found === undefined) throw newForbiddenWrite(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`)
      next(spec, found)
    })
  }
  return {
    name: 'RuntimeClass',
    operations: ['CREATE'],
    resources: ['pods'],
    admit: (attributes) =>
      withClass(attributes, (spec, found) => {
        if (found?.overhead !== undefined) setOverhead(attributes, spec, found.overhead.podFixed)
        if (found?.scheduling !== undefined) setScheduling(attributes, spec, found.scheduling)
      }),
    validate: (attributes) => withClass(attributes, (spec, found) => checkOverhead(attributes, spec, found)),
  }
}

function setOverhead(attributes: AdmissionAttributes, spec: PodSpec, fixed: DeepReadonly<Record<string, string>> | undefined): void {
  const podOverhead = spec.overhead ?? {}
  if (Object.keys(podOverhead).length > 0 && !equalsQuantities(podOverhead, fixed ?? {})) throw newForbiddenWrite(attributes, mismatch)
  if (fixed === undefined) delete spec.overhead
  else spec.overhead = { ...fixed }
}

function setScheduling(attributes: AdmissionAttributes, spec: PodSpec, scheduling: DeepReadonly<Scheduling>): void {
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const podValue = spec.nodeSelector?.[key]
    if (podValue !== undefined && podValue !== value) {
      const difference = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${podValue}`
      throw newForbiddenWrite(attributes, `conflict: ${difference}`)
    }
  }
  if (scheduling.nodeSelector !== undefined) spec.nodeSelector = { ...spec.nodeSelector, ...scheduling.nodeSelector }
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? [])
  if (tolerations.length > 0) spec.tolerations = tolerations
}

function checkOverhead(attributes: AdmissionAttributes, spec: PodSpec, found: Found): void {
  if (found?.overhead !== undefined) {
    if (!equalsQuantities(found.overhead.podFixed ?? {}, spec.overhead ?? {})) throw newForbiddenWrite(attributes, mismatch)
  } else if (spec.overhead !== undefined) {
    throw newForbiddenWrite(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
  }
}

function equalsQuantities(a: DeepReadonly<Record<string, string>>, b: DeepReadonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && parseQuantity(a[name]!).equals(parseQuantity(b[name]!)))
}
