import { createApiTypes, jsonKinds } from '@keelson/api'
import type { GroupVersionTypes } from '@keelson/api'
import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createExchanges, installAPIGroup } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { ResourceDefinition, RESTStorage, ScaledBy } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { Hono } from 'hono'
import { createKindDocument } from './kind-document.ts'

const scaledBy: ScaledBy<KubeObject> = {
  getReplicas: () => 0,
  setReplicas() {},
  getStatusReplicas: () => 0,
  replicasPath: 'spec.replicas',
  formatSelector: () => '',
}

/** Serves the resources of definitions without their rules, for tests of OpenAPI documents. */
export function serveDefinitions(definitions: readonly CustomResourceDefinition[]): Hono<InstallerEnv> {
  const app = new Hono<InstallerEnv>()
  app.use(createExchanges(app, { user: { name: 'tester', groups: ['system:masters'] } }))
  const types = createApiTypes([metaV1, autoscalingV1])
  const scheme = new Scheme()
  const groups = new Map<string, Map<string, Map<string, RESTStorage>>>()
  for (const definition of definitions) {
    const { group, versions } = definition.spec
    for (const { name, served } of versions ?? []) {
      if (!served) continue
      const gvk = { group, version: name, kind: definition.spec.names.kind }
      types.add(createTypes(definition, name))
      scheme.register({ gvk, hub: gvk })
      const storages = groups.get(group) ?? new Map<string, Map<string, RESTStorage>>()
      groups.set(group, storages)
      const { paths } = openTestStore(createResource(definition, name), { types })
      storages.set(name, new Map([...(storages.get(name) ?? []), ...paths]))
    }
  }
  const admission = { handles: () => false, admit: async () => {}, validate: async () => {} }
  for (const [group, storage] of groups) {
    const versions = Array.from(storage.keys(), (version) => ({ group, version }))
    installAPIGroup(app, { group, versions, storage, scheme, types, admission })
  }
  return app
}

function createTypes(definition: CustomResourceDefinition, version: string): GroupVersionTypes {
  const { group, names, versions } = definition.spec
  const schema = versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema
  const openApi = createKindDocument({ definition, version, load: () => schema })
  return jsonKinds({ group, version }, [{ kind: names.kind, openApi }])
}

function createResource({ spec }: CustomResourceDefinition, version: string): ResourceDefinition {
  const { status, scale } = spec.versions?.find(({ name }) => name === version)?.subresources ?? {}
  return {
    group: spec.group,
    version,
    kind: spec.names.kind,
    plural: spec.names.plural,
    scope: spec.scope as 'Namespaced' | 'Cluster',
    strategy: {},
    ...(status && { subresources: { status: { update: {} } } }),
    ...(scale && { scale: scaledBy }),
  }
}
