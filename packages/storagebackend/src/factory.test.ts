import { expect, it } from 'vitest'
import type { Backend } from './backend.ts'
import { createFactory } from './factory.ts'

it('opens the configured driver', async () => {
  const createBackendOpener = (name: string) => async (): Promise<Backend> => ({ name }) as unknown as Backend
  const factory = createFactory({
    etcd3: createBackendOpener('etcd3'),
    embedded: createBackendOpener('embedded'),
    mine: createBackendOpener('mine'),
  })
  expect(await factory.create({})).toEqual({ name: 'etcd3' })
  expect(await factory.create({ type: '' })).toEqual({ name: 'etcd3' })
  expect(await factory.create({ type: 'embedded' })).toEqual({ name: 'embedded' })
  expect(await factory.create({ type: 'mine' })).toEqual({ name: 'mine' })
  await expect(factory.create({ type: 'memory' })).rejects.toThrow('unknown storage type: memory; allowed: embedded, etcd3, mine')
  await expect(factory.create({ type: 'etcd2' })).rejects.toThrow('etcd2 is no longer a supported storage backend')
  await expect(factory.create({ type: 'floppy' })).rejects.toThrow('unknown storage type: floppy')
  await expect(factory.create({ type: 'constructor' })).rejects.toThrow('unknown storage type: constructor')
})
