import { openMemory } from '@keelson/backend-embedded'
import type { Storage } from '@keelson/storagebackend'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LazyStorage } from './lazy-storage.ts'

const prefix = '/registry/example.com/widgets/'

describe('a storage that is not created yet', () => {
  const backend = openMemory()
  const create = vi.fn(
    () => ({ measureStats: () => Promise.resolve({ objectCount: 0 }), count: () => Promise.resolve(0) }) as unknown as Storage,
  )
  const onEmpty = vi.fn()
  let storage: LazyStorage
  beforeEach(() => {
    vi.clearAllMocks()
    storage = new LazyStorage({ create, prepare: () => undefined, backend, prefix })
  })

  const put = (key: string): Promise<unknown> =>
    backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('{}') }] })
  const remove = (key: string): Promise<unknown> => backend.commit({ compare: [], operations: [{ type: 'delete', key }] })

  /** Starts to wait. `isOver` tells whether the wait has ended. */
  function wait(signal = new AbortController().signal): { readonly ended: Promise<void>; isOver(): boolean } {
    let isOver = false
    const ended = storage.waitForFirstObject({ signal, onEmpty }).then(() => void (isOver = true))
    return { ended, isOver: () => isOver }
  }

  it('ends with the first object under the prefix, also if it is deleted at once, and does not create the storage', async () => {
    const { ended, isOver } = wait()
    await vi.waitFor(() => expect(onEmpty).toHaveBeenCalledOnce())
    await put('/registry/example.com/widgetsets/ns/a')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isOver()).toBe(false)
    await put(`${prefix}ns/a`)
    await remove(`${prefix}ns/a`)
    await ended
    expect(create).not.toHaveBeenCalled()
  })

  it('ends at once if there are objects, or if the storage is in use', async () => {
    await put(`${prefix}ns/b`)
    await wait().ended
    await remove(`${prefix}ns/b`)
    await storage.measureStats()
    await wait().ended
    expect(onEmpty).not.toHaveBeenCalled()
  })

  it('ends when the signal aborts', async () => {
    const stop = new AbortController()
    const { ended } = wait(stop.signal)
    await vi.waitFor(() => expect(onEmpty).toHaveBeenCalledOnce())
    stop.abort()
    await ended
  })

  it('counts objects without creating the storage', async () => {
    await put(`${prefix}ns/c`)
    expect(await storage.count(prefix)).toBe(1)
    await remove(`${prefix}ns/c`)
    expect(await storage.count(prefix)).toBe(0)
    expect(create).not.toHaveBeenCalled()
  })

  it('counts an object that the watch cache of the storage does not have yet', async () => {
    await storage.measureStats()
    await put(`${prefix}ns/d`)
    expect(await storage.count(prefix)).toBe(1)
    await remove(`${prefix}ns/d`)
  })
})

describe('closing', () => {
  const backend = openMemory()
  const open = (closesStorage: boolean): { readonly storage: LazyStorage; readonly close: () => void } => {
    const close = vi.fn()
    const created = { measureStats: () => Promise.resolve({ objectCount: 0 }), close } as unknown as Storage
    return { storage: new LazyStorage({ create: () => created, backend, prefix, closesStorage }), close }
  }

  it('closes a storage that belongs to it, also one that is created later', async () => {
    const used = open(true)
    await used.storage.measureStats()
    await used.storage.close()
    expect(used.close).toHaveBeenCalledOnce()
    const unused = open(true)
    await unused.storage.close()
    expect(unused.close).not.toHaveBeenCalled()
    await unused.storage.measureStats()
    expect(unused.close).toHaveBeenCalledOnce()
  })

  it('does not close a shared storage', async () => {
    const { storage, close } = open(false)
    await storage.measureStats()
    await storage.close()
    expect(close).not.toHaveBeenCalled()
  })
})
