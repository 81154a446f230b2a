import type { Scale } from '@keelson/api/autoscaling/v1'
import { newFieldPath, formatGroupVersion, newConflict, newInvalid, validateNonNegative, validateObjectMeta } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { updateScaleManagers, getScaleManagers } from '@keelson/apimachinery/managed-fields'
import type { SubresourceFactory } from './create-resource-storage.ts'
import { readResult, describeRESTStorage } from './rest.ts'
import type { Getter, ObjectView, Updater } from './rest.ts'
import type { Column } from './resource-definition.ts'
import { ageColumn, nameColumn, createTableConvertor } from './table.ts'

const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
const columns: readonly Column<Scale>[] = [
  { ...nameColumn, format: '' },
  { name: 'Desired', type: 'integer', description: 'How many there should be.', value: ({ spec }) => spec?.replicas ?? 0 },
  { name: 'Available', type: 'integer', description: 'How many there are.', value: ({ status }) => status?.replicas ?? 0 },
  ageColumn,
]

/** Functions that get and set the desired and current number of replicas of a kind. */
export interface ScaledBy<T extends KubeObject> {
  getReplicas(object: DeepReadonly<T>): number
  setReplicas(object: T, replicas: number): void
  getStatusReplicas(object: DeepReadonly<T>): number
  /** The path of the field that `setReplicas` changes: "spec.replicas". */
  readonly replicasPath: string
  /** Returns the label selector as text: "a=1,b=2". */
  formatSelector(object: DeepReadonly<T>): string
}

/** Creates the subresource `scale` with GET, PUT and PATCH. Writes to the subresource update the scaled object itself. */
export function createScaleSubresource<T extends KubeObject>(by: ScaledBy<T>): SubresourceFactory<T> {
  return (store) => {
    const { plural, group, version } = store.definition
    const apiVersion = formatGroupVersion({ group, version })
    const paths = { [apiVersion]: by.replicasPath }
    const resource = { group, resource: `${plural}/scale` }
    const readScale = (object: DeepReadonly<T>): Scale => toScale(by, object)
    const view: ObjectView<T> = {
      read(object) {
        const scale = readScale(object as DeepReadonly<T>)
        setManagers(scale, getScaleManagers(object.metadata.managedFields, paths))
        return scale
      },
      write(object, scale) {
        const { metadata, spec } = scale as Scale
        const { metadata: stored } = object
        const name = stored.name ?? ''
        const errors = [
          ...validateObjectMeta(metadata, { namespaced: store.namespaced }),
          ...validateNonNegative(spec?.replicas ?? 0, newFieldPath('spec', 'replicas')),
        ]
        if (errors.length > 0) throw newInvalid(scaleKind, name, errors)
        if (metadata.uid && metadata.uid !== stored.uid) {
          throw newConflict(resource, name, `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${stored.uid}`)
        }
        by.setReplicas(object, spec?.replicas ?? 0)
        if (metadata.resourceVersion === undefined) delete stored.resourceVersion
        else stored.resourceVersion = metadata.resourceVersion
        setManagers(object, updateScaleManagers(stored.managedFields, metadata.managedFields, { apiVersion, paths }))
      },
      show: readScale,
    }
    const verbs: Getter & Updater = {
      get: async (context, name, options) => readScale(readResult(await store.get(context, name, options))),
      async update(context, name, request) {
        const outcome = await store.update(context, name, { ...request, view })
        return { object: readScale(readResult(outcome.object)), created: false }
      },
    }
    return {
      ...describeRESTStorage(scaleKind, { namespaced: store.namespaced, table: createTableConvertor({ allColumns: columns }) }),
      ...verbs,
    }
  }
}

function setManagers({ metadata }: KubeObject, managers: ObjectMeta['managedFields']): void {
  if (managers === undefined) delete metadata.managedFields
  else metadata.managedFields = managers
}

function toScale<T extends KubeObject>(by: ScaledBy<T>, object: DeepReadonly<T>): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = (object as KubeObject).metadata
  const replicas = by.getReplicas(object)
  const selector = by.formatSelector(object)
  return {
    kind: scaleKind.kind,
    apiVersion: `${scaleKind.group}/${scaleKind.version}`,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    // Zero numbers are left out of a spec, so 0 replicas are too.
    spec: { ...(replicas !== 0 && { replicas }) },
    status: { replicas: by.getStatusReplicas(object), ...(selector !== '' && { selector }) },
  }
}
