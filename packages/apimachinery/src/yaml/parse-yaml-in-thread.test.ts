import { expect, it } from 'vitest'
import { parseYaml, parseYamlInThread } from './index.ts'

const createIdleSignal = (): AbortSignal => new AbortController().signal
const createLongDocument = (text: string): Buffer => Buffer.from(`${text}padding:\n${'- &a "x y"\n- *a\n'.repeat(3000)}`)

it('does not start a thread for short texts', () => {
  expect(parseYamlInThread(Buffer.from('a: &x 1\nb: *x\n'), createIdleSignal)).toBeUndefined()
})

it.each([
  ['plain', `list:\n${'- a: 1\n'.repeat(10_000)}`],
  ['JSON', JSON.stringify({ b: 1, a: Array.from({ length: 10_000 }, () => ({ y: 1, x: 2 })) })],
])('reads %s long text without a thread, and returns a new value each time', async (_, text) => {
  const read = (await parseYamlInThread(Buffer.from(text), createIdleSignal))!
  const [first, second] = [read(), read()]
  expect(first).toEqual(parseYaml(text))
  expect(second).toEqual(first)
  expect(second.value).not.toBe(first.value)
})

it('parses long text that the fast reader does not support, without blocking', async () => {
  const text = createLongDocument('k: &n {x: [1, 2.5], y: yes}\nk2: *n\nbig: 9007199254740993\n"__proto__": 1\n')
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const read = await parseYamlInThread(text, createIdleSignal)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
  expect(read!()).toEqual(parseYaml(text))
  expect(Object.keys(read!().value as object)).toEqual(Object.keys(parseYaml(text).value as object))
  expect(read!().value).not.toBe(read!().value)
})

it('throws the errors of parseYaml and reports duplicate keys', async () => {
  const twice = await parseYamlInThread(createLongDocument('a: 1\na: 2\n'), createIdleSignal)
  expect(twice!().duplicates).toEqual(parseYaml(createLongDocument('a: 1\na: 2\n')).duplicates)
  for (const text of [createLongDocument('a: [\n'), createLongDocument('a: *none\n'), createLongDocument('a: .inf\n')]) {
    const read = await parseYamlInThread(text, createIdleSignal)
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

it('parses many texts at once, and skips those of disconnected clients', async () => {
  const leaving = new AbortController()
  const reads = [
    parseYamlInThread(createLongDocument(''), createIdleSignal),
    parseYamlInThread(createLongDocument(''), () => leaving.signal),
    parseYamlInThread(createLongDocument(''), createIdleSignal),
  ]
  leaving.abort(new Error('gone'))
  await expect(reads[1]).rejects.toThrow('gone')
  for (const read of [await reads[0], await reads[2]]) expect(read!().value).toHaveProperty('padding')
  const alone = new AbortController()
  const last = parseYamlInThread(createLongDocument(''), () => alone.signal)
  // The thread has started by then, but takes much longer to become ready.
  setImmediate(() => alone.abort(new Error('too late')))
  await expect(last).rejects.toThrow('too late')
})
