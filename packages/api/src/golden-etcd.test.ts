import { existsSync, readFileSync } from 'node:fs'
import { formatGroupVersion, parseGroupVersion } from '@keelson/apimachinery'
import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { createApiTypes } from './api-types.ts'
import type { ApiTypes } from './kind-type.ts'
import { decodeUnknown, encodeUnknown, hasProtoMagic } from './proto/unknown-envelope.ts'
import { loadEveryGroupVersion } from './testing/load-everything.ts'

/** Recorded etcd values of kube-apiserver. The file is not part of the repository. */
const file = new URL('../../../../shared/golden/etcd-values.ndjson', import.meta.url)

interface StoredValue {
  readonly key: string
  readonly value: string
  readonly object?: KubeObject
}

/** Functions that set defaults, by kind. kube-apiserver sets these defaults when it reads stored values; the codec does not. */
const defaultOnRead: Readonly<Record<string, (object: Defaulted) => void>> = {
  Job: (job) => {
    if (Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...job.spec?.template?.metadata?.labels }
  },
  PersistentVolumeClaim: (claim) => {
    claim.status = { ...claim.status, phase: claim.status?.phase ?? 'Pending' }
  },
}

interface Defaulted extends KubeObject {
  spec?: { template?: { metadata?: { labels?: Record<string, string> } } }
  status?: { phase?: string }
}

describe.skipIf(!existsSync(file))('values stored by kube-apiserver', async () => {
  const types = createApiTypes(await loadEveryGroupVersion())
  const values = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as StoredValue)
    : []
  const served = values.filter((value) => value.object !== undefined)

  it('covers every recording', () => expect(served.length).toBe(117))

  it.each(served)('$key', ({ value, object }) => {
    const decoded = stored(types, Buffer.from(value, 'base64'))
    const fill = defaultOnRead[object!.kind!]
    fill?.(decoded)
    if (fill === undefined) expect(JSON.stringify(withoutRevision(decoded))).toBe(JSON.stringify(withoutRevision(object!)))
    else expect(withoutRevision(decoded)).toEqual(withoutRevision(object!))
  })

  it.each(values.filter(({ value }) => hasProtoMagic(Buffer.from(value, 'base64'))))('$key keeps its bytes', ({ value }) => {
    const bytes = Buffer.from(value, 'base64')
    const { gvk, raw } = decodeUnknown(bytes)
    const kind = types.kind(gvk)!
    expect(Buffer.from(encodeUnknown(gvk, kind.encodeProto(kind.decodeProto(raw))))).toEqual(bytes)
  })
})

/** Decodes a stored value. If the value is JSON and its kind supports protobuf, also encodes and decodes it as protobuf. */
function stored(types: ApiTypes, bytes: Uint8Array): KubeObject {
  if (hasProtoMagic(bytes)) {
    const { gvk, raw } = decodeUnknown(bytes)
    return { kind: gvk.kind, apiVersion: formatGroupVersion(gvk), ...types.kind(gvk)!.decodeProto(raw) }
  }
  const { kind = '', apiVersion = '', ...rest } = JSON.parse(Buffer.from(bytes).toString()) as KubeObject
  const type = types.kind({ ...parseGroupVersion(apiVersion), kind })
  return { kind, apiVersion, ...(type === undefined ? rest : type.decodeProto(type.encodeProto(rest))) }
}

function withoutRevision(object: KubeObject): JsonObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata } as unknown as JsonObject
}
