import { everyField, everything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createRecordCodec } from '../record-codec.ts'
import type { ObjectCodec, Predicate } from '../storage.ts'

/** What the object-level suite stores. */
export interface TestObject extends KubeObject {
  spec?: { nodeName?: string; text?: string }
}

/** An object with this text is stored as bytes that no codec opens. */
export const undecodable = 'undecodable'

/** Of another schema version: it writes other bytes for the same object, and both read what the other wrote. */
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
