import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { apiextensionsV1 } from '@keelson/api/apiextensions/v1'
import { apiextensionsV1beta1 } from '@keelson/api/apiextensions/v1beta1'
import { defineApiGroup, defineResource } from '@keelson/registry'
import type { ApiGroup, ResourceDefinition } from '@keelson/registry'
import { setDefinitionDefaults, normalizeSchemas } from './defaults.ts'
import { fromStoredDefinition, setStoredDefaults, storedVersion, toStoredDefinition } from './stored-version.ts'
import { beginDefinitionDeletion, definitionStatus, definitionStrategy } from './strategy.ts'

const customResourceDefinitions: ResourceDefinition<CustomResourceDefinition> = defineResource<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  setDefaults: setDefinitionDefaults,
  normalize: normalizeSchemas,
  strategy: definitionStrategy,
  subresources: { status: definitionStatus },
  storage: {
    version: storedVersion,
    prefix: 'apiextensions.k8s.io/customresourcedefinitions',
    largeMember: { path: ['spec', 'versions', '*', 'schema'], member: 'openAPIV3Schema' },
    conversion: { setDefaults: setStoredDefaults, toHub: fromStoredDefinition, fromHub: toStoredDefinition },
  },
  deletion: {
    beginDelete: beginDefinitionDeletion,
    isReadyToRemove: () => true,
    ignoresPropagation: true,
    skipsCollections: true,
  },
})

/** The group apiextensions.k8s.io, which stores CustomResourceDefinitions. */
export const apiextensionsGroup: ApiGroup = defineApiGroup({
  name: 'apiextensions.k8s.io',
  priority: 16700,
  types: [apiextensionsV1, apiextensionsV1beta1],
  resources: [customResourceDefinitions],
})
