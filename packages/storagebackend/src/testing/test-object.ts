import { everyField, everything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createRecordCodec } from '../record-codec.ts'
import type { ObjectCodec, Predicate } from '../storage.ts'

/** An object of the suite for storages. */
export interface TestObject extends KubeObject {
  spec?: { nodeName?: string; text?: string }
}

/** An object with this text is stored as bytes that the codec cannot open. */
export const undecodable = 'undecodable'

/** Creates a codec with another schema version. It writes different bytes for the same object, and reads the bytes of other versions. */
export function createTestCodec(schemaVersion = 1): ObjectCodec<TestObject> {
  const codec = createRecordCodec<TestObject>({
    kind: 'Test',
    schemaVersion,
    selectableFields: { 'spec.nodeName': (object) => object.spec?.nodeName ?? '' },
  })
  return {
    encode: (object) => (object.spec?.text === undecodable ? Buffer.from('{"not":"a record"}') : codec.encode(object)),
    open: (key, value, revision) => codec.open(key, value, revision),
  }
}

export interface TestObjectOptions {
  readonly uid?: string
  readonly labels?: Record<string, string>
  readonly nodeName?: string
  readonly text?: string
}

export function testObject(namespace: string, name: string, options: TestObjectOptions = {}): TestObject {
  const { uid = `uid-${namespace}-${name}`, labels, nodeName, text } = options
  return {
    metadata: { name, namespace, uid, ...(labels && { labels }) },
    spec: { ...(nodeName !== undefined && { nodeName }), ...(text !== undefined && { text }) },
  }
}

export function selecting(selectors: { readonly labels?: string; readonly fields?: string }): Predicate {
  return {
    labels: selectors.labels === undefined ? everything() : parseLabelSelector(selectors.labels),
    fields: selectors.fields === undefined ? everyField() : parseFieldSelector(selectors.fields),
  }
}
