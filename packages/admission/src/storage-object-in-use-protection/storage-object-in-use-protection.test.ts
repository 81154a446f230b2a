import { expect, it } from 'vitest'
import { admitObject, write } from '../plugin.fixture.ts'
import type { Plural } from '../plugin.fixture.ts'
import { createStorageObjectInUseProtectionPlugin } from './index.ts'

const admit = async (plural: Plural, finalizers?: string[]): Promise<string[] | undefined> => {
  const object = { metadata: { name: 'a', ...(finalizers && { finalizers }) } }
  return (await admitObject(createStorageObjectInUseProtectionPlugin(), write(plural, object))).metadata.finalizers
}

it('adds finalizers to volumes and claims only', async () => {
  expect(await admit('persistentvolumes')).toEqual(['kubernetes.io/pv-protection'])
  expect(await admit('persistentvolumeclaims', ['a'])).toEqual(['a', 'kubernetes.io/pvc-protection'])
  expect(await admit('persistentvolumeclaims', ['kubernetes.io/pvc-protection'])).toEqual(['kubernetes.io/pvc-protection'])
  expect(await admit('configmaps')).toBeUndefined()
})
