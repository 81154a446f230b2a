import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { defineResource } from '../resource-definition.ts'
import type { ResourceDefinition } from '../resource-definition.ts'

export interface Widget extends KubeObject {
  spec?: { size?: number; grace?: number; finalizers?: string[] }
  status?: { phase?: string }
}

/** A resource that uses many features of the registry: graceful deletion, generation, status, selectable fields. */
export const widgets: ResourceDefinition<Widget> = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  shortNames: ['wd'],
  selectableFields: { 'status.phase': (widget) => widget.status?.phase ?? '' },
  columns: [
    { name: 'Size', type: 'integer', value: (widget) => widget.spec?.size ?? 0 },
    { name: 'Phase', priority: 1, value: (widget) => widget.status?.phase ?? '' },
  ],
  strategy: {
    prepareForCreate(_context, widget) {
      widget.metadata.generation = 1
      delete widget.status
    },
    validateCreate: (_context, widget) => validateSize(widget.spec?.size),
    warningsOnCreate: (_context, widget) => (widget.spec?.size === 13 ? ['13 is unlucky'] : []),
    prepareForUpdate(_context, widget, old) {
      if (old.status === undefined) delete widget.status
      else widget.status = { ...old.status }
      if (widget.spec?.size !== old.spec?.size) widget.metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateUpdate: (_context, widget) => validateSize(widget.spec?.size),
    checkGracefulDelete(_context, widget, options) {
      if (widget.spec?.grace === undefined) return false
      options.gracePeriodSeconds ??= widget.spec.grace
      return true
    },
  },
  subresources: {
    status: {
      update: {
        prepareForUpdate(_context, widget, old) {
          if (old.spec === undefined) delete widget.spec
          else widget.spec = { ...(old.spec as NonNullable<Widget['spec']>) }
        },
      },
    },
    finalize: { get: false, update: {} },
  },
})

/** A resource that is deleted in two steps, like namespaces. */
export const gardens: ResourceDefinition<Widget> = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Garden',
  plural: 'gardens',
  scope: 'Cluster',
  returnsDeletedObject: true,
  withoutVerbs: ['deletecollection'],
  strategy: { repeatedMetadataChecks: 'update' },
  subresources: {
    finalize: {
      get: false,
      update: {
        prepareForUpdate(_context, garden, old) {
          if (old.status !== undefined) garden.status = { ...old.status }
        },
      },
    },
  },
  deletion: {
    beginDelete(garden) {
      garden.status = { ...garden.status, phase: 'Terminating' }
    },
    isReadyToRemove: (garden) => (garden.spec?.finalizers ?? []).length === 0,
  },
})

function validateSize(size: number | undefined): ReturnType<typeof fieldError.invalid>[] {
  return size !== undefined && size < 0 ? [fieldError.invalid(newFieldPath('spec', 'size'), size, 'must not be negative')] : []
}
