import { selectEveryField, selectEverything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createRecordCodec } from '../record-codec.ts'
import type { ObjectCodec, Predicate } from '../storage.ts'

/** The object type of the suite for storages. */
export interface TestObject extends KubeObject {
  spec?: { nodeName?: string; text?: string }
}

/** A text for a test object. The test codec cannot decode the stored bytes of an object with this text. */
export const undecodable = 'undecodable'

/**
 * Creates a codec for test objects. Codecs with different schema versions encode the same object as different bytes, and decode each
 * other's bytes.
 */
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

export function createPredicate(selectors: { readonly labels?: string; readonly fields?: string }): Predicate {
  return {
    labels: selectors.labels === undefined ? selectEverything() : parseLabelSelector(selectors.labels),
    fields: selectors.fields === undefined ? selectEveryField() : parseFieldSelector(selectors.fields),
  }
}
