import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CachedDocument, RecentDocuments } from './cached-document.ts'

const megabyte = 1024 * 1024

/** Creates a document of some megabytes, and counts how often it is generated. */
function createDocument(recent: RecentDocuments, megabytes: number): { readonly document: CachedDocument; readonly count: () => number } {
  let generated = 0
  const yieldPieces = function* (): Generator<string> {
    generated++
    for (let i = 0; i < megabytes; i++) yield 'x'.repeat(megabyte)
  }
  return { document: new CachedDocument(yieldPieces, recent), count: () => generated }
}

describe('a cached document', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('generates a document once for simultaneous and following calls, and again after ten seconds', async () => {
    const { document, count } = createDocument(new RecentDocuments(), 1)
    const [first, second] = await Promise.all([document.chunks(), document.chunks()])
    expect(second).toBe(first)
    expect([await document.chunks(), count()]).toEqual([first, 1])
    vi.advanceTimersByTime(10_000)
    await document.chunks()
    expect(count()).toBe(2)
  })

  it('drops the oldest documents if all together exceed the limit, even if the newest alone does', async () => {
    const recent = new RecentDocuments()
    const [a, b, large] = [createDocument(recent, 9), createDocument(recent, 9), createDocument(recent, 40)]
    for (const { document } of [a, b, b, a, a, large, large, a]) await document.chunks()
    expect([a.count(), b.count(), large.count()]).toEqual([3, 1, 1])
  })

  it('keeps nothing after it is closed, even if it is being generated', async () => {
    const { document, count } = createDocument(new RecentDocuments(), 1)
    await document.chunks()
    document.close()
    const generating = document.chunks()
    document.close()
    await generating
    await document.chunks()
    expect(count()).toBe(3)
  })

  it('divides a document into chunks', async () => {
    const { document } = createDocument(new RecentDocuments(), 3)
    const chunks = await document.chunks()
    expect(chunks.map(({ length }) => length)).toEqual([megabyte, megabyte, megabyte])
  })

  it('hashes the content of a document, or its identity without generating it', async () => {
    const recent = new RecentDocuments()
    const hashText = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase()
    expect(await new CachedDocument(() => ['a', 'b'], recent).etag()).toBe(hashText('ab'))
    const failIfGenerated = (): never => expect.fail('generated')
    expect(await new CachedDocument(failIfGenerated, recent, () => 'identity').etag()).toBe(hashText('identity'))
  })

  it('generates a document again after a failure', async () => {
    let fails = true
    const document = new CachedDocument(() => {
      if (fails) throw new Error('failed')
      return ['a']
    }, new RecentDocuments())
    await expect(document.chunks()).rejects.toThrow('failed')
    await expect(document.etag()).rejects.toThrow('failed')
    fails = false
    expect((await document.chunks())[0]!.toString()).toBe('a')
    expect(await document.etag()).toHaveLength(128)
  })
})
