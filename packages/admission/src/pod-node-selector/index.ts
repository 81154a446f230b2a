import type { Namespace, Pod } from '@keelson/api/core/v1'
import { runAfter, getErrorMessage, newForbidden, newInternal, newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObjectLenient } from '../find-object.ts'
import { readObject } from '../typed-configuration.ts'
import { parseNodeLabels } from './parse-node-labels.ts'
import type { NodeLabels } from './parse-node-labels.ts'

const namespaces = { group: '', resource: 'namespaces' }
const selectorAnnotation = 'scheduler.alpha.kubernetes.io/node-selector'

/**
 * Creates the plugin PodNodeSelector. It adds the node selector of a namespace to the node selector of its pods and rejects pods that
 * conflict with it. The configuration has the default selector and, by namespace, the labels that pods may select.
 */
export function createPodNodeSelectorPlugin(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  const configured = readSelectors(configuration)
  const withNamespaceLabels = (attributes: AdmissionAttributes, next: (labels: NodeLabels) => void): Promise<void> | void =>
    runAfter(findNamespace(dependencies, attributes.namespace), ({ metadata }) => {
      const text = metadata.annotations?.[selectorAnnotation] ?? configured.get('clusterDefaultNodeSelector')
      next(parse(text))
    })
  const check = (attributes: AdmissionAttributes, labels: NodeLabels): void => {
    const selector = readSelector(attributes)
    for (const [key, value] of Object.entries(selector)) {
      if ((labels.get(key) ?? value) !== value)
        throw refuse(attributes, 'pod node label selector conflicts with its namespace node label selector')
    }
    const allowed = parse(configured.get(attributes.namespace))
    if (allowed.size > 0 && Object.entries(selector).some(([key, value]) => allowed.get(key) !== value))
      throw refuse(attributes, 'pod node label selector labels conflict with its namespace whitelist')
  }
  return {
    name: 'PodNodeSelector',
    operations: ['CREATE'],
    resources: ['pods'],
    admit: (attributes) =>
      withNamespaceLabels(attributes, (labels) => {
        const { spec } = attributes.object as Pod
        if (spec !== undefined && labels.size > 0) spec.nodeSelector = { ...Object.fromEntries(labels), ...spec.nodeSelector }
        check(attributes, labels)
      }),
    validate: (attributes) => withNamespaceLabels(attributes, (labels) => check(attributes, labels)),
  }
}

/** Reads selectors by namespace. Refuses what kube-apiserver ignores, because an ignored selector would admit pods to other nodes. */
function readSelectors(configuration: unknown): ReadonlyMap<string, string> {
  if (configuration === undefined) return new Map()
  const { podNodeSelectorPluginConfig = {} } = readObject(configuration, 'the configuration')
  const selectors = readObject(podNodeSelectorPluginConfig, 'podNodeSelectorPluginConfig')
  for (const [name, selector] of Object.entries(selectors)) {
    if (typeof selector !== 'string') throw new Error(`podNodeSelectorPluginConfig.${name} must be a string`)
  }
  return new Map(Object.entries(selectors as Readonly<Record<string, string>>))
}

function findNamespace(dependencies: PluginDependencies, name: string): DeepReadonly<Namespace> | Promise<DeepReadonly<Namespace>> {
  const missing = `namespace ${name} does not exist`
  const found = findObjectLenient<Namespace>(dependencies, namespaces, { name })
  const read = found instanceof Promise ? found.catch((cause: unknown) => Promise.reject(newInternal(missing, { cause }))) : found
  return runAfter(read, (namespace) => {
    if (namespace === undefined) throw newInternal(missing)
    return namespace
  })
}

function parse(text = ''): NodeLabels {
  try {
    return parseNodeLabels(text)
  } catch (error) {
    throw newUnknownError(getErrorMessage(error), { cause: error })
  }
}

function readSelector({ object }: AdmissionAttributes): Readonly<Record<string, string>> {
  return (object as Pod).spec?.nodeSelector ?? {}
}

function refuse({ object, resource }: AdmissionAttributes, reason: string): Error {
  return newForbidden({ group: resource.group, resource: resource.resource }, object?.metadata.name ?? '', reason)
}
