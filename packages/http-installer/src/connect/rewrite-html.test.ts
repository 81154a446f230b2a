import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LinkRewriter } from './rewrite-links.ts'
import { rewriteHtml } from './rewrite-html.ts'

const prefix = '/api/v1/namespaces/default/services/s/proxy'
const remote = { scheme: 'http', host: '10.0.0.1', port: '8080', path: '/', query: '' } as const
const links = new LinkRewriter({ prefix, remote, clientHost: 'server:6443' })

test('rewrites links to the same server, and keeps others', () => {
  const cases: Record<string, string> = {
    '/': `${prefix}/`,
    '/a/b?c=d#e': `${prefix}/a/b?c=d#e`,
    '//10.0.0.1:8080/x/': `${prefix}/x/`,
    'http://10.0.0.1:8080/x': `${prefix}/x`,
    'https://server:6443/x': `https://server:6443${prefix}/x`,
    'http://elsewhere/x': 'http://elsewhere/x',
    'http://10.0.0.1/x': 'http://10.0.0.1/x',
    'relative/x': 'relative/x',
    '?query': '?query',
    '#part': '#part',
    [`${prefix}/known`]: `${prefix}/known`,
  }
  for (const [link, rewritten] of Object.entries(cases)) expect(links.rewrite(link)).toBe(rewritten)
})

test('rewrites links to a fixed origin', () => {
  const fixed = new LinkRewriter({ prefix: '', remote, clientHost: '10.0.0.1:8080', origin: 'https://10.0.0.1:8080' })
  expect(['/a?b', 'http://10.0.0.1:8080/c', 'http://elsewhere/x', 'relative'].map((link) => fixed.rewrite(link))).toEqual([
    'https://10.0.0.1:8080/a?b',
    'https://10.0.0.1:8080/c',
    'http://elsewhere/x',
    'relative',
  ])
})

async function rewriteChunks(chunks: readonly Buffer[], headers: Record<string, string> = {}): Promise<Buffer> {
  const steps = rewriteHtml({ 'content-type': 'text/html; charset=utf-8', ...headers }, links)
  const output: Buffer[] = []
  await pipeline([
    Readable.from(chunks),
    ...(steps ?? []),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) output.push(chunk)
      yield* []
    } as never,
  ])
  return Buffer.concat(output)
}

test('rewrites tags across chunk borders, and nothing else', async () => {
  const page = Buffer.from(
    `<!doctype html><p title="/x">é /y <a class=big HREF='/a'>ü</a><img src=/b><form action="/c"><a href="//x.org/d"></p> 1 < 2 <a href="/e`,
  )
  const expected = page.toString().replace("'/a'", `'${prefix}/a'`).replace('src=/b', `src=${prefix}/b`).replace('"/c"', `"${prefix}/c"`)
  for (let split = 0; split <= page.length; split += 3) {
    expect((await rewriteChunks([page.subarray(0, split), page.subarray(split)].filter(({ length }) => length > 0))).toString()).toBe(
      expected,
    )
  }
})

test('decompresses pages and compresses them again', async () => {
  const page = await rewriteChunks([gzipSync('<a href="/x">')], { 'content-encoding': 'gzip' })
  expect(gunzipSync(page).toString()).toBe(`<a href="${prefix}/x">`)
  expect(rewriteHtml({ 'content-type': 'text/html', 'content-encoding': 'br' }, links)).toBeUndefined()
  expect(rewriteHtml({ 'content-type': 'text/plain' }, links)).toBeUndefined()
})

test('buffers an unclosed tag only up to the limit', async () => {
  const page = Buffer.concat([Buffer.from('<a '), Buffer.alloc(300_000, 'a ')])
  expect((await rewriteChunks([page.subarray(0, 50_000), page.subarray(50_000, 100_000), page.subarray(100_000)])).equals(page)).toBe(true)
})

test('ignores elements named like members of Object.prototype', async () => {
  const page = '<constructor href="/a"><a href="/a">'
  expect((await rewriteChunks([Buffer.from(page)])).toString()).toBe(`<constructor href="/a"><a href="${prefix}/a">`)
})
