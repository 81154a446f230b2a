import { expect, it } from 'vitest'
import type { Backend } from './backend.ts'
import { createFactory } from './factory.ts'

it('chooses the driver that the configuration names', async () => {
  const backend = (name: string) => async (): Promise<Backend> => ({ name }) as unknown as Backend
  const factory = createFactory({ etcd3: backend('etcd3'), embedded: backend('embedded') })
  expect(await factory.create({})).toEqual({ name: 'etcd3' })
  expect(await factory.create({ type: '' })).toEqual({ name: 'etcd3' })
  expect(await factory.create({ type: 'embedded' })).toEqual({ name: 'embedded' })
  await expect(factory.create({ type: 'memory' })).rejects.toThrow('storage type memory is not built into this program')
  await expect(factory.create({ type: 'etcd2' })).rejects.toThrow('etcd2 is no longer a supported storage backend')
  await expect(factory.create({ type: 'floppy' })).rejects.toThrow('unknown storage type: floppy')
})
