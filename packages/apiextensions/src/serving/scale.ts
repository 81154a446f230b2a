import type { CustomResourceSubresourceScale } from '@keelson/api/apiextensions/v1'
import type { Scale } from '@keelson/api/autoscaling/v1'
import { fieldError, newFieldPath, getErrorMessage, newBadRequest, newInternal, quote, createVerbatimValue } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, GroupVersionKind, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { updateScaleManagers, getScaleManagers } from '@keelson/apimachinery/managed-fields'
import type { ReplicasPaths } from '@keelson/apimachinery/managed-fields'
import { ageColumn, describeRESTStorage, nameColumn, readResult, createTableConvertor } from '@keelson/registry'
import type { Getter, ObjectView, SubresourceFactory, Updater } from '@keelson/registry'
import { readNestedInteger, readNestedString, setNestedValue, splitPath } from './nested-value.ts'

export const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

/** Marks a scale without replicas while a client changes it. The smallest 32-bit integer, as in kube-apiserver. */
const noReplicas = -(2 ** 31)
const maxReplicas = 2 ** 31 - 1

/** The paths of the scale subresource of one version. */
export class ScalePaths {
  readonly spec: CustomResourceSubresourceScale
  readonly #replicas: readonly string[]
  readonly #statusReplicas: readonly string[]
  readonly #selector: readonly string[] | undefined

  constructor(spec: CustomResourceSubresourceScale) {
    this.spec = spec
    this.#replicas = splitPath(spec.specReplicasPath)
    this.#statusReplicas = splitPath(spec.statusReplicasPath)
    this.#selector = spec.labelSelectorPath ? splitPath(spec.labelSelectorPath) : undefined
  }

  /** Returns the scale of an object. Throws if a value at a path has the wrong type. */
  getScale(object: DeepReadonly<KubeObject>): { readonly scale: Scale; readonly hasReplicas: boolean } {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
    const replicas = readNestedInteger(object, this.#replicas)
    const statusReplicas = readNestedInteger(object, this.#statusReplicas) ?? 0
    const selector = this.#selector && readNestedString(object, this.#selector)
    const desired = toInt32(replicas ?? 0)
    const scale: Scale = {
      kind: scaleKind.kind,
      apiVersion: 'autoscaling/v1',
      metadata: {
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(creationTimestamp !== undefined && { creationTimestamp }),
      },
      spec: { ...(desired !== 0 && { replicas: desired }) },
      status: { replicas: toInt32(statusReplicas), ...(selector && { selector }) },
    }
    return { scale, hasReplicas: replicas !== undefined }
  }

  setReplicas(object: KubeObject, replicas: number): void {
    setNestedValue(object, this.#replicas, replicas)
  }

  validateSpec(object: DeepReadonly<KubeObject>): FieldErrorList {
    return validateReplicas(object, this.spec.specReplicasPath)
  }

  validateStatus(object: DeepReadonly<KubeObject>): FieldErrorList {
    const errors = validateReplicas(object, this.spec.statusReplicasPath)
    const { labelSelectorPath } = this.spec
    if (!labelSelectorPath) return errors
    try {
      readNestedString(object, splitPath(labelSelectorPath))
      return errors
    } catch (error) {
      return [...errors, fieldError.invalid(newFieldPath(labelSelectorPath), '', getErrorMessage(error))]
    }
  }
}

function validateReplicas(object: DeepReadonly<KubeObject>, path: string): FieldErrorList {
  let replicas: number | bigint
  try {
    replicas = readNestedInteger(object, splitPath(path)) ?? 0
  } catch (error) {
    return [fieldError.invalid(newFieldPath(path), 0, getErrorMessage(error))]
  }
  if (replicas < 0) return [fieldError.invalid(newFieldPath(path), readValue(replicas), 'should be a non-negative integer')]
  if (replicas > maxReplicas) {
    return [fieldError.invalid(newFieldPath(path), readValue(replicas), `should be less than or equal to ${maxReplicas}`)]
  }
  return []
}

function readValue(replicas: number | bigint): unknown {
  return typeof replicas === 'bigint' ? createVerbatimValue(String(replicas)) : replicas
}

function toInt32(value: number | bigint): number {
  return Number(BigInt.asIntN(32, BigInt(value)))
}

/** Creates the subresource `scale` of a custom resource. `replicasPaths` are the paths of the replicas in all versions of its definition. */
export function createCustomScale(paths: ScalePaths, replicasPaths: ReplicasPaths): SubresourceFactory {
  return (store) => {
    const { group, version } = store.definition
    const apiVersion = `${group}/${version}`
    const { specReplicasPath } = paths.spec
    const show = (object: DeepReadonly<KubeObject>): Scale => paths.getScale(object).scale
    const view: ObjectView = {
      read(object) {
        const { scale, hasReplicas } = paths.getScale(object)
        if (!hasReplicas) scale.spec = { replicas: noReplicas }
        setManagers(scale, getScaleManagers(object.metadata.managedFields, replicasPaths))
        return scale
      },
      write(object, changed) {
        const { metadata, spec } = changed as Scale
        const replicas = spec?.replicas ?? 0
        if (replicas === noReplicas) throw newBadRequest(`the spec replicas field ${quote(specReplicasPath)} cannot be empty`)
        paths.setReplicas(object, replicas)
        // The replicas may have created objects whose other members have defaults.
        store.definition.setDefaults?.(object)
        if (metadata.resourceVersion) object.metadata.resourceVersion = metadata.resourceVersion
        setManagers(
          object,
          updateScaleManagers(object.metadata.managedFields, metadata.managedFields, { apiVersion, paths: replicasPaths }),
        )
      },
      show,
    }
    const verbs: Getter & Updater = {
      async get(context, name, options) {
        const { scale, hasReplicas } = paths.getScale(readResult(await store.get(context, name, options)))
        if (!hasReplicas) throw newInternal(`the spec replicas field ${quote(specReplicasPath)} does not exist`)
        return scale
      },
      async update(context, name, request) {
        const outcome = await store.update(context, name, { ...request, view })
        return { object: show(readResult(outcome.object)), created: false }
      },
    }
    const [deprecation] = Object.values(store.deprecations)
    const facts = {
      namespaced: store.namespaced,
      isCustom: true,
      table: scaleTable,
      ...(deprecation && { deprecations: { 'autoscaling/v1': deprecation } }),
    }
    return { ...describeRESTStorage(scaleKind, facts), ...verbs }
  }
}

const scaleTable = createTableConvertor<Scale>({
  allColumns: [
    nameColumn,
    { name: 'Desired', type: 'integer', description: 'How many there should be.', value: ({ spec }) => spec?.replicas ?? 0 },
    { name: 'Available', type: 'integer', description: 'How many there are.', value: ({ status }) => status?.replicas ?? 0 },
    { ...ageColumn, type: 'date' },
  ],
})

function setManagers({ metadata }: KubeObject, managers: ObjectMeta['managedFields']): void {
  if (managers === undefined) delete metadata.managedFields
  else metadata.managedFields = managers
}
