import { existsSync, readFileSync } from 'node:fs'
import { createApiTypes, decodeUnknown } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { describe, expect, test } from 'vitest'
import { readAesCbc, readAesGcm, readSecretbox } from './independent-readers.fixture.ts'
import { openEncryption } from './open-encryption.ts'

// Directory of values that a real kube-apiserver stored. It is not part of the repository.
const golden = new URL('../../../../shared/golden/', import.meta.url)

interface Value {
  readonly key: string
  readonly value: string
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly resourceVersion: string } }
}
const values: Value[] = existsSync(new URL('encrypted-values.ndjson', golden))
  ? readFileSync(new URL('encrypted-values.ndjson', golden), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Value)
  : []
const types = createApiTypes([coreV1])
const createKey = (number: string): Buffer => Buffer.from(`0123456789012345678901234567890${number}`)
const independent: Record<string, (stored: Buffer, path: string) => Buffer> = {
  'k8s:enc:aescbc:v1:key1:': (stored) => readAesCbc(createKey('1'), stored),
  'k8s:enc:aesgcm:v1:key2:': (stored, path) => readAesGcm(createKey('2'), stored, path),
  'k8s:enc:secretbox:v1:key3:': (stored) => readSecretbox(createKey('3'), stored),
}

describe.skipIf(values.length === 0)('values that kube-apiserver has encrypted', () => {
  test.each(values.map((value) => [value.key, value] as const))('%s', async (key, { value, object }) => {
    const encryption = await openEncryption({ file: new URL('encryption-config.yaml', golden).pathname })
    const transformer = encryption.findTransformer({ group: '', resource: key.split('/')[2]! })!
    const { data: plaintext, stale } = transformer.fromStorage(Buffer.from(value, 'base64'), key)
    expect(stale).toBe(false)
    const { gvk, raw } = decodeUnknown(plaintext)
    expect(gvk).toMatchObject({ kind: object.kind })
    const decoded = types.kind(gvk)!.decodeProto(raw) as unknown as Value['object']
    const { metadata, ...otherMembers } = JSON.parse(JSON.stringify(decoded)) as Record<string, object>
    // A stored value contains neither its revision nor its kind.
    const { managedFields: _, ...otherMetadata } = { ...metadata } as Record<string, unknown>
    expect({
      ...otherMembers,
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { ...otherMetadata, resourceVersion: object.metadata.resourceVersion },
    }).toEqual(object)

    const written = Buffer.from(transformer.toStorage(plaintext, key))
    const [prefix, read] = Object.entries(independent).find(([name]) => written.subarray(0, name.length).toString() === name)!
    expect(read(written.subarray(prefix.length), key).equals(plaintext)).toBe(true)
    encryption.close()
  })
})
