import type { KubeObject } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { write } from './plugin.fixture.ts'
import type { TestWrite } from './plugin.fixture.ts'
import { SecondCalls } from './second-calls.ts'

const plugin = 'Test'

/** Runs a plugin with two calls, of which only "first" may be repeated. Returns the calls that were not skipped. */
function runPlugin(attributes: TestWrite, changing: readonly string[] = []): readonly string[] {
  const secondCalls = SecondCalls.of(attributes, plugin)
  secondCalls.begin(attributes)
  const calls = ['first', 'second'].filter((id) => !secondCalls.skips(id, attributes))
  for (const id of calls) {
    if (changing.includes(id)) secondCalls.require()
    if (id === 'first') secondCalls.add(id)
  }
  secondCalls.end(attributes)
  return calls
}

function newWrite(): TestWrite & { readonly object: KubeObject } {
  return write('configmaps', { metadata: { name: 'a' } }) as TestWrite & { readonly object: KubeObject }
}

it('calls everything in the first run', () => {
  expect(runPlugin(newWrite())).toEqual(['first', 'second'])
})

it('repeats nothing if the object stays the same', () => {
  const attributes = newWrite()
  runPlugin(attributes)
  attributes.reinvocation.isSecondRun = true
  expect(runPlugin(attributes)).toEqual([])
})

it('repeats the calls that may be repeated if another plugin changes the object', () => {
  const attributes = newWrite()
  runPlugin(attributes)
  attributes.object.metadata.labels = { changed: 'later' }
  attributes.reinvocation.isSecondRun = true
  expect(runPlugin(attributes)).toEqual(['first'])
})

it('repeats the calls before one that changes the object', () => {
  const attributes = newWrite()
  runPlugin(attributes, ['second'])
  attributes.reinvocation.isSecondRun = true
  expect(runPlugin(attributes)).toEqual(['first'])
})

it('does not repeat a call because of its own change', () => {
  const attributes = newWrite()
  runPlugin(attributes, ['first'])
  attributes.reinvocation.isSecondRun = true
  expect(runPlugin(attributes)).toEqual([])
})
