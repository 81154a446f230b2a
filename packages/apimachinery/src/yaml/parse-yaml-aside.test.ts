import { expect, it } from 'vitest'
import { parseYaml, parseYamlAside } from './index.ts'

const never = (): AbortSignal => new AbortController().signal
const long = (text: string): Buffer => Buffer.from(`${text}padding:\n${'- &a "x y"\n- *a\n'.repeat(3000)}`)

it('leaves to the caller what is quick', () => {
  expect(parseYamlAside(Buffer.from('a: &x 1\nb: *x\n'), never)).toBeUndefined()
})

it.each([
  ['plain', `list:\n${'- a: 1\n'.repeat(10_000)}`],
  ['JSON', JSON.stringify({ b: 1, a: Array.from({ length: 10_000 }, () => ({ y: 1, x: 2 })) })],
])('reads what is long and %s without a thread, a new value each time', async (_, text) => {
  const read = (await parseYamlAside(Buffer.from(text), never))!
  const [first, second] = [read(), read()]
  expect(first).toEqual(parseYaml(text))
  expect(second).toEqual(first)
  expect(second.value).not.toBe(first.value)
})

it('reads what is long and not plain as the parser does, without stopping everybody else', async () => {
  const text = long('k: &n {x: [1, 2.5], y: yes}\nk2: *n\nbig: 9007199254740993\n"__proto__": 1\n')
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const read = await parseYamlAside(text, never)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
  expect(read!()).toEqual(parseYaml(text))
  expect(Object.keys(read!().value as object)).toEqual(Object.keys(parseYaml(text).value as object))
  expect(read!().value).not.toBe(read!().value)
})

it('throws what the parser throws, and tells of keys set twice', async () => {
  const twice = await parseYamlAside(long('a: 1\na: 2\n'), never)
  expect(twice!().duplicates).toEqual(parseYaml(long('a: 1\na: 2\n')).duplicates)
  for (const text of [long('a: [\n'), long('a: *none\n'), long('a: .inf\n')]) {
    const read = await parseYamlAside(text, never)
    let expected: Error | undefined
    try {
      parseYaml(text)
    } catch (error) {
      expected = error as Error
    }
    expect(() => read!()).toThrow(expected!.message)
    expect(expected!.message).not.toBe('')
  }
})

it('reads many at once, and nothing for clients that left', async () => {
  const leaving = new AbortController()
  const reads = [parseYamlAside(long(''), never), parseYamlAside(long(''), () => leaving.signal), parseYamlAside(long(''), never)]
  leaving.abort(new Error('gone'))
  await expect(reads[1]).rejects.toThrow('gone')
  for (const read of [await reads[0], await reads[2]]) expect(read!().value).toHaveProperty('padding')
  const alone = new AbortController()
  const last = parseYamlAside(long(''), () => alone.signal)
  // Its thread has been started by then, and takes much longer to get ready.
  setImmediate(() => alone.abort(new Error('too late')))
  await expect(last).rejects.toThrow('too late')
})
