import type { RuntimeClass } from '@keelson/api/node/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findRuntimeClassWarnings, validateRuntimeClass, validateRuntimeClassUpdate } from './validate.ts'

export const runtimeClasses: ResourceDefinition<RuntimeClass> = defineResource<RuntimeClass>({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  scope: 'Cluster',
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateCreate: (_context, runtimeClass) => validateRuntimeClass(runtimeClass),
    warningsOnCreate: (_context, runtimeClass) => findRuntimeClassWarnings(runtimeClass),
    validateUpdate: (_context, runtimeClass, old) => validateRuntimeClassUpdate(runtimeClass, old),
    warningsOnUpdate: (_context, runtimeClass) => findRuntimeClassWarnings(runtimeClass),
  },
  columns: [{ name: 'Handler', description: 'Name of the runtime handler on the nodes.', value: ({ handler }) => handler }],
})
