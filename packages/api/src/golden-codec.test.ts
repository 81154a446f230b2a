import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { formatGroupVersion, stringifyJson } from '@keelson/apimachinery'
import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { createApiTypes } from './api-types.ts'
import { loadEveryGroupVersion } from './testing/load-everything.ts'
import { decodeUnknown, encodeUnknown } from './proto/unknown-envelope.ts'

/** Directory of recorded responses of kube-apiserver. It is not part of the repository. */
const golden = new URL('../../../../shared/golden/', import.meta.url)

describe.skipIf(!existsSync(golden))('recorded pairs of JSON and protobuf', async () => {
  const types = createApiTypes(await loadEveryGroupVersion())
  const names = existsSync(golden)
    ? readdirSync(new URL('codec/', golden))
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
    : []

  it('covers every recording', () => expect(names.length).toBe(185))

  it.each(names)('%s', (name) => {
    const text = readFileSync(new URL(`codec/${name}.json`, golden), 'utf8')
    const bytes = readFileSync(new URL(`codec/${name}.pb`, golden))
    const { gvk, raw } = decodeUnknown(bytes)
    // Kube-apiserver sends watch events without a kind.
    const anonymous = gvk.kind === ''
    const kind = types.kind(anonymous ? { group: '', version: 'v1', kind: name.split('.').at(-1)! } : gvk)
    expect(kind, name).toBeDefined()
    const decoded = kind!.decodeProto(raw)
    expect(indented(anonymous ? decoded : { kind: gvk.kind, apiVersion: formatGroupVersion(gvk), ...decoded })).toBe(text.trimEnd())
    expect(Buffer.from(encodeUnknown(gvk, kind!.encodeProto(decoded)))).toEqual(bytes)
    const { kind: _kind, apiVersion: _apiVersion, ...parsed } = JSON.parse(text) as JsonObject
    expect(Buffer.from(encodeUnknown(gvk, kind!.encodeProto(parsed as unknown as KubeObject)))).toEqual(bytes)
  })
})

function indented(object: object): string {
  return JSON.stringify(JSON.parse(stringifyJson(object)), null, 2).replaceAll(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
