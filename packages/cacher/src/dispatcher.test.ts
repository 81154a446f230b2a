import { selectEveryField, selectEverything, parseFieldSelector } from '@keelson/apimachinery'
import type { Predicate } from '@keelson/storagebackend'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '@keelson/apimachinery/testing'
import { CacheEvent, Selection } from './cache-event.ts'
import { formatPodKey, createPod, podCodec, prefix } from './cacher.fixture.ts'
import type { Pod } from './cacher.fixture.ts'
import { Dispatcher } from './dispatcher.ts'
import { EventRing } from './event-ring.ts'
import { CacheWatcher, defaultWatcherLimits } from './cache-watcher.ts'

const selectByFields = (text: string): Predicate => ({
  labels: selectEverything(),
  fields: text === '' ? selectEveryField() : parseFieldSelector(text),
})

function createWatcher(key: string, recursive: boolean, selector: string): CacheWatcher<Pod> {
  return new CacheWatcher<Pod>({
    selection: new Selection<Pod>(key, recursive, selectByFields(selector)),
    ring: new EventRing(),
    clock: createManualClock(),
    limits: defaultWatcherLimits,
    after: 0,
    position: 0,
    allowBookmarks: false,
    onBehind: () => undefined,
    onEnd: () => undefined,
  })
}

function createChange(namespace: string, name: string, nodeName: string, nodeBefore?: string): CacheEvent<Pod> {
  const key = formatPodKey(namespace, name)
  const openPod = (node: string, revision: number) =>
    podCodec.open(key, podCodec.encode(createPod(namespace, name, { nodeName: node })), revision)
  return new CacheEvent<Pod>({
    key,
    revision: 2,
    object: openPod(nodeName, 2),
    previous: nodeBefore === undefined ? undefined : openPod(nodeBefore, 1),
    time: 0,
  })
}

describe('Dispatcher', () => {
  const watchers = {
    all: createWatcher(prefix, true, ''),
    namespace: createWatcher(`${prefix}ns/`, true, ''),
    otherNamespace: createWatcher(`${prefix}other/`, true, ''),
    namespaceByField: createWatcher(prefix, true, 'metadata.namespace=ns'),
    name: createWatcher(prefix, true, 'metadata.name=a'),
    otherName: createWatcher(`${prefix}ns/`, true, 'metadata.name=b'),
    key: createWatcher(formatPodKey('ns', 'a'), false, ''),
    node: createWatcher(prefix, true, 'spec.nodeName=n1'),
    nodeBefore: createWatcher(prefix, true, 'spec.nodeName=n0'),
    otherNode: createWatcher(prefix, true, 'spec.nodeName=n2'),
  }
  const names = new Map(Object.entries(watchers).map(([name, watcher]) => [watcher, name]))
  const dispatcher = new Dispatcher<Pod>({ prefix, triggerField: 'spec.nodeName' })
  for (const watcher of Object.values(watchers)) dispatcher.add(watcher)

  test('finds exactly the watchers whose selection may match the change', () => {
    const candidateNames = dispatcher.candidates(createChange('ns', 'a', 'n1', 'n0')).map((watcher) => names.get(watcher))
    expect(candidateNames.toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))).toEqual([
      'all',
      'key',
      'name',
      'namespace',
      'namespaceByField',
      'node',
      'nodeBefore',
    ])
  })

  test('does not find deleted watchers', () => {
    dispatcher.delete(watchers.all)
    expect(dispatcher.candidates(createChange('else', 'z', 'n9'))).toEqual([])
  })
})
