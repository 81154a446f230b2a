import { createApiTypes } from '@keelson/api'
import type { KubeObject } from '@keelson/apimachinery'
import { Scheme } from '@keelson/apimachinery'
import type { ResourceDefinition } from '@keelson/registry'
import { describeResource } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { apiGroups } from './api-groups.ts'

interface Cases {
  /** As a client writes it. */
  readonly valid: object
  readonly invalid: Readonly<Record<string, object>>
}

/** By plural: what is accepted, and what is refused, by the field that is to blame. */
const cases: Readonly<Record<string, Cases>> = {
  leases: {
    valid: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } },
    invalid: { 'spec.leaseDurationSeconds': { spec: { leaseDurationSeconds: 0 } } },
  },
  endpointslices: {
    valid: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
    invalid: {
      'endpoints[0].addresses[0]': { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }], ports: null },
      'endpoints[0].hints.forZones[1].name': {
        addressType: 'FQDN',
        endpoints: [{ addresses: ['a.example.com.'], hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }],
        ports: null,
      },
      'ports[1].name': { addressType: 'IPv4', endpoints: null, ports: [{ name: 'a' }, { name: 'a' }] },
    },
  },
  servicecidrs: {
    valid: { spec: { cidrs: ['10.1.0.0/24', 'fd00::/112'] } },
    invalid: { 'spec.cidrs[0]': { spec: { cidrs: ['10.1.0.1/24'] } }, 'spec.cidrs': { spec: { cidrs: ['10.1.0.0/24', '10.2.0.0/24'] } } },
  },
  poddisruptionbudgets: {
    valid: { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'a' } } } },
    invalid: { 'spec.maxUnavailable': { spec: { maxUnavailable: '101%' } } },
  },
  runtimeclasses: {
    valid: { handler: 'gvisor', overhead: { podFixed: { cpu: '10m' } }, scheduling: { tolerations: [{ operator: 'Exists' }] } },
    invalid: {
      handler: { handler: 'A' },
      'overhead.limits[cpu]': { handler: 'a', overhead: { podFixed: { cpu: '-1' } } },
      'scheduling.tolerations[1]': { handler: 'a', scheduling: { tolerations: [{ operator: 'Exists' }, { operator: 'Exists' }] } },
    },
  },
  priorityclasses: { valid: { value: 10 }, invalid: { value: { value: 1_000_000_001 } } },
  storageclasses: {
    valid: { provisioner: 'example.com/disk', parameters: { type: 'fast' } },
    invalid: {
      reclaimPolicy: { provisioner: 'a', reclaimPolicy: 'Recycle' },
      'allowedTopologies[0].matchLabelExpressions[0].values': {
        provisioner: 'a',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: [] }] }],
      },
    },
  },
}

const types = createApiTypes(apiGroups.flatMap((group) => group.types))
const scheme = new Scheme()
for (const group of apiGroups) group.register(scheme)
const definitions = apiGroups.flatMap(({ resources }) => resources)

/** With defaults, as it reaches the store. */
function object({ group, version, kind }: ResourceDefinition, members: object, name = ''): KubeObject {
  const made: KubeObject = { metadata: { name }, ...structuredClone(members) }
  scheme.setDefaults({ group, version, kind }, made)
  return made
}

for (const definition of definitions) {
  const { valid, invalid } = cases[definition.plural] ?? {}
  // Names of addresses are addresses: their cases are in their own folder.
  if (valid === undefined || invalid === undefined) continue
  describeResource(definition, {
    types,
    valid: () => object(definition, valid),
    invalid: Object.entries(invalid).map(([field, members]) => ({ title: field, field, object: () => object(definition, members, 'a') })),
  })
}

describe('built-in groups', () => {
  it('have every resource in its own group, once', () => {
    for (const { name, resources } of apiGroups) expect(resources.map(({ group }) => group)).toEqual(resources.map(() => name))
    const names = definitions.map(({ group, plural }) => `${plural}.${group}`)
    expect(new Set(names).size).toBe(names.length)
  })

  it('have the type of each resource', () => {
    for (const { group, version, kind } of definitions) expect(types.kind({ group, version, kind }), kind).toBeDefined()
  })

  it.each(definitions.map((definition) => [definition.plural, definition] as const))('%s: is tried', (plural) => {
    expect(plural === 'ipaddresses' || cases[plural] !== undefined).toBe(true)
  })
})
