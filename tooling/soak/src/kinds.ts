import type { JsonObject } from '@keelson/apimachinery'
import type { RequestLabels } from './counted-client.ts'

export const namespace = 'soak'
/** Annotation with the time at which a change was sent. */
export const sentAnnotation = 'soak/sent'

/** A kind of objects of the load. */
export interface SoakKind {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly slots: number
  /** Whether the kind is in a definition. Such kinds support neither protobuf nor strategic merge patches. */
  readonly isCustom: boolean
  readonly hasStatus: boolean
  /** Number of changes that watches see of one deletion. A pod first gets a deletion timestamp. */
  readonly changesOfDeletion: number
  /** Returns the fields of a new object, without metadata. */
  createFields(n: number): JsonObject
  /** Returns fields that change the object. */
  changeFields(n: number): JsonObject
  /** Fields that the server refuses with 422. */
  readonly invalidFields: JsonObject
}

const text = 'abcdefghijklmnopqrstuvwxyz0123456789 '.repeat(20)

const configMaps: SoakKind = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  slots: 600,
  isCustom: false,
  hasStatus: false,
  changesOfDeletion: 1,
  createFields: (n) => ({ data: { n: String(n), text } }),
  changeFields: (n) => ({ data: { n: String(n), [`key${n % 5}`]: text.slice(0, n % 300) } }),
  invalidFields: { data: { 'not a key': 'a' } },
}

const pods: SoakKind = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  slots: 300,
  isCustom: false,
  hasStatus: true,
  changesOfDeletion: 2,
  createFields: (n) => ({
    spec: {
      containers: [
        {
          name: 'main',
          image: `registry.example.com/app:${n % 50}`,
          env: Array.from({ length: 20 }, (_, i) => ({ name: `NAME_${i}`, value: text.slice(0, 60) })),
          resources: { requests: { cpu: '100m', memory: '64Mi' } },
        },
      ],
    },
  }),
  changeFields: (n) => ({ metadata: { labels: { changed: String(n) } } }),
  invalidFields: { spec: { containers: [] } },
}

const widgets: SoakKind = {
  group: 'soak.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  slots: 300,
  isCustom: true,
  hasStatus: true,
  changesOfDeletion: 1,
  createFields: (n) => ({ spec: { size: n % 1000, notes: [text.slice(0, 200), String(n)] } }),
  changeFields: (n) => ({ spec: { size: n % 1000, notes: [String(n)] } }),
  invalidFields: { spec: { size: -1 } },
}

export const kinds: readonly SoakKind[] = [configMaps, pods, widgets]

/** Definition of the custom kind: a schema with defaults, an enum and a rule. */
export const widgetDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.soak.example.com' },
  spec: {
    group: widgets.group,
    scope: 'Namespaced',
    names: { kind: widgets.kind, plural: widgets.resource },
    versions: [
      {
        name: widgets.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  color: { type: 'string', enum: ['red', 'green'], default: 'red' },
                  notes: { type: 'array', items: { type: 'string' }, maxItems: 10 },
                },
                'x-kubernetes-validations': [{ rule: 'self.size >= 0', message: 'size must not be negative' }],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

export function getCollectionPath({ group, version, resource }: SoakKind): string {
  return `/${group === '' ? 'api' : `apis/${group}`}/${version}/namespaces/${namespace}/${resource}`
}

/** Returns the path of the objects of all namespaces. */
export function getClusterPath(kind: SoakKind): string {
  return getCollectionPath(kind).replace(`/namespaces/${namespace}`, '')
}

export const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } as const
export const leasesPath = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`

/** Returns the labels of requests for objects of a kind. */
export function createLabels(
  { group, version, resource }: Pick<SoakKind, 'group' | 'version' | 'resource'>,
  verb: string,
  scope: 'resource' | 'namespace' | 'cluster' = 'resource',
  { subresource = '', dryRun = '' }: { readonly subresource?: string; readonly dryRun?: string } = {},
): RequestLabels {
  return { verb, group, version, resource, subresource, scope, dry_run: dryRun }
}
