import { waitForNextTurn } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import { openMemory } from '@keelson/backend-embedded'
import { createObjectStore, createRecordCodec } from '@keelson/storagebackend'
import type { Backend, ObjectCodec } from '@keelson/storagebackend'
import { describeStorage, putInto } from '@keelson/storagebackend/testing'
import type { StorageSuiteRequest, StorageUnderTest, TestObject } from '@keelson/storagebackend/testing'
import { ConvertedStorage } from './converted-storage.ts'
import type { Converted, ObjectConverter } from './object-converter.ts'
import { PrunedView, WebhookView } from './version-view.ts'
import type { VersionSchema, VersionView } from './version-view.ts'

const noSchema: VersionSchema = { prune: () => undefined, setDefaults: () => undefined, noteMissingDefaults: () => undefined }

/** Version v1 has `spec.text`, and version v2 has the same text reversed in `spec.txet`. The labels of v2 have the suffix "-v2". */
const reversing: ObjectConverter = {
  async convert(objects, to): Promise<readonly Converted[]> {
    const converted: Converted[] = []
    for (const { version, body, metadata } of objects) {
      // Wait like a webhook, for each few objects.
      if (converted.length % 20 === 0) await waitForNextTurn()
      if (version === to) throw new Error('an object of the right version was converted')
      const { spec } = JSON.parse(Buffer.from(body).toString()) as { spec?: Record<string, string> }
      const [from, into] = to === 'v2' ? ['text', 'txet'] : ['txet', 'text']
      const { [from]: text, ...rest } = spec ?? {}
      const object = { metadata: metadata(), spec: { ...rest, ...(text !== undefined && { [into]: [...text].reverse().join('') }) } }
      const { labels } = object.metadata
      if (labels !== undefined) {
        const rename = (key: string): string => (to === 'v2' ? `${key}-v2` : key.replace(/-v2$/, ''))
        object.metadata.labels = Object.fromEntries(Object.entries(labels).map(([key, value]) => [rename(key), value]))
      }
      converted.push(object)
    }
    return converted
  },
}

const selectableFields = { 'spec.nodeName': (object: DeepReadonly<TestObject>) => object.spec?.nodeName ?? '' }
const plainCodec = createRecordCodec<TestObject>({ kind: 'Test', schemaVersion: 1, selectableFields })

/** The codec of the storage version v2. It cannot decode objects with a certain text, as the suite requires. */
function createStoredCodec(request: StorageSuiteRequest): ObjectCodec<TestObject> {
  const codec = createRecordCodec<TestObject>({
    kind: 'Test',
    schemaVersion: 1,
    versions: { current: 'v2', refresh: () => undefined },
    selectableFields,
  })
  const encode: typeof codec.encode = (object, key) =>
    isUndecodable(object) ? request.codec.encode(toV1(object), key) : codec.encode(object)
  return { ...codec, encode, encodeInSteps: encode }
}

function isUndecodable({ spec }: TestObject): boolean {
  return (spec as { txet?: string } | undefined)?.txet === [...'undecodable'].reverse().join('')
}

function toV1(object: TestObject): TestObject {
  return { ...object, spec: { text: 'undecodable' } }
}

async function open(
  request: StorageSuiteRequest,
  codec: ObjectCodec<TestObject>,
  view: VersionView<TestObject>,
  wrap: (backend: Backend) => Backend = (backend) => backend,
): Promise<StorageUnderTest> {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  const store = createObjectStore({ ...request, codec, backend: wrap(backend), now: clock.now })
  return {
    storage: new ConvertedStorage({ storage: store, prefix: request.prefix, view }),
    put: putInto(backend),
    compact: (revision) => backend.compact(revision),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    async close() {
      await store.close()
      await backend[Symbol.asyncDispose]()
    },
  }
}

describeStorage('converted by identity', (request) =>
  open(request, request.codec, new PrunedView({ codec: request.codec, schema: noSchema, storageSchema: noSchema })),
)

const createWebhookView = (): VersionView<TestObject> =>
  new WebhookView({
    group: 'suite.keelson.dev',
    version: 'v1',
    storageVersion: 'v2',
    versions: new Set(['v1', 'v2']),
    codec: plainCodec,
    schema: noSchema,
    storageSchema: noSchema,
    converter: reversing,
  })

const ownValues = [
  'update: compares stored bytes, not opened objects',
  'unreadable: any other error ends a list at once',
  'unreadable: deleteUnreadable keeps an object that became readable',
  'list: a long list lets other work run, with a selector, with a limit, and without either',
  'watch: sending many initial or missed events lets other work run',
].map((test) => ({ test, reason: "it writes the test codec's values to the driver, which have no version" }))

describeStorage('converted by a webhook', (request) => open(request, createStoredCodec(request), createWebhookView()), {
  skip: ownValues,
})
