import { describe, expect, test } from 'vitest'
import { mergeDiscovery } from './merge-discovery.ts'
import type { DiscoveredGroup, DiscoveredResource } from './merge-discovery.ts'
import { mergeOrders } from './merge-orders.ts'

describe('the order of several lists', () => {
  test.each([
    [
      [
        ['a', 'b', 'c'],
        ['b', 'c'],
      ],
      'abc',
    ],
    [
      [
        ['a', 'c'],
        ['b', 'c'],
      ],
      'abc',
    ],
    [
      [
        ['b', 'a'],
        ['d', 'c'],
      ],
      'badc',
    ],
    [[['x', 'a'], ['x', 'b'], ['c']], 'cxab'],
    [
      [
        ['a', 'b'],
        ['b', 'a', 'c'],
      ],
      'bac',
    ],
    [
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
      ],
      'abc',
    ],
    [[], ''],
  ])('%j is merged to %s', (lists, merged) => expect(mergeOrders(lists).join('')).toBe(merged))
})

const createResource = (resource: string, ...verbs: string[]): DiscoveredResource => ({ resource, verbs })
const createGroup = (name: string, versions: Readonly<Record<string, readonly DiscoveredResource[]>>): DiscoveredGroup => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources, freshness: 'Current' })),
})
const describeGroups = (groups: readonly DiscoveredGroup[]): readonly string[] =>
  groups.flatMap(({ metadata, versions = [] }) =>
    versions.map(({ version, resources = [] }) => `${metadata.name}/${version}: ${resources.map(({ resource }) => resource).join(' ')}`),
  )

describe('merged discovery', () => {
  const apps = createGroup('apps', { v1: [createResource('deployments', 'get', 'list')] })
  const batch = createGroup('batch', { v1: [createResource('cronjobs', 'get'), createResource('jobs', 'get')] })
  const local = { serverId: 'b', groups: [apps] }

  test('is the list of this server if peers serve nothing else', () => {
    expect(mergeDiscovery(local, new Map())).toBe(local.groups)
    expect(mergeDiscovery(local, new Map([['a', [structuredClone(apps)]]]))).toBe(local.groups)
  })

  test('has the groups, versions and resources of all servers', () => {
    const newer = createGroup('apps', { v2: [createResource('sets')], v1: [createResource('deployments', 'get'), createResource('sets')] })
    const peers = new Map([
      ['c', [batch]],
      ['a', [newer]],
    ])
    const merged = mergeDiscovery(local, peers)
    expect(describeGroups(merged)).toEqual(['apps/v2: sets', 'apps/v1: deployments sets', 'batch/v1: cronjobs jobs'])
    const servers = new Map([...peers, ['b', local.groups]])
    for (const serverId of ['a', 'c']) {
      const otherServers = new Map([...servers].filter(([name]) => name !== serverId))
      expect(mergeDiscovery({ serverId, groups: servers.get(serverId)! }, otherServers)).toEqual(merged)
    }
  })

  test('unites the verbs and subresources of a resource', () => {
    const status = { subresource: 'status', verbs: ['get'] }
    const scale = { subresource: 'scale', verbs: ['get'] }
    const changedApps = createGroup('apps', { v1: [{ ...createResource('deployments', 'watch', 'get'), subresources: [status, scale] }] })
    const [group] = mergeDiscovery(local, new Map([['c', [changedApps]]]))
    expect(group!.versions![0]!.resources).toEqual([
      { resource: 'deployments', verbs: ['get', 'list', 'watch'], subresources: [scale, status] },
    ])
    expect(apps.versions![0]!.resources![0]).toEqual(createResource('deployments', 'get', 'list'))
  })
})
