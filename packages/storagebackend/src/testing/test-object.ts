import { everyField, everything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createRecordCodec } from '../record-codec.ts'
import type { ObjectCodec, Predicate } from '../storage.ts'

/** What the object-level suite stores. */
export interface TestObject extends KubeObject {
  spec?: { nodeName?: string; text?: string }
}

export function createTestCodec(): ObjectCodec<TestObject> {
  return createRecordCodec<TestObject>({
    kind: 'Test',
    schemaVersion: 1,
    selectableFields: { 'spec.nodeName': (object) => object.spec?.nodeName ?? '' },
  })
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
