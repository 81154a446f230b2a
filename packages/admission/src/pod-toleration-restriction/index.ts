import type { Namespace, Pod, Toleration } from '@keelson/api/core/v1'
import { isApiError, runAfter, getErrorMessage, newInternal, newNotFound, newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { computeQosClass } from '@keelson/resources-core'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObjectLenient } from '../find-object.ts'
import { covers, mergeTolerations } from '../merge-tolerations.ts'
import { parseTolerations, readTolerationConfiguration } from './read-tolerations.ts'

const namespaces = { group: '', resource: 'namespaces' }
const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const whitelistAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'
const memoryPressure: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }

/**
 * Creates the plugin PodTolerationRestriction. It adds the default tolerations of a namespace to new pods, lets pods with requests or
 * limits tolerate memory pressure, and rejects tolerations that the namespace does not allow. The annotations of a namespace replace the
 * lists of the configuration.
 */
export function createPodTolerationRestrictionPlugin(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  const cluster = readTolerationConfiguration(configuration)
  const withNamespace = (attributes: AdmissionAttributes, next: (namespace: DeepReadonly<Namespace>) => void): Promise<void> | void =>
    runAfter(findNamespace(dependencies, attributes.namespace), next)
  const check = ({ object }: AdmissionAttributes, namespace: DeepReadonly<Namespace>): void => {
    const namespaceWhitelist = readTolerations(namespace, whitelistAnnotation)
    const allowed = namespaceWhitelist ?? cluster.whitelist
    const tolerations = (object as Pod).spec?.tolerations ?? []
    if (allowed.length === 0 || tolerations.every((toleration) => allowed.some((wider) => covers(wider, toleration)))) return
    const level = namespaceWhitelist === undefined ? 'cluster' : 'namespace'
    throw newUnknownError(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${level} whitelist`)
  }
  return {
    name: 'PodTolerationRestriction',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    admit: (attributes) =>
      withNamespace(attributes, (namespace) => {
        const pod = attributes.object as Pod
        const added = attributes.operation === 'CREATE' ? (readTolerations(namespace, defaultsAnnotation) ?? cluster.default) : []
        const isBestEffort = (pod.status?.qosClass || computeQosClass(pod)) === 'BestEffort'
        const extra = isBestEffort ? added : [...added, memoryPressure]
        if (extra.length > 0) (pod.spec ??= { containers: null }).tolerations = mergeTolerations(pod.spec.tolerations ?? [], extra)
        check(attributes, namespace)
      }),
    validate(attributes) {
      if (((attributes.object as Pod).spec?.tolerations ?? []).length === 0) return
      return withNamespace(attributes, (namespace) => check(attributes, namespace))
    },
  }
}

/** Returns the tolerations in an annotation of a namespace. Returns undefined if the namespace does not have the annotation. */
function readTolerations({ metadata }: DeepReadonly<Namespace>, annotation: string): readonly Toleration[] | undefined {
  const text = metadata.annotations?.[annotation]
  if (text === undefined) return undefined
  try {
    return parseTolerations(text)
  } catch (error) {
    throw newUnknownError(getErrorMessage(error), { cause: error })
  }
}

function findNamespace(dependencies: PluginDependencies, name: string): DeepReadonly<Namespace> | Promise<DeepReadonly<Namespace>> {
  const found = findObjectLenient<Namespace>(dependencies, namespaces, { name })
  const read = found instanceof Promise ? found.catch(failInternally) : found
  return runAfter(read, (namespace) => {
    if (namespace === undefined) throw newNotFound(namespaces, name)
    return namespace
  })
}

function failInternally(error: unknown): never {
  throw isApiError(error, 'NotFound') ? error : newInternal(getErrorMessage(error), { cause: error })
}
