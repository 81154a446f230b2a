import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createApiTypes } from '@keelson/api'
import { appsV1 } from '@keelson/api/apps/v1'
import { autoscalingV2 } from '@keelson/api/autoscaling/v2'
import { batchV1 } from '@keelson/api/batch/v1'
import { coordinationV1 } from '@keelson/api/coordination/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { discoveryV1 } from '@keelson/api/discovery/v1'
import { flowcontrolV1 } from '@keelson/api/flowcontrol/v1'
import { networkingV1 } from '@keelson/api/networking/v1'
import { policyV1 } from '@keelson/api/policy/v1'
import { rbacV1 } from '@keelson/api/rbac/v1'
import { schedulingV1 } from '@keelson/api/scheduling/v1'
import { parseGroupVersion, Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { openEtcd3 } from '@keelson/backend-etcd3'
import { createProtobufCodecs } from '@keelson/registry'
import { createObjectStore } from '@keelson/storagebackend'
import type { Backend, Storage } from '@keelson/storagebackend'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd, findEtcdctl } from '../real-parts/find-etcd.ts'
import { sharedDirectory } from '../repository-root.ts'
import { Etcdctl } from './etcdctl.ts'
import { type FieldTable, FieldTableReader } from './field-table.ts'

// Recordings of kube-apiserver in ../shared. They are not part of the repository.
const recorded = path.join(sharedDirectory, 'golden/etcd-values.ndjson')
const facts = path.join(sharedDirectory, 'reference/proto.json')
const etcdBinary = findEtcd()
const etcdctlBinary = findEtcdctl()
const missing = etcdBinary === undefined || etcdctlBinary === undefined || !existsSync(recorded) || !existsSync(facts)

const types = createApiTypes([
  appsV1,
  autoscalingV2,
  batchV1,
  coordinationV1,
  coreV1,
  discoveryV1,
  flowcontrolV1,
  networkingV1,
  policyV1,
  rbacV1,
  schedulingV1,
])

/** Kinds to which kube-apiserver adds defaults when it reads a stored object. */
const defaultedOnRead: ReadonlySet<string> = new Set(['Job', 'PersistentVolumeClaim'])

interface Recorded {
  readonly key: string
  readonly value: string
  readonly object?: KubeObject & { apiVersion: string; kind: string }
}

describe.skipIf(missing)('values in etcd, decoded without Keelson', { timeout: 30_000 }, () => {
  let etcd: EtcdProcess
  let backend: Backend
  let etcdctl: Etcdctl
  const values = missing
    ? []
    : readFileSync(recorded, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Recorded)
  const objects = values.flatMap(({ key, value, object }) => (object ? [{ key, value, object }] : []))

  beforeAll(async () => {
    etcd = await startEtcd(etcdBinary ?? '')
    backend = await openEtcd3({ transport: { serverList: [etcd.url] }, compactionInterval: 0 })
    etcdctl = new Etcdctl(etcdctlBinary ?? '', etcd.url)
  })
  afterAll(async () => {
    await backend[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  function openStorage(key: string, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Storage {
    const type = types.kind({ ...parseGroupVersion(apiVersion), kind })
    if (type === undefined) throw new Error(`unknown kind ${apiVersion} ${kind}`)
    return createObjectStore({
      backend,
      codec: createProtobufCodecs({ types, scheme: new Scheme() })({ kind: type, selectableFields: {} }),
      resource: { group: type.gvk.group, resource: kind.toLowerCase() },
      prefix: `${key.split('/').slice(0, 3).join('/')}/`,
    })
  }

  test('each recorded object has the same key, fields and bytes', async () => {
    for (const { key, object } of objects) {
      const { resourceVersion: _, ...metadata } = object.metadata
      await openStorage(key, object).create(key, { ...object, metadata })
    }
    const stored = await etcdctl.values('/registry/')
    expect([...stored.keys()].sort()).toEqual(objects.map(({ key }) => key).sort())
    const reader = new FieldTableReader(JSON.parse(readFileSync(facts, 'utf8')) as FieldTable)
    for (const { key, value, object } of objects) {
      const bytes = stored.get(key)!
      const { resourceVersion: _, ...metadata } = object.metadata
      expect(reader.read(bytes), key).toEqual({ ...object, metadata })
      if (!defaultedOnRead.has(object.kind)) expect(bytes.equals(Buffer.from(value, 'base64')), key).toBe(true)
    }
  })

  test('a wrong field number is detected', async () => {
    const { key, object } = objects.find(({ object: { kind } }) => kind === 'Pod')!
    const type = types.kind({ ...parseGroupVersion(object.apiVersion), kind: object.kind })!
    const bytes = createProtobufCodecs({ types, scheme: new Scheme() })({ kind: type, selectableFields: {} }).encode(object)
    const table = JSON.parse(readFileSync(facts, 'utf8')) as Record<string, Record<string, Record<string, { n: number }>>>
    const spec = table['k8s.io.api.core.v1']!['PodSpec']!
    expect(new FieldTableReader(table as unknown as FieldTable).read(bytes)['spec'], key).toHaveProperty('schedulerName')
    spec['schedulerName']!.n = 900
    expect(new FieldTableReader(table as unknown as FieldTable).read(bytes)['spec'], key).not.toHaveProperty('schedulerName')
  })

  test('objects with a time to live have a lease that is at most 5 % longer', async () => {
    const event = objects.find(({ object }) => object.kind === 'Event')!
    const { resourceVersion: _, ...metadata } = event.object.metadata
    const storage = openStorage(event.key, event.object)
    const keys = ['a', 'b', 'c'].map((name) => `/registry/events/lease/${name}`)
    for (const key of keys)
      await storage.create(key, { ...event.object, metadata: { ...metadata, name: key.at(-1)! } }, { ttlSeconds: 3600 })
    const leases = await etcdctl.leases()
    expect(leases.map(({ keys: held }) => [...held].sort())).toEqual([keys])
    expect(leases[0]!.grantedTTL).toBe(3660)
  })
})
